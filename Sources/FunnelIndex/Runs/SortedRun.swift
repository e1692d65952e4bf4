internal import FunnelModel
internal import FunnelSystem

/// A run, open for reading: a mapped file, or memory.
///
/// Any number of threads may read it. Bytes are checked before they are used (see ``IndexFormat``).
final class SortedRun: Sendable {
  /// Keeps the bytes alive.
  private let owner: any Sendable
  private let start: UInt
  private let count: Int
  private let pages: PageChecks
  private let directory: UInt
  private let filters = Guarded([SubjectFilter?](repeating: nil, count: IndexFormat.partitionCount))
  /// The largest number of events of one subject in each partition that was found to be sound; -1 for the others.
  private let soundPartitions = Guarded([Int](repeating: -1, count: IndexFormat.partitionCount))
  /// The number of events.
  let eventCount: Int
  /// The number of bytes of one type code: 1, 2 or 4.
  let typeWidth: Int
  /// The CRC-32 of the directory.
  let checksum: UInt32
  /// The event types by code, each encoded as an ``EventTypeText``.
  let types: [[UInt8]]

  /// Opens a run in a file. Returns nil if the file is damaged or not a run.
  convenience init?(_ file: MappedFile) { self.init(file.bytes, owner: file, isTrusted: false) }

  /// Opens a run that was just written to memory.
  convenience init?(_ target: MemoryTarget) {
    let memory = OwnedRun(target)
    self.init(memory.bytes, owner: memory, isTrusted: true)
  }

  /// All bytes of the run.
  var bytes: UnsafeRawBufferPointer {
    (owner as? OwnedRun)?.bytes ?? (owner as? MappedFile)?.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// Releases the memory that reading has filled; pages read again come from the system's file cache. A long ingest reads all of its runs.
  func releasePages() { (owner as? MappedFile)?.releasePages() }

  private init?(_ bytes: UnsafeRawBufferPointer, owner: any Sendable, isTrusted: Bool) {
    guard let base = bytes.baseAddress, let trailer = RunTrailer(bytes) else { return nil }
    let directory = UnsafeRawBufferPointer(
      rebasing: bytes[trailer.directory.offset..<trailer.directory.offset + trailer.directory.count])
    guard isTrusted || Checksum.crc32(directory) == trailer.checksum else { return nil }
    let pageCount = (trailer.directory.offset + IndexFormat.pageBytes - 1) / IndexFormat.pageBytes
    let fixed = Self.fixedDirectoryBytes
    guard directory.count == fixed + pageCount * 4 else { return nil }
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

  private static var fixedDirectoryBytes: Int {
    IndexFormat.partitionCount * IndexFormat.partitionEntryBytes + IndexFormat.Dictionary.allCases.count
      * IndexFormat.Place.bytes
  }

  /// Returns the number of subjects of a partition.
  func subjectCount(ofPartition partition: Int) -> Int { Int(word(partition * IndexFormat.partitionEntryBytes)) }

  /// Returns the number of events of a partition.
  func eventCount(ofPartition partition: Int) -> Int { Int(word(partition * IndexFormat.partitionEntryBytes + 4)) }

  /// Returns the largest number of events of one subject in a partition, or nil if the partition was not found to be sound yet.
  func eventsMax(ofPartition partition: Int) -> Int? {
    let known = soundPartitions.withLock { $0[partition] }
    return known < 0 ? nil : known
  }

  /// Notes that the subjects, types and times of a partition are sound.
  func setEventsMax(_ eventsMax: Int, ofPartition partition: Int) { soundPartitions.withLock { $0[partition] = eventsMax } }

  /// Returns a section of a partition after its checksums have been checked.
  func section(_ section: IndexFormat.Section, ofPartition partition: Int) throws(FunnelError) -> UnsafeRawBufferPointer {
    let bytes = try uncheckedSection(section, ofPartition: partition)
    try check(bytes)
    return bytes
  }

  /// Returns a section of which only pieces are used; each piece must first be checked by ``check(_:)``.
  func uncheckedSection(
    _ section: IndexFormat.Section, ofPartition partition: Int
  ) throws(FunnelError) -> UnsafeRawBufferPointer {
    let place = partition * IndexFormat.partitionEntryBytes + 8 + section.rawValue * IndexFormat.Place.bytes
    return try bytes(at: place)
  }

  /// Returns a filter for the subjects of a partition, or nil if building it would cost more than searching for this number of events.
  func subjectFilter(ofPartition partition: Int, askedFor events: Int) throws(FunnelError) -> SubjectFilter? {
    if let filter = filters.withLock({ $0[partition] }) { return filter }
    let subjects = subjectCount(ofPartition: partition)
    guard subjects <= events * SubjectFilter.subjectsForEvent else { return nil }
    let keys = try section(.keys, ofPartition: partition)
    guard keys.count == subjects * 16 else { throw IndexDamage.error }
    let filter = SubjectFilter(keys)
    filters.withLock { $0[partition] = filter }
    return filter
  }

  /// Checks the pages that contain bytes of this run.
  func check(_ bytes: UnsafeRawBufferPointer) throws(FunnelError) {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
    guard pages.check(Int(UInt(bitPattern: base) - start), bytes.count) else { throw IndexDamage.error }
  }

  /// Returns whether bytes are some of this run's.
  func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let place = UInt(bitPattern: bytes.baseAddress)
    return place >= start && place &+ UInt(bytes.count) <= start &+ UInt(count)
  }

  /// Returns the contents of `ctx`.
  func contextDictionary() throws(FunnelError) -> DimensionDictionary { try dictionary(.context) }

  /// Returns the contents of `props`.
  func propsDictionary() throws(FunnelError) -> DimensionDictionary { try dictionary(.props) }

  /// Returns all dictionaries.
  func dictionaries() throws(FunnelError) -> IndexDictionaries {
    IndexDictionaries(types: types, context: try contextDictionary(), props: try propsDictionary())
  }

  private func dictionary(_ dictionary: IndexFormat.Dictionary) throws(FunnelError) -> DimensionDictionary {
    let place = IndexFormat.partitionCount * IndexFormat.partitionEntryBytes + dictionary.rawValue * IndexFormat.Place.bytes
    let bytes = try bytes(at: place)
    try check(bytes)
    guard let dictionary = DimensionDictionary(bytes) else { throw IndexDamage.error }
    return dictionary
  }

  private func word(_ offset: Int) -> UInt32 {
    UnsafeRawPointer(bitPattern: directory)!.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
  }

  private func bytes(at entry: Int) throws(FunnelError) -> UnsafeRawBufferPointer {
    let place = Self.place(
      in: UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: directory), count: Self.fixedDirectoryBytes), at: entry)
    guard place.isInside(count) else { throw IndexDamage.error }
    return UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: start + UInt(place.offset)), count: place.count)
  }

  private static func place(in directory: UnsafeRawBufferPointer, at offset: Int) -> IndexFormat.Place {
    IndexFormat.Place(
      offset: Int(truncatingIfNeeded: directory.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
      count: Int(truncatingIfNeeded: directory.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)))
  }

  private static func checked(
    _ place: IndexFormat.Place, of bytes: UnsafeRawBufferPointer, within end: Int, pages: PageChecks
  ) -> UnsafeRawBufferPointer? {
    guard place.isInside(end), pages.check(place.offset, place.count) else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes[place.offset..<place.offset + place.count])
  }
}

