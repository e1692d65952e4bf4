internal import FunnelDecoding
internal import FunnelModel
internal import FunnelSystem

/// A sorted run of the index, open for reading: a mapped file, or memory (``IndexFormat``).
///
/// Thread-safe. Bytes are checked before they are used.
final class SortedRun: Sendable {
  /// The object that keeps the bytes alive.
  private enum Owner: Sendable {
    case file(MappedFile)
    case memory(MemoryTarget.Contents)
  }

  private let owner: Owner
  /// All bytes of the run.
  private let image: BorrowedBytes
  private let directory: RunDirectory
  /// The bytes before the directory: partitions and dictionaries.
  private let pages: PageChecks
  /// The subject filter of each partition; `nil` until it is first used.
  private let filters = Guarded([SubjectBloomFilter?](repeating: nil, count: IndexFormat.partitionCount))
  /// The largest number of events of one subject in each partition; `nil` for a partition that is not validated yet.
  private let eventsMaxima = Guarded([Int?](repeating: nil, count: IndexFormat.partitionCount))
  /// The number of events.
  let eventCount: Int
  /// The number of bytes of one type code: 1, 2 or 4.
  let typeWidth: NumberWidth
  /// The CRC-32 of the directory.
  let checksum: UInt32
  /// The event types by code, each encoded as an ``EventTypeText``.
  let types: [[UInt8]]

  /// Opens a run in a file, or returns `nil` if the file is damaged or not a run.
  convenience init?(_ file: MappedFile) { self.init(BorrowedBytes(file.memory), owner: .file(file)) }

  /// Opens a run that was just written to memory. Its checksums are not checked.
  convenience init?(_ target: MemoryTarget) {
    let memory = target.take()
    self.init(memory.bytes.bytes, owner: .memory(memory))
  }

  /// Opens a run, or returns `nil` if it is damaged.
  private init?(_ image: BorrowedBytes, owner: Owner) {
    guard let trailer = RunTrailer(image) else { return nil }
    let end = trailer.directory.offset
    let directoryBytes = image[end..<end + trailer.directory.count]
    let pageCount = PageChecks.pageCount(ofBytes: end)
    guard directoryBytes.count == RunDirectory.fixedBytes + pageCount * MemoryLayout<UInt32>.size,
      let directory = RunDirectory(directoryBytes)
    else { return nil }
    switch owner {
    case .file:
      guard directoryBytes.crc32 == trailer.checksum else { return nil }
      pages = PageChecks(image[0..<end], checksums: directoryBytes.dropFirst(RunDirectory.fixedBytes))
    case .memory: pages = PageChecks(image[0..<end], checksums: nil)
    }
    self.owner = owner
    self.image = image
    self.directory = directory
    eventCount = trailer.eventCount
    typeWidth = trailer.typeWidth
    checksum = trailer.checksum
    guard let range = directory.range(of: .types).inside(end), pages.check(range),
      let types = IndexDictionaries.types(from: image[range]),
      types.allSatisfy({ type in type.withBorrowedElements { EventTypeText($0) != nil } }),
      types.count <= 1 << (8 * trailer.typeWidth.rawValue)
    else { return nil }
    self.types = types
  }

  /// The size of the run in bytes.
  var byteCount: Int { image.count }

  /// Writes all bytes of the run.
  func write(to target: some RunTarget) throws(FunnelError) { try target.append(image) }

  /// Releases the mapped pages. Pages that are read again come from the system's file cache.
  func releasePages() {
    if case .file(let file) = owner { file.releasePages() }
  }

  /// Returns the number of subjects of a partition.
  func subjectCount(ofPartition partition: Int) -> Int { directory.subjectCount(ofPartition: partition) }

  /// Returns the number of events of a partition.
  func eventCount(ofPartition partition: Int) -> Int { directory.eventCount(ofPartition: partition) }

