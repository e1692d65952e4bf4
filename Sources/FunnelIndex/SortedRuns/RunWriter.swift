internal import FunnelModel
internal import FunnelSystem

/// A writer for a sorted run: partitions in order, then the dictionaries, the directory and the trailer
/// (``IndexFormat``).
struct RunWriter<Target: RunTarget>: ~Copyable {
  private let target: Target
  /// The number of bytes of partitions and dictionaries written.
  private var offset = 0
  private var pages = PageChecksums()
  /// The directory so far.
  private var directory = UniqueBytes(capacity: IndexFormat.partitionCount * IndexFormat.partitionEntryBytes)
  private var eventCount = 0
  private let dictionaries: IndexDictionaries

  /// Starts a run.
  init(to target: Target, dictionaries: IndexDictionaries) {
    self.target = target
    self.dictionaries = dictionaries
  }

  /// Appends the next partition.
  mutating func append(_ partition: EncodedPartition) throws(FunnelError) {
    precondition(partition.lengths.count == IndexFormat.Section.allCases.count, "a partition has all sections")
    assert(offset % IndexFormat.alignment == 0, "a section is aligned")
    directory.append(number: UInt32(partition.subjects))
    directory.append(number: UInt32(partition.events))
    var start = offset
    for length in partition.lengths {
      append(IndexFormat.ByteRange(offset: start, count: length))
      start += IndexFormat.aligned(length)
    }
    eventCount += partition.events
    try append(partition.bytes)
  }

  /// Writes the dictionaries, the directory and the trailer.
  ///
  /// - Returns: The directory's checksum, which identifies the whole run.
  mutating func finish() throws(FunnelError) -> UInt32 {
    for dictionary in IndexFormat.Dictionary.allCases {
      var bytes = UniqueBytes(capacity: 4096)
      switch dictionary {
      case .types: dictionaries.appendTypes(to: &bytes)
      case .context: dictionaries.context.append(to: &bytes)
      case .props: dictionaries.props.append(to: &bytes)
      }
      append(IndexFormat.ByteRange(offset: offset, count: bytes.count))
      bytes.pad(to: IndexFormat.alignment)
      try append(bytes)
    }
    pages.finish()
    directory.append(numbers: pages.checksums.elements)
    let checksum = directory.bytes.crc32
    try write(directory)
    try write(trailer(checksum))
    return checksum
  }

  /// Returns the trailer.
  ///
  /// - Parameter checksum: The CRC-32 of the directory.
  private func trailer(_ checksum: UInt32) -> UniqueBytes {
    var trailer = UniqueBytes(capacity: IndexFormat.trailerBytes)
    trailer.append(number: IndexFormat.magic)
    trailer.append(number: IndexFormat.version)
    trailer.append(number: UInt32(NumberWidth(forCodes: dictionaries.types.count).rawValue))
    trailer.append(number: UInt64(offset))
    trailer.append(number: UInt64(directory.count))
    trailer.append(number: UInt64(eventCount))
    trailer.append(number: checksum)
    while trailer.count < IndexFormat.trailerBytes - MemoryLayout<UInt32>.size { trailer.append(0) }
    trailer.append(number: trailer.bytes.crc32)
    assert(trailer.count == IndexFormat.trailerBytes, "a trailer has a fixed length")
    return trailer
  }

  /// Appends the byte range of a section to the directory.
  private mutating func append(_ section: IndexFormat.ByteRange) {
    directory.append(number: UInt64(section.offset))
    directory.append(number: UInt64(section.count))
  }

  /// Writes bytes of a partition or a dictionary.
  private mutating func append(_ bytes: borrowing UniqueBytes) throws(FunnelError) {
    pages.append(bytes.bytes)
    offset += bytes.count
    try write(bytes)
  }

  // The bytes are borrowed, which keeps them alive until they are written.
  private func write(_ bytes: borrowing UniqueBytes) throws(FunnelError) { try target.append(bytes.bytes) }
}

/// The CRC-32 of each page of a sequence of bytes that is appended in pieces.
private struct PageChecksums: ~Copyable {
  private(set) var checksums = UniqueArray<UInt32>()
  /// The bytes of the current page.
  private var remainder = UniqueBytes(capacity: IndexFormat.pageBytes)

  init() {}

  /// Appends bytes.
  mutating func append(_ bytes: BorrowedBytes) {
    var consumed = 0
    if remainder.count > 0 {
      consumed = min(IndexFormat.pageBytes - remainder.count, bytes.count)
      remainder.append(bytes[0..<consumed])
      if remainder.count == IndexFormat.pageBytes { finish() }
    }
    while bytes.count - consumed >= IndexFormat.pageBytes {
      checksums.append(bytes[consumed..<consumed + IndexFormat.pageBytes].crc32)
      consumed += IndexFormat.pageBytes
    }
    remainder.append(bytes.dropFirst(consumed))
  }

  /// Finishes the current page, if it has any bytes.
  mutating func finish() {
    guard remainder.count > 0 else { return }
    checksums.append(remainder.bytes.crc32)
    remainder.removeAll()
  }
}
