internal import FunnelModel
internal import FunnelSystem

/// A destination for the bytes of a sorted run: a new file, or memory.
protocol RunTarget: AnyObject {
  /// Appends bytes.
  func append(_ bytes: UnsafeRawBufferPointer) throws(FunnelError)
}

/// A writer for a sorted run: partitions in order, then the dictionaries, the directory and the trailer
/// (``IndexFormat``).
struct RunImage<Target: RunTarget>: ~Copyable {
  private let target: Target
  /// The number of bytes of partitions and dictionaries written.
  private var offset = 0
  private var pages = PageChecksums()
  /// The directory so far.
  private var directory = GrowingBytes(capacity: IndexFormat.partitionCount * IndexFormat.partitionEntryBytes)
  private var eventCount = 0
  private let dictionaries: IndexDictionaries

  /// Starts a run.
  init(to target: Target, dictionaries: IndexDictionaries) {
    self.target = target
    self.dictionaries = dictionaries
  }

  /// Appends the next partition.
  mutating func append(_ partition: EncodedPartition) throws(FunnelError) {
    directory.append(number: UInt32(partition.subjects))
    directory.append(number: UInt32(partition.events))
    var start = offset
    for length in partition.lengths {
      append(IndexFormat.Place(offset: start, count: length))
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
      var bytes = GrowingBytes(capacity: 4096)
      switch dictionary {
      case .types: dictionaries.appendTypes(to: &bytes)
      case .context: dictionaries.context.append(to: &bytes)
      case .props: dictionaries.props.append(to: &bytes)
      }
      append(IndexFormat.Place(offset: offset, count: bytes.count))
      bytes.pad(to: IndexFormat.alignment)
      try append(bytes)
    }
    pages.finish()
    directory.append(numbers: pages.checksums.elements)
    let checksum = Checksum.crc32(directory.bytes)
    try write(directory)
    try write(trailer(checksum))
    return checksum
  }

  /// Returns the trailer.
  ///
  /// - Parameter checksum: The CRC-32 of the directory.
  private func trailer(_ checksum: UInt32) -> GrowingBytes {
    var trailer = GrowingBytes(capacity: IndexFormat.trailerBytes)
    trailer.append(number: IndexFormat.magic)
    trailer.append(number: IndexFormat.version)
    trailer.append(number: UInt32(IndexFormat.width(forCodes: dictionaries.types.count)))
    trailer.append(number: UInt64(offset))
    trailer.append(number: UInt64(directory.count))
    trailer.append(number: UInt64(eventCount))
    trailer.append(number: checksum)
    while trailer.count < IndexFormat.trailerBytes - MemoryLayout<UInt32>.size { trailer.append(0) }
    trailer.append(number: Checksum.crc32(trailer.bytes))
    return trailer
  }

  /// Appends the byte range of a section to the directory.
  private mutating func append(_ section: IndexFormat.Place) {
    directory.append(number: UInt64(section.offset))
    directory.append(number: UInt64(section.count))
  }

  /// Writes bytes of a partition or a dictionary.
  private mutating func append(_ bytes: borrowing GrowingBytes) throws(FunnelError) {
    pages.append(bytes.bytes)
    offset += bytes.count
    try write(bytes)
  }

  // The bytes are borrowed, which keeps them alive until they are written.
  private func write(_ bytes: borrowing GrowingBytes) throws(FunnelError) { try target.append(bytes.bytes) }
}

/// The CRC-32 of each page of a sequence of bytes that is appended in pieces.
private struct PageChecksums: ~Copyable {
  private(set) var checksums = GrowingStorage<UInt32>()
  /// The bytes of the current page.
  private var remainder = GrowingBytes(capacity: IndexFormat.pageBytes)

  init() {}

  /// Appends bytes.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    var consumed = 0
    if remainder.count > 0 {
      consumed = min(IndexFormat.pageBytes - remainder.count, bytes.count)
      remainder.append(raw: UnsafeRawBufferPointer(rebasing: bytes[..<consumed]))
      if remainder.count == IndexFormat.pageBytes { finish() }
    }
    while bytes.count - consumed >= IndexFormat.pageBytes {
      checksums.append(Checksum.crc32(UnsafeRawBufferPointer(rebasing: bytes[consumed..<consumed + IndexFormat.pageBytes])))
      consumed += IndexFormat.pageBytes
    }
    remainder.append(raw: UnsafeRawBufferPointer(rebasing: bytes[consumed...]))
  }

  /// Finishes the current page, if it has any bytes.
  mutating func finish() {
    guard remainder.count > 0 else { return }
    checksums.append(Checksum.crc32(remainder.bytes))
    remainder.removeAll()
  }
}

/// A target that keeps a sorted run in memory.
final class MemoryTarget: RunTarget {
  private var bytes: GrowingBytes

  init(capacity: Int = 1 << 16) {
    bytes = GrowingBytes(capacity: capacity)
  }

  func append(_ more: UnsafeRawBufferPointer) { bytes.append(raw: more) }

  /// Returns the bytes and leaves the target empty.
  func take() -> GrowingBytes {
    var taken = GrowingBytes(capacity: 1)
    swap(&taken, &bytes)
    return taken
  }
}

/// A target that writes a sorted run to a file, in pieces of bounded size.
final class FileTarget: RunTarget {
  private let file: File
  private let fileSystem: any FileSystem
  private var buffer = GrowingBytes(capacity: pieceBytes + pieceBytes / 4)
  /// The number of bytes written to the file.
  private var written = 0

  // Linux keeps bytes of one write in one unit of its page cache, up to megabytes, and maps the whole unit if a
  // program reads one byte of it. With pieces as large as a partition, a search would map the whole index.
  private static let pieceBytes = 128 << 10

  /// Creates a target that writes from the beginning of `file`. The caller must call ``flush()`` at the end.
  init(_ file: File, _ fileSystem: any FileSystem) {
    self.file = file
    self.fileSystem = fileSystem
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(FunnelError) {
    if bytes.count >= Self.pieceBytes {
      try flush()
      try write(bytes)
    } else {
      buffer.append(raw: bytes)
      if buffer.count >= Self.pieceBytes { try flush() }
    }
  }

  /// Writes the buffered bytes.
  func flush() throws(FunnelError) {
    try write(buffer.bytes)
    buffer.removeAll()
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws(FunnelError) {
    var remainder = bytes[...]
    while !remainder.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: remainder.prefix(Self.pieceBytes))
      try fileSystem.write(piece, to: file, at: written)
      written += piece.count
      remainder = remainder.dropFirst(piece.count)
    }
  }

  /// The number of bytes appended.
  var count: Int { written + buffer.count }
}
