internal import FunnelModel
internal import FunnelSystem

/// A sorted run of the index, open for reading: a mapped file, or memory (``IndexFormat``).
///
/// Thread-safe. Bytes are checked before they are used.
final class SortedRun: Sendable {
  /// The object that keeps the bytes alive.
  private enum Owner: Sendable {
    case file(MappedFile)
    case memory(OwnedRun)
  }

  private let owner: Owner
  // Addresses are integers, because pointers are not `Sendable`.
  /// The address of the first byte.
  private let start: UInt
  /// The number of bytes before the directory.
  private let count: Int
  private let pages: PageChecks
  /// The address of the directory.
  private let directory: UInt
  /// The subject filter of each partition; `nil` until it is first used.
  private let filters = Guarded([SubjectFilter?](repeating: nil, count: IndexFormat.partitionCount))
  /// The largest number of events of one subject in each partition; `nil` for a partition that is not validated yet.
  private let eventsMaxima = Guarded([Int?](repeating: nil, count: IndexFormat.partitionCount))
  /// The number of events.
  let eventCount: Int
  /// The number of bytes of one type code: 1, 2 or 4.
  let typeWidth: Int
  /// The CRC-32 of the directory.
  let checksum: UInt32
  /// The event types by code, each encoded as an ``EventTypeText``.
  let types: [[UInt8]]

  /// Opens a run in a file, or returns `nil` if the file is damaged or not a run.
  convenience init?(_ file: MappedFile) { self.init(file.bytes, owner: .file(file), isTrusted: false) }

  /// Opens a run that was just written to memory. Its checksums are not checked.
  convenience init?(_ target: MemoryTarget) {
    let memory = OwnedRun(target)
    self.init(memory.bytes, owner: .memory(memory), isTrusted: true)
  }

  /// All bytes of the run.
  var bytes: UnsafeRawBufferPointer {
    switch owner {
    case .file(let file): file.bytes
    case .memory(let memory): memory.bytes
    }
  }

  /// Releases the mapped pages. Pages that are read again come from the system's file cache.
  func releasePages() {
    if case .file(let file) = owner { file.releasePages() }
  }

  /// Opens a run, or returns `nil` if it is damaged.
  ///
  /// - Parameter isTrusted: Whether the checksums need no check.
  private init?(_ bytes: UnsafeRawBufferPointer, owner: Owner, isTrusted: Bool) {
    guard let base = bytes.baseAddress, let trailer = RunTrailer(bytes) else { return nil }
    let directory = UnsafeRawBufferPointer(
      rebasing: bytes[trailer.directory.offset..<trailer.directory.offset + trailer.directory.count])
    guard isTrusted || Checksum.crc32(directory) == trailer.checksum else { return nil }
    let pageCount = (trailer.directory.offset + IndexFormat.pageBytes - 1) / IndexFormat.pageBytes
    let fixed = Self.fixedDirectoryBytes
    guard directory.count == fixed + pageCount * MemoryLayout<UInt32>.size else { return nil }
    self.owner = owner
    start = UInt(bitPattern: base)
    count = trailer.directory.offset
    self.directory = UInt(bitPattern: directory.baseAddress)
    pages = PageChecks(
      bytes: UnsafeRawBufferPointer(rebasing: bytes[..<trailer.directory.offset]),
      checksums: directory.baseAddress! + fixed, isTrusted: isTrusted)
    eventCount = trailer.eventCount
    typeWidth = trailer.typeWidth
    checksum = trailer.checksum
    let place = Self.place(in: directory, at: IndexFormat.partitionCount * IndexFormat.partitionEntryBytes)
    guard let section = Self.checked(place, of: bytes, within: trailer.directory.offset, pages: pages),
      let types = IndexDictionaries.types(from: section),
      types.allSatisfy({ type in type.withUnsafeBytes { EventTypeText($0) != nil } }),
      types.count <= 1 << (8 * trailer.typeWidth)
    else { return nil }
    self.types = types
  }

  /// The length of the directory without the checksums of pages.
  private static var fixedDirectoryBytes: Int {
    IndexFormat.partitionCount * IndexFormat.partitionEntryBytes + IndexFormat.Dictionary.allCases.count
      * IndexFormat.Place.bytes
  }

  /// Returns the number of subjects of a partition.
  func subjectCount(ofPartition partition: Int) -> Int { Int(word(partition * IndexFormat.partitionEntryBytes)) }

