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
  /// The bytes before the directory: partitions and dictionaries.
  private let sections: BorrowedBytes
  /// The directory, without the checksums of pages.
  private let directory: BorrowedBytes
  private let pages: PageChecks
  /// The subject filter of each partition; `nil` until it is first used.
  private let filters = Guarded([SubjectFilter?](repeating: nil, count: IndexFormat.partitionCount))
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
  convenience init?(_ file: MappedFile) { self.init(BorrowedBytes(file.memory), owner: .file(file), isTrusted: false) }

  /// Opens a run that was just written to memory. Its checksums are not checked.
  convenience init?(_ target: MemoryTarget) {
    let memory = target.take()
    self.init(memory.bytes.bytes, owner: .memory(memory), isTrusted: true)
  }

  /// Opens a run, or returns `nil` if it is damaged.
  ///
  /// - Parameter isTrusted: Whether the checksums need no check.
  private init?(_ image: BorrowedBytes, owner: Owner, isTrusted: Bool) {
    guard let trailer = RunTrailer(image) else { return nil }
    let end = trailer.directory.offset
    let directory = image[end..<end + trailer.directory.count]
    guard isTrusted || directory.crc32 == trailer.checksum else { return nil }
    let pageCount = PageChecks.pageCount(ofBytes: end)
    guard directory.count == Self.fixedDirectoryBytes + pageCount * MemoryLayout<UInt32>.size else { return nil }
    let sections = image[0..<end]
    pages = PageChecks(sections, checksums: directory.dropFirst(Self.fixedDirectoryBytes), isTrusted: isTrusted)
    self.owner = owner
    self.image = image
    self.sections = sections
    self.directory = directory[0..<Self.fixedDirectoryBytes]
    eventCount = trailer.eventCount
    typeWidth = trailer.typeWidth
    checksum = trailer.checksum
    let range = Self.range(in: directory, at: Self.dictionaryOffset(.types))
    guard range.isInside(end), pages.check(range),
      let types = IndexDictionaries.types(from: sections[range.offset..<range.offset + range.count]),
      types.allSatisfy({ type in type.withBorrowedBytes { EventTypeText($0) != nil } }),
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

  /// The length of the directory without the checksums of pages.
  private static let fixedDirectoryBytes =
    IndexFormat.partitionCount * IndexFormat.partitionEntryBytes + IndexFormat.Dictionary.allCases.count
    * IndexFormat.ByteRange.encodedBytes

  /// Returns the number of subjects of a partition.
  func subjectCount(ofPartition partition: Int) -> Int {
    Int(directory.load(at: Self.entryOffset(ofPartition: partition), as: UInt32.self))
  }

  /// Returns the number of events of a partition.
  func eventCount(ofPartition partition: Int) -> Int {
    Int(directory.load(at: Self.entryOffset(ofPartition: partition) + MemoryLayout<UInt32>.size, as: UInt32.self))
  }

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
    let countBytes = 2 * MemoryLayout<UInt32>.size
    return try bytes(
      at: Self.entryOffset(ofPartition: partition) + countBytes + section.rawValue * IndexFormat.ByteRange.encodedBytes)
  }

  /// Returns a filter for the subjects of a partition, or `nil` if building it would cost more than searching
  /// for `events` events.
  func subjectFilter(ofPartition partition: Int, askedFor events: Int) throws(FunnelError) -> SubjectFilter? {
    if let filter = filters.withLock({ $0[partition] }) { return filter }
    let subjects = subjectCount(ofPartition: partition)
    guard subjects <= events * SubjectFilter.subjectsForEvent else { return nil }
    let filter = SubjectFilter(try SubjectKeys(section(.keys, ofPartition: partition), count: subjects))
    filters.withLock { $0[partition] = filter }
    return filter
  }

  /// Checks the pages that contain `bytes`, which must be bytes of this run.
  ///
  /// - Throws: `inputOutput` if a page is damaged.
  func check(_ bytes: BorrowedBytes) throws(FunnelError) {
    guard !bytes.isEmpty else { return }
    let range = IndexFormat.ByteRange(offset: sections.offset(of: bytes), count: bytes.count)
    guard pages.check(range) else { throw IndexDamage.error }
  }

  /// Returns whether `bytes` are bytes of this run.
  func contains(_ bytes: BorrowedBytes) -> Bool { sections.contains(bytes) }

  /// Returns the dictionary of `ctx`.
  func contextDictionary() throws(FunnelError) -> DimensionDictionary { try dictionary(.context) }

  /// Returns the dictionary of `props`.
  func propsDictionary() throws(FunnelError) -> DimensionDictionary { try dictionary(.props) }

  /// Returns all dictionaries.
  func dictionaries() throws(FunnelError) -> IndexDictionaries {
    IndexDictionaries(types: types, context: try contextDictionary(), props: try propsDictionary())
  }

  private func dictionary(_ dictionary: IndexFormat.Dictionary) throws(FunnelError) -> DimensionDictionary {
    let bytes = try bytes(at: Self.dictionaryOffset(dictionary))
    try check(bytes)
    guard let dictionary = DimensionDictionary(bytes) else { throw IndexDamage.error }
    return dictionary
  }

  /// Returns the bytes of a section, whose range is at an offset of the directory.
  private func bytes(at offset: Int) throws(FunnelError) -> BorrowedBytes {
    let range = Self.range(in: directory, at: offset)
    guard range.isInside(sections.count) else { throw IndexDamage.error }
    return sections[range.offset..<range.offset + range.count]
  }

  /// Returns the offset of a partition's entry in the directory.
  private static func entryOffset(ofPartition partition: Int) -> Int {
    precondition(partition >= 0 && partition < IndexFormat.partitionCount, "a run has a fixed number of partitions")
    return partition * IndexFormat.partitionEntryBytes
  }

  /// Returns the offset of a dictionary's byte range in the directory.
  private static func dictionaryOffset(_ dictionary: IndexFormat.Dictionary) -> Int {
    IndexFormat.partitionCount * IndexFormat.partitionEntryBytes + dictionary.rawValue * IndexFormat.ByteRange.encodedBytes
  }

  /// Returns the byte range at an offset of the directory.
  private static func range(in directory: BorrowedBytes, at offset: Int) -> IndexFormat.ByteRange {
    let size = MemoryLayout<UInt64>.size
    return IndexFormat.ByteRange(
      offset: Int(truncatingIfNeeded: directory.load(at: offset, as: UInt64.self)),
      count: Int(truncatingIfNeeded: directory.load(at: offset + size, as: UInt64.self)))
  }
}