extension IndexFormat.Place {
  /// Returns whether the place is within the first `end` bytes and aligned like a section.
  fileprivate func isInside(_ end: Int) -> Bool {
    offset >= 0 && count >= 0 && offset % 8 == 0 && offset <= end && count <= end - offset
  }
}

/// The decoded trailer of a run.
private struct RunTrailer {
  let typeWidth: Int
  let directory: IndexFormat.Place
  let eventCount: Int
  let checksum: UInt32

  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= IndexFormat.trailerBytes else { return nil }
    let end = bytes.count - IndexFormat.trailerBytes
    let trailer = UnsafeRawBufferPointer(rebasing: bytes[end...])
    func word(_ offset: Int) -> UInt32 { trailer.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    func long(_ offset: Int) -> Int { Int(truncatingIfNeeded: trailer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
    guard long(0) == Int(IndexFormat.magic), word(8) == IndexFormat.version,
      Checksum.crc32(UnsafeRawBufferPointer(rebasing: trailer[..<(IndexFormat.trailerBytes - 4)]))
        == word(IndexFormat.trailerBytes - 4)
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

/// Owns a run in memory.
private final class OwnedRun: Sendable {
  private let memory: GrowingBytes

  init(_ target: MemoryTarget) {
    memory = target.take()
  }

  var bytes: UnsafeRawBufferPointer { memory.bytes }
}

/// Checks each page of a run when it is first used.
private final class PageChecks: Sendable {
  private let start: UInt
  private let count: Int
  private let checksums: UInt
  private let isTrusted: Bool
  /// The pages whose checksums have matched. Two threads may check a page at the same time; both get the same result.
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
      let expected = UnsafeRawPointer(bitPattern: checksums)!.loadUnaligned(fromByteOffset: page * 4, as: UInt32.self)
      guard Checksum.crc32(content) == expected else { return false }
      checked.set(page)
    }
    return true
  }
}

/// The error for an index that is not as it was written. The log contains all of its events.
enum IndexDamage {
  static let error = FunnelError(
    .inputOutput, "the store's index is damaged, remove its folder index and run the command again")
}
