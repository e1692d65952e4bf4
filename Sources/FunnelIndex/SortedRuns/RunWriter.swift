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
    let trailer = RunTrailer(
      typeWidth: NumberWidth(forCodes: dictionaries.types.count),
      directory: IndexFormat.ByteRange(offset: offset, count: directory.count), eventCount: eventCount, checksum: checksum)
    try write(directory)
    try write(trailer.encoded)
    return checksum
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