/// The section `keys` of a partition: the hashes of its subjects, ascending.
struct SubjectKeys: BitwiseCopyable {
  /// The bytes of the section.
  let bytes: BorrowedBytes

  /// The keys of a section that is not read.
  static let none = SubjectKeys(bytes: .empty)

  private init(bytes: BorrowedBytes) { self.bytes = bytes }

  /// Opens the section of a partition of `count` subjects.
  ///
  /// - Throws: `inputOutput` if the section has another length.
  init(_ section: BorrowedBytes, count: Int) throws(FunnelError) {
    guard section.count == count * IndexFormat.keyBytes else { throw IndexDamage.error }
    bytes = section
  }

  /// The number of subjects.
  var count: Int { bytes.count / IndexFormat.keyBytes }

  /// Returns the key of a subject.
  @inline(__always)
  subscript(subject: Int) -> Hash128 {
    let offset = subject &* IndexFormat.keyBytes
    return Hash128(
      high: bytes.load(at: offset, as: UInt64.self),
      low: bytes.load(at: offset &+ MemoryLayout<UInt64>.size, as: UInt64.self))
  }

  /// Returns the bytes of a subject's key.
  func keyBytes(ofSubject subject: Int) -> BorrowedBytes {
    bytes[subject * IndexFormat.keyBytes..<(subject + 1) * IndexFormat.keyBytes]
  }
}