  /// Returns the number of events of a partition.
  func eventCount(ofPartition partition: Int) -> Int { Int(word(partition * IndexFormat.partitionEntryBytes + 4)) }

  /// Returns the largest number of events of one subject in a partition, or `nil` if the partition is not
  /// validated yet.
  func eventsMax(ofPartition partition: Int) -> Int? { eventsMaxima.withLock { $0[partition] } }

  /// Marks a partition as validated: its subjects, types and times are consistent.
  func setEventsMax(_ eventsMax: Int, ofPartition partition: Int) { eventsMaxima.withLock { $0[partition] = eventsMax } }

  /// Returns a section of a partition, and checks its pages.
  ///
  /// - Throws: `inputOutput` if a page is damaged.
  func section(_ section: IndexFormat.Section, ofPartition partition: Int) throws(FunnelError) -> UnsafeRawBufferPointer {
    let bytes = try uncheckedSection(section, ofPartition: partition)
    try check(bytes)
    return bytes
  }

  /// Returns a section whose pages are not checked. The caller must pass each piece to ``check(_:)`` before it is used.
  func uncheckedSection(
    _ section: IndexFormat.Section, ofPartition partition: Int
  ) throws(FunnelError) -> UnsafeRawBufferPointer {
    let countBytes = 2 * MemoryLayout<UInt32>.size
    let entry = partition * IndexFormat.partitionEntryBytes + countBytes + section.rawValue * IndexFormat.Place.bytes
    return try bytes(at: entry)
  }

  /// Returns a filter for the subjects of a partition, or `nil` if building it would cost more than searching
  /// for `events` events.
  func subjectFilter(ofPartition partition: Int, askedFor events: Int) throws(FunnelError) -> SubjectFilter? {
    if let filter = filters.withLock({ $0[partition] }) { return filter }
    let subjects = subjectCount(ofPartition: partition)
    guard subjects <= events * SubjectFilter.subjectsForEvent else { return nil }
    let keys = try section(.keys, ofPartition: partition)
    guard keys.count == subjects * IndexFormat.keyBytes else { throw IndexDamage.error }
    let filter = SubjectFilter(keys)
    filters.withLock { $0[partition] = filter }
    return filter
  }

  /// Checks the pages that contain `bytes`, which must be bytes of this run.
  ///
  /// - Throws: `inputOutput` if a page is damaged.
  func check(_ bytes: UnsafeRawBufferPointer) throws(FunnelError) {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
    guard pages.check(Int(UInt(bitPattern: base) - start), bytes.count) else { throw IndexDamage.error }
  }

  /// Returns whether `bytes` are bytes of this run.
  func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let address = UInt(bitPattern: bytes.baseAddress)
    return address >= start && address &+ UInt(bytes.count) <= start &+ UInt(count)
  }

  /// Returns the dictionary of `ctx`.
  func contextDictionary() throws(FunnelError) -> DimensionDictionary { try dictionary(.context) }

  /// Returns the dictionary of `props`.
  func propsDictionary() throws(FunnelError) -> DimensionDictionary { try dictionary(.props) }

  /// Returns all dictionaries.
  func dictionaries() throws(FunnelError) -> IndexDictionaries {
    IndexDictionaries(types: types, context: try contextDictionary(), props: try propsDictionary())
  }

  private func dictionary(_ dictionary: IndexFormat.Dictionary) throws(FunnelError) -> DimensionDictionary {
    let entry = IndexFormat.partitionCount * IndexFormat.partitionEntryBytes + dictionary.rawValue * IndexFormat.Place.bytes
    let bytes = try bytes(at: entry)
    try check(bytes)
    guard let dictionary = DimensionDictionary(bytes) else { throw IndexDamage.error }
    return dictionary
  }

  /// Returns the number at an offset of the directory.
  private func word(_ offset: Int) -> UInt32 {
    UnsafeRawPointer(bitPattern: directory)!.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
  }

  /// Returns the bytes of a section, whose range is at the offset `entry` of the directory.
  private func bytes(at entry: Int) throws(FunnelError) -> UnsafeRawBufferPointer {
    let place = Self.place(
      in: UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: directory), count: Self.fixedDirectoryBytes), at: entry)
    guard place.isInside(count) else { throw IndexDamage.error }
    return UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: start + UInt(place.offset)), count: place.count)
  }

  /// Returns the byte range at an offset of the directory.
  private static func place(in directory: UnsafeRawBufferPointer, at offset: Int) -> IndexFormat.Place {
    IndexFormat.Place(
      offset: Int(truncatingIfNeeded: directory.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
      count: Int(truncatingIfNeeded: directory.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)))
  }

  /// Returns the bytes of a section, or `nil` if its range is invalid or a page is damaged.
  private static func checked(
    _ place: IndexFormat.Place, of bytes: UnsafeRawBufferPointer, within end: Int, pages: PageChecks
  ) -> UnsafeRawBufferPointer? {
    guard place.isInside(end), pages.check(place.offset, place.count) else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes[place.offset..<place.offset + place.count])
  }
}

