internal import FunnelModel
internal import FunnelSystem

/// The destination of a run's bytes: a new file, or memory.
protocol RunTarget: AnyObject {
  /// Appends bytes.
  func append(_ bytes: UnsafeRawBufferPointer) throws(FunnelError)
}

/// Assembles a run: partitions in order, then the dictionaries, the directory and the trailer (``IndexFormat``).
struct RunImage<Target: RunTarget>: ~Copyable {
  private let target: Target
  private var offset = 0
  private var pages = PageChecksums()
  private var partitions = GrowingBytes(capacity: IndexFormat.partitionCount * IndexFormat.partitionEntryBytes)
  private var eventCount = 0
  private let dictionaries: IndexDictionaries

  init(to target: Target, dictionaries: IndexDictionaries) {
    self.target = target
    self.dictionaries = dictionaries
  }

  /// Appends the next partition.
  mutating func append(_ partition: EncodedPartition) throws(FunnelError) {
    partitions.append(number: UInt32(partition.subjects))
    partitions.append(number: UInt32(partition.events))
    var start = offset
    for length in partition.lengths {
      append(IndexFormat.Place(offset: start, count: length))
      start += (length + 7) / 8 * 8
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
      bytes.pad(to: 8)
      try append(bytes)
    }
    pages.finish()
    partitions.append(numbers: pages.checksums.elements)
    let checksum = Checksum.crc32(partitions.bytes)
    try write(partitions)
    try write(trailer(checksum))
    return checksum
  }

  private func trailer(_ checksum: UInt32) -> GrowingBytes {
    var trailer = GrowingBytes(capacity: IndexFormat.trailerBytes)
    trailer.append(number: IndexFormat.magic)
    trailer.append(number: IndexFormat.version)
    trailer.append(number: UInt32(IndexFormat.width(forCodes: dictionaries.types.count)))
    trailer.append(number: UInt64(offset))
    trailer.append(number: UInt64(partitions.count))
    trailer.append(number: UInt64(eventCount))
    trailer.append(number: checksum)
    while trailer.count < IndexFormat.trailerBytes - 4 { trailer.append(0) }
    trailer.append(number: Checksum.crc32(trailer.bytes))
    return trailer
  }

  private mutating func append(_ place: IndexFormat.Place) {
    partitions.append(number: UInt64(place.offset))
    partitions.append(number: UInt64(place.count))
  }

  private mutating func append(_ bytes: borrowing GrowingBytes) throws(FunnelError) {
    pages.append(bytes.bytes)
    offset += bytes.count
    try write(bytes)
  }

  /// Writes bytes, which are borrowed so that they stay alive until they are written.
  private func write(_ bytes: borrowing GrowingBytes) throws(FunnelError) { try target.append(bytes.bytes) }
}

/// Computes the CRC-32 of each page of bytes that are appended in pieces.
private struct PageChecksums: ~Copyable {
  private(set) var checksums = GrowingStorage<UInt32>()
  private var rest = GrowingBytes(capacity: IndexFormat.pageBytes)

  init() {}

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    var place = 0
    if rest.count > 0 {
      place = min(IndexFormat.pageBytes - rest.count, bytes.count)
      rest.append(raw: UnsafeRawBufferPointer(rebasing: bytes[..<place]))
      if rest.count == IndexFormat.pageBytes { finish() }
    }
    while bytes.count - place >= IndexFormat.pageBytes {
      checksums.append(Checksum.crc32(UnsafeRawBufferPointer(rebasing: bytes[place..<place + IndexFormat.pageBytes])))
      place += IndexFormat.pageBytes
    }
    rest.append(raw: UnsafeRawBufferPointer(rebasing: bytes[place...]))
  }

  mutating func finish() {
    guard rest.count > 0 else { return }
    checksums.append(Checksum.crc32(rest.bytes))
    rest.removeAll()
  }
}

/// A run that is kept in memory only.
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

/// A run that is written to a file.
///
/// It is written in pieces of 128 KiB. Linux keeps bytes written at once in one unit of its cache, up to megabytes, and maps all of it into
/// a program that reads one byte of it. With pieces as large as a partition, a search would take as much memory as the whole index.
final class FileTarget: RunTarget {
  private let file: File
  private let fileSystem: any FileSystem
  private var buffer = GrowingBytes(capacity: pieceBytes + pieceBytes / 4)
  private var written = 0

  private static let pieceBytes = 1 << 17

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
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.pieceBytes))
      try fileSystem.write(piece, to: file, at: written)
      written += piece.count
      rest = rest.dropFirst(piece.count)
    }
  }

  /// The number of bytes appended.
  var count: Int { written + buffer.count }
}
