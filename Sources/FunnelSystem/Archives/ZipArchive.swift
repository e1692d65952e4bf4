import CArchive
package import FunnelModel

/// Reads the files in a zip archive one after another, in bounded memory and without writing to the disk.
///
///     while let item = try archive.next() {
///       switch item {
///       case .entry(let entry): try read(entry.stream)
///       case .damage(let damage): report(damage)
///       }
///     }
///
/// A zip file is read by its directory, in the order of the entries' offsets. A stream, and a file without a
/// directory because it was cut off, is read from the front. Damage is reported, and the entries after it are read
/// if they can still be found.
///
/// **Untrusted input.** Only entries that are stored or deflated are read, because the memory that other methods
/// need is chosen by the author of the zip. All entries together may inflate by at most ``Limits/inflateRatioMax``.
/// Entries must not overlap, as those of a zip bomb do.
package final class ZipArchive {
  /// A regular file of the zip.
  package struct Entry {
    /// The path in the zip. It is untrusted and may contain any characters, `..` and control characters included.
    package let name: String
    /// The inflated contents, which can be read until the next call of ``ZipArchive/next()``.
    package let stream: ZipEntryStream
  }

  /// A problem with one entry or with the zip as a whole.
  package struct Damage: Error, Hashable, Sendable {
    /// The name of the damaged entry, or `nil` if the zip as a whole is damaged.
    package var name: String?
    /// The problem, as a clause: "the entry is encrypted".
    package var reason: String
  }

  /// A result of ``next()``.
  package enum Item {
    case entry(Entry)
    case damage(Damage)
  }

  private let source: ZipSource
  private let meter: InflationMeter
  /// Whether the zip is itself an entry of a zip.
  private let isEntry: Bool
  private var archive: ArchiveHandle?
  /// The stream of the entry that ``next()`` returned last.
  private var current: ZipEntryStream?
  private var hasDirectory: Bool
  private var isFinished = false
  /// The offset at which the last entry ends. The initial value lets the first entry begin at offset 0.
  private var end = -headerBytesMin
  /// The length of an entry's local header without its name, which is the minimum distance between the data of two entries.
  private static let headerBytesMin = 30
  /// The number of entries that libarchive has found, folders included.
  private var entryCount = 0
  /// The number of times the zip was opened again after damage.
  private var reopeningCount = 0

  /// The signature of an entry's local header.
  private static let entrySignature: [UInt8] = [0x50, 0x4B, 3, 4]
  /// The marker at the beginning of a split zip.
  private static let splitSignature: [UInt8] = [0x50, 0x4B, 7, 8]
  /// The signature of the record at the end of a zip. An empty zip consists of that record only.
  static let endSignature: [UInt8] = [0x50, 0x4B, 5, 6]

  /// Returns whether a file that begins with these bytes is a zip.
  package static func isZip(_ bytes: some Collection<UInt8>) -> Bool {
    [entrySignature, splitSignature, endSignature].contains { bytes.starts(with: $0) }
  }

  /// Creates a reader of a regular file.
  ///
  /// - Parameter meter: The meter to which the inflated bytes are added. It is shared with the readers of nested files.
  package convenience init(_ file: File, fileSystem: any FileSystem = LocalFileSystem(), meter: InflationMeter) {
    self.init(ZipSource(file, fileSystem), meter, isEntry: false)
  }

  /// Creates a reader of a stream.
  ///
  /// - Parameters:
  ///   - isEntry: Whether the stream is an entry of another zip, whose reader adds the compressed bytes to the meter.
  ///   - meter: The meter to which the inflated bytes are added.
  package convenience init(_ stream: any ByteStream, isEntry: Bool, meter: InflationMeter) {
    self.init(ZipSource(stream), meter, isEntry: isEntry)
  }

  private init(_ source: ZipSource, _ meter: InflationMeter, isEntry: Bool) {
    self.isEntry = isEntry
    self.source = source
    self.meter = meter
    hasDirectory = source.isSeekable
  }

  /// Returns whether a file ends in the record that locates a zip's directory. A zip without it was cut off.
  package static func hasEnd(_ file: File, fileSystem: any FileSystem = LocalFileSystem()) throws(FunnelError) -> Bool {
    try ZipSource(file, fileSystem).hasEndRecord()
  }

  /// The number of bytes of the file or the stream that have been read, as a measure of progress.
  package var position: Int { source.position }

  /// Returns the next entry or damage, or `nil` at the end.
  ///
  /// - Throws: `inputOutput` if the disk fails.
  package func next() throws(FunnelError) -> Item? {
    while !isFinished {
      // The stream that exceeded the limit has reported it as its damage.
      guard !meter.isExcessive else { break }
      if let damage = try finishCurrent() {
        isFinished = true
        return .damage(damage)
      }
      if isFinished { break }
      if archive == nil { archive = try open() }
      guard let archive else {
        isFinished = true
        return damage("the zip can't be read: it has neither a directory nor an entry")
      }
      if let item = try readHeader(archive) { return item }
    }
    isFinished = true
    return nil
  }

  /// Opens the zip by its directory, or from the front if it has none. Returns `nil` if both fail.
  private func open() throws(FunnelError) -> ArchiveHandle? {
    if hasDirectory {
      source.byteCountLeft = Limits.zipDirectoryBytesMax
      let opened = ArchiveHandle(source, usesDirectory: true)
      try throwError()
      if let opened { return opened }
      hasDirectory = false
    }
    source.byteCountLeft = nil
    let opened = ArchiveHandle(source, usesDirectory: false)
    try throwError()
    return opened
  }

  /// Closes the stream of the current entry, and skips the remainder of the entry.
  ///
  /// - Returns: The reason why later entries can't be read, or `nil` if they can or if the entry's stream has reported it.
  private func finishCurrent() throws(FunnelError) -> Damage? {
    guard let finished = current, let archive else { return nil }
    current = nil
    finished.close()
    guard finished.isArchiveBroken else {
      end = archive.skipData()
      return nil
    }
    end = archive.offset
    // libarchive can't continue after this damage.
    self.archive = nil
    guard hasDirectory else {
      isFinished = true
      return nil
    }
    return try reopen()
  }

  /// Opens a zip with a directory again, and skips the entries read so far.
  ///
  /// - Returns: The reason why later entries can't be read, or `nil` if they can.
  private func reopen() throws(FunnelError) -> Damage? {
    reopeningCount += 1
    guard reopeningCount <= Limits.zipReopeningsMax, let reopened = try open() else {
      return Damage(
        name: nil, reason: "more than \(Limits.zipReopeningsMax) entries are damaged, the entries after them are not read")
    }
    archive = reopened
    for _ in 0..<entryCount {
      _ = reopened.readHeader()
      source.byteCountLeft = nil
    }
    return nil
  }

  /// Reads the header of the next entry. Returns `nil` if it is not a regular file, or at the end of the zip.
  private func readHeader(_ archive: ArchiveHandle) throws(FunnelError) -> Item? {
    let failure = archive.readHeader()
    try throwError()
    source.byteCountLeft = nil
    entryCount += 1
    switch failure {
    case .end:
      isFinished = true
      if hasDirectory { return nil }
      return try source.hasEndRecord() ? nil : damage("the zip has no directory: its end is missing")
    case .fatal:
      isFinished = true
      guard !source.isOverLimit else {
        return damage("the zip's directory is longer than \(Limits.zipDirectoryBytesMax) bytes")
      }
      return damage("the zip can't be read any further (\(archive.message))")
    case .failed: return damage("an entry of the zip can't be read (\(archive.message))")
    case nil: break
    }
    guard entryCount <= Limits.inputFilesMax else {
      isFinished = true
      return damage("the zip has more than \(Limits.inputFilesMax) entries")
    }
    guard archive.isRegularFile else { return nil }
    let name = archive.name ?? "entry \(entryCount)"
    if let reason = rejection(of: name, in: archive) { return .damage(Damage(name: name.cut, reason: reason)) }
    let stream = ZipEntryStream(
      archive, source: source, meter: meter, countsCompressed: !isEntry, isLastIfBroken: !hasDirectory)
    current = stream
    return .entry(Entry(name: name, stream: stream))
  }

  /// Returns the reason why the current entry is rejected, or `nil` if it is accepted.
  private func rejection(of name: String, in archive: ArchiveHandle) -> String? {
    if name.utf8.count > Limits.entryNameBytesMax { return "the entry's name is longer than \(Limits.entryNameBytesMax) bytes" }
    if archive.offset < end + Self.headerBytesMin { return "the entry overlaps an earlier one" }
    if archive.isEncrypted { return "the entry is encrypted, unpack it with its password first" }
    if let method = archive.unknownMethod { return "the entry has an unsupported compression method: \(method)" }
    return nil
  }

  private func damage(_ reason: String) -> Item { .damage(Damage(name: nil, reason: reason)) }

  /// Throws the error of the source that made the last libarchive call fail, if there is one.
  private func throwError() throws(FunnelError) {
    if let error = source.error { throw error }
  }
}

extension String {
  /// The number of characters of a name that messages show.
  private static let messageCharactersMax = 100

  /// The beginning of a name, for messages.
  fileprivate var cut: String { String(prefix(Self.messageCharactersMax)) }
}