extension IndexFormat.Place {
  /// Returns whether the range is within the first `end` bytes and aligned like a section.
  fileprivate func isInside(_ end: Int) -> Bool {
    offset >= 0 && count >= 0 && offset % IndexFormat.alignment == 0 && offset <= end && count <= end - offset
  }
}

/// The decoded trailer of a run.
private struct RunTrailer {
  /// The number of bytes of one type code.
  let typeWidth: Int
  let directory: IndexFormat.Place
  let eventCount: Int
  /// The CRC-32 of the directory.
  let checksum: UInt32

  private static let checksumOffset = IndexFormat.trailerBytes - MemoryLayout<UInt32>.size

  /// Decodes the trailer at the end of `bytes`, or returns `nil` if it is invalid.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= IndexFormat.trailerBytes else { return nil }
    let end = bytes.count - IndexFormat.trailerBytes
    let trailer = UnsafeRawBufferPointer(rebasing: bytes[end...])
    func word(_ offset: Int) -> UInt32 { trailer.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    func long(_ offset: Int) -> Int { Int(truncatingIfNeeded: trailer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
    guard long(0) == Int(IndexFormat.magic), word(8) == IndexFormat.version,
      Checksum.crc32(UnsafeRawBufferPointer(rebasing: trailer[..<Self.checksumOffset])) == word(Self.checksumOffset)
    else { return nil }
    typeWidth = Int(word(12))
    directory = IndexFormat.Place(offset: long(16), count: long(24))
    eventCount = long(32)
    checksum = word(40)
    guard [1, 2, 4].contains(typeWidth), directory.isInside(end), directory.offset + directory.count == end, eventCount >= 0
    else {
      return nil
    }
  }
}

/// The owner of a run's bytes in memory.
private final class OwnedRun: Sendable {
  private let memory: GrowingBytes

  init(_ target: MemoryTarget) {
    memory = target.take()
  }

  var bytes: UnsafeRawBufferPointer { memory.bytes }
}

/// The pages of a run, each of which is checked when it is first used.
private final class PageChecks: Sendable {
  /// The address of the first byte.
  private let start: UInt
  private let count: Int
  /// The address of the checksums, one for each page.
  private let checksums: UInt
  /// Whether no page needs a check.
  private let isTrusted: Bool
  /// The pages whose checksums have matched. Two threads may check the same page at once, with the same result.
  private let checked: AtomicFlags

  init(bytes: UnsafeRawBufferPointer, checksums: UnsafeRawPointer, isTrusted: Bool) {
    start = UInt(bitPattern: bytes.baseAddress)
    count = bytes.count
    self.checksums = UInt(bitPattern: checksums)
    self.isTrusted = isTrusted
    checked = AtomicFlags(count: (count + IndexFormat.pageBytes - 1) / IndexFormat.pageBytes)
  }

  /// Returns whether the pages of a range, which must be within the bytes, match their checksums.
  func check(_ offset: Int, _ length: Int) -> Bool {
    if isTrusted || length == 0 { return true }
    let bytes = UnsafeRawPointer(bitPattern: start)!
    for page in offset / IndexFormat.pageBytes...(offset + length - 1) / IndexFormat.pageBytes {
      if checked.isSet(page) { continue }
      let first = page * IndexFormat.pageBytes
      let content = UnsafeRawBufferPointer(start: bytes + first, count: min(IndexFormat.pageBytes, count - first))
      let checksumOffset = page * MemoryLayout<UInt32>.size
      let expected = UnsafeRawPointer(bitPattern: checksums)!.loadUnaligned(fromByteOffset: checksumOffset, as: UInt32.self)
      guard Checksum.crc32(content) == expected else { return false }
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