  /// Returns the largest number of events of one subject in a partition, or `nil` if the partition is not
  /// validated yet.
  func eventsMax(ofPartition partition: Int) -> Int? { eventsMaxima.withLock { $0[partition] } }

  /// Marks a partition as validated: its subjects, types and times are consistent.
  func setEventsMax(_ eventsMax: Int, ofPartition partition: Int) { eventsMaxima.withLock { $0[partition] = eventsMax } }

  /// Returns a section of a partition, and checks its pages.
  ///
  /// - Throws: `inputOutput` if a page is damaged.
  func section(_ section: IndexFormat.Section, ofPartition partition: Int) throws(FunnelError) -> BorrowedBytes {
    let bytes = try uncheckedSection(section, ofPartition: partition)
    try check(bytes)
    return bytes
  }

  /// Returns a section whose pages are not checked. The caller must pass each piece to ``check(_:)`` before it is used.
  func uncheckedSection(
    _ section: IndexFormat.Section, ofPartition partition: Int
  ) throws(FunnelError) -> BorrowedBytes {
    try bytes(directory.range(of: section, inPartition: partition))
  }

  /// Returns the number of users of a partition (``SubjectUsers``).
  func userCount(ofPartition partition: Int) -> Int {
    directory.range(of: .users, inPartition: partition).count / SubjectUsers.userBytes
  }

  /// Whether an event of the run has a user.
  var hasUsers: Bool { (0..<IndexFormat.partitionCount).contains { userCount(ofPartition: $0) > 0 } }

  /// Returns a filter for the subjects of a partition, or `nil` if building it would cost more than searching
  /// for `events` events.
  func subjectFilter(ofPartition partition: Int, askedFor events: Int) throws(FunnelError) -> SubjectBloomFilter? {
    if let filter = filters.withLock({ $0[partition] }) { return filter }
    let subjects = subjectCount(ofPartition: partition)
    guard subjects <= events * SubjectBloomFilter.subjectsForEvent else { return nil }
    let filter = SubjectBloomFilter(try SubjectKeys(section(.keys, ofPartition: partition), count: subjects))
    filters.withLock { $0[partition] = filter }
    return filter
  }

  /// Checks the pages that contain `bytes`, which must be bytes of this run.
  ///
  /// - Throws: `inputOutput` if a page is damaged.
  func check(_ bytes: BorrowedBytes) throws(FunnelError) {
    guard !bytes.isEmpty else { return }
    guard let offset = pages.bytes.offset(of: bytes) else { preconditionFailure("the bytes are a part of the run") }
    guard pages.check(offset..<offset + bytes.count) else { throw FunnelError.damagedIndex }
  }

  /// Returns whether `bytes` are bytes of this run.
  func contains(_ bytes: BorrowedBytes) -> Bool { pages.bytes.offset(of: bytes) != nil }

  /// Returns the dictionary of `ctx`.
  func contextDictionary() throws(FunnelError) -> DimensionDictionary { try dictionary(.context) }

  /// Returns the dictionary of `props`.
  func propsDictionary() throws(FunnelError) -> DimensionDictionary { try dictionary(.props) }

  /// Returns all dictionaries.
  func dictionaries() throws(FunnelError) -> IndexDictionaries {
    IndexDictionaries(types: types, context: try contextDictionary(), props: try propsDictionary())
  }

  private func dictionary(_ dictionary: IndexFormat.Dictionary) throws(FunnelError) -> DimensionDictionary {
    let bytes = try bytes(directory.range(of: dictionary))
    try check(bytes)
    guard let dictionary = DimensionDictionary(bytes) else { throw FunnelError.damagedIndex }
    return dictionary
  }

  /// Returns the bytes of a section.
  private func bytes(_ range: IndexFormat.ByteRange) throws(FunnelError) -> BorrowedBytes {
    guard let range = range.inside(pages.bytes.count) else { throw FunnelError.damagedIndex }
    return pages.bytes[range]
  }
}