/// The decoded trailer of a run.
private struct RunTrailer {
  /// The number of bytes of one type code.
  let typeWidth: NumberWidth
  let directory: IndexFormat.ByteRange
  let eventCount: Int
  /// The CRC-32 of the directory.
  let checksum: UInt32

  // The offsets of the fields; the version follows the magic number of eight bytes.
  private static let versionOffset = 8
  private static let typeWidthOffset = 12
  private static let directoryOffset = 16
  private static let eventCountOffset = 32
  private static let directoryChecksumOffset = 40
  private static let checksumOffset = IndexFormat.trailerBytes - MemoryLayout<UInt32>.size

  /// Decodes the trailer at the end of a run, or returns `nil` if it is invalid.
  init?(_ image: BorrowedBytes) {
    guard image.count >= IndexFormat.trailerBytes else { return nil }
    let end = image.count - IndexFormat.trailerBytes
    let trailer = image.dropFirst(end)
    func word(_ offset: Int) -> UInt32 { trailer.load(at: offset, as: UInt32.self) }
    func long(_ offset: Int) -> Int { Int(truncatingIfNeeded: trailer.load(at: offset, as: UInt64.self)) }
    guard long(0) == Int(IndexFormat.magic), word(Self.versionOffset) == IndexFormat.version,
      trailer[0..<Self.checksumOffset].crc32 == word(Self.checksumOffset),
      let width = NumberWidth(rawValue: Int(word(Self.typeWidthOffset))), width != .eight
    else { return nil }
    typeWidth = width
    directory = IndexFormat.ByteRange(
      offset: long(Self.directoryOffset), count: long(Self.directoryOffset + MemoryLayout<UInt64>.size))
    eventCount = long(Self.eventCountOffset)
    checksum = word(Self.directoryChecksumOffset)
    guard directory.isInside(end), directory.offset + directory.count == end, eventCount >= 0 else { return nil }
  }
}

/// The pages of a run, each of which is checked when it is first used.
private final class PageChecks: Sendable {
  private let bytes: BorrowedBytes
  /// The checksums, one for each page.
  private let checksums: BorrowedBytes
  /// Whether no page needs a check.
  private let isTrusted: Bool
  /// The pages whose checksums have matched. Two threads may check the same page at once, with the same result.
  private let checked: AtomicFlags

  init(_ bytes: BorrowedBytes, checksums: BorrowedBytes, isTrusted: Bool) {
    precondition(
      checksums.count == Self.pageCount(ofBytes: bytes.count) * MemoryLayout<UInt32>.size, "each page has a checksum")
    self.bytes = bytes
    self.checksums = checksums
    self.isTrusted = isTrusted
    checked = AtomicFlags(count: Self.pageCount(ofBytes: bytes.count))
  }

  /// Returns the number of pages that `count` bytes take.
  static func pageCount(ofBytes count: Int) -> Int { (count + IndexFormat.pageBytes - 1) / IndexFormat.pageBytes }

  /// Returns whether the pages of a range, which must be within the bytes, match their checksums.
  func check(_ range: IndexFormat.ByteRange) -> Bool {
    if isTrusted || range.count == 0 { return true }
    assert(range.offset >= 0 && range.offset + range.count <= bytes.count, "a range is within the pages")
    for page in range.offset / IndexFormat.pageBytes...(range.offset + range.count - 1) / IndexFormat.pageBytes {
      if checked.isSet(page) { continue }
      let first = page * IndexFormat.pageBytes
      let content = bytes[first..<min(first + IndexFormat.pageBytes, bytes.count)]
      guard content.crc32 == checksums.load(at: page * MemoryLayout<UInt32>.size, as: UInt32.self) else { return false }
      checked.set(page)
    }
    return true
  }
}

/// The error for a damaged index. The log contains all of its events.
enum IndexDamage {
  static let error = FunnelError(
    .inputOutput, "the store's index is damaged, remove its folder index and run the command again")
}
