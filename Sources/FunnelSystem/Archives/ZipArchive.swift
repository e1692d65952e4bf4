import CArchive
public import FunnelModel

/// Reads the entries of a zip one after another with libarchive, in bounded memory; nothing is written to the disk.
///
/// ``next()`` is called until it returns nil; the stream of an entry can be read until the next call. In a file, the entries are those of
/// the zip's directory, in the order in which they lie. A stream, and a file without a directory because it was cut off, is read from the
/// front.
///
/// Damage costs the entry it is in, as far as the zip can still be read behind it. Only entries that are stored or deflated are read: the
/// memory that other methods need is up to whoever made the zip. The parts of all entries together may inflate by
/// ``Limits/inflateRatioMax``, and no two entries may share bytes, by which a small zip could hold any amount of text.
public final class ZipArchive {
  /// A regular file of the zip.
  public struct Entry {
    /// The path as the zip names it, which may contain anything.
    public let name: String
    public let stream: ZipEntryStream
  }

  /// Why an entry, or the rest of the zip, can't be read.
  public struct Damage: Error, Hashable, Sendable {
    /// The name of the entry; nil if it is not one entry that is damaged.
    public var name: String?
    /// A sentence.
    public var reason: String
  }

  /// What ``next()`` finds.
  public enum Item {
    case entry(Entry)
    case damage(Damage)
  }

  private let source: ZipSource
  private let meter: InflationMeter
  private let isEntry: Bool
  private var archive: ArchiveHandle?
  private var current: ZipEntryStream?
  private var hasDirectory: Bool
  private var isOver = false
  /// The offset at which the entries that were read end.
  private var end = -headerBytesMin
  /// The length of an entry's header in front of its data, without the name.
  private static let headerBytesMin = 30
  /// The number of entries that libarchive has found, folders included.
  private var entryCount = 0
  private var reopeningCount = 0

  /// Returns whether a file that begins with these bytes is a zip; the last one is empty.
  public static func isZip(_ bytes: some Collection<UInt8>) -> Bool {
    [[0x50, 0x4B, 3, 4], [0x50, 0x4B, 7, 8], endSignature].contains { bytes.starts(with: $0) }
  }

  /// The beginning of the record at the end of a zip.
  static let endSignature: [UInt8] = [0x50, 0x4B, 5, 6]

  /// Creates a reader of a regular file.
  ///
  /// - Parameter meter: Counts what the zip is inflated to, and what is inflated from that.
  public convenience init(_ file: File, fileSystem: any FileSystem = LocalFileSystem(), meter: InflationMeter) {
    self.init(ZipSource(file, fileSystem), meter, isEntry: false)
  }

  /// Creates a reader of a stream.
  ///
  /// - Parameter isEntry: Whether the stream is an entry of another zip, whose meter counts what is read.
  public convenience init(_ stream: any ByteStream, isEntry: Bool, meter: InflationMeter) {
    self.init(ZipSource(stream), meter, isEntry: isEntry)
  }

  private init(_ source: ZipSource, _ meter: InflationMeter, isEntry: Bool) {
    self.isEntry = isEntry
    self.source = source
    self.meter = meter
    hasDirectory = source.isSeekable
  }

  /// Returns whether a zip file ends as a zip does, with the record that says where its directory is.
  public static func hasEnd(_ file: File, fileSystem: any FileSystem = LocalFileSystem()) throws(FunnelError) -> Bool {
    try ZipSource(file, fileSystem).hasEndRecord()
  }

  /// The offset in the file, or the number of bytes of the stream, up to which the zip has been read.
  public var position: Int { source.position }

  /// Returns the next entry or damage, or nil at the end.
  ///
  /// - Throws: `inputOutput` if the disk fails.
  public func next() throws(FunnelError) -> Item? {
    while !isOver {
      // What inflated too far has told so.
      guard !meter.isExcessive else { break }
      if let damage = try leaveCurrent() {
        isOver = true
        return .damage(damage)
      }
      if isOver { break }
      if archive == nil { archive = try open() }
      guard let archive else {
        isOver = true
        return damage("the zip can't be read: it has neither a directory nor an entry")
      }
      if let item = try readHeader(archive) { return item }
    }
    isOver = true
    return nil
  }

  /// Opens the zip by its directory, or from the front if it has none. Returns nil if it can be read in neither way.
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

  /// Leaves the current entry. After damage that libarchive can't read on from, the zip is opened again, and the entries that were found are
  /// passed over. Returns why the entries behind can't be read, or nil if they can, or if the damage of the entry says so.
  private func leaveCurrent() throws(FunnelError) -> Damage? {
    guard let left = current, let archive else { return nil }
    current = nil
    left.close()
    end = left.isArchiveBroken ? archive.offset : archive.skipData()
    guard left.isArchiveBroken else { return nil }
    self.archive = nil
    reopeningCount += 1
    guard hasDirectory else {
      isOver = true
      return nil
    }
    guard reopeningCount <= Limits.zipReopeningsMax, let reopened = try open() else {
      return Damage(
        name: nil, reason: "more than \(Limits.zipReopeningsMax) entries are damaged, the entries after them are not read")
    }
    self.archive = reopened
    for _ in 0..<entryCount {
      _ = reopened.readHeader()
      source.byteCountLeft = nil
    }
    return nil
  }

  /// Reads the header of the next entry. Returns nil if it is none to be read.
  private func readHeader(_ archive: ArchiveHandle) throws(FunnelError) -> Item? {
    let failure = archive.readHeader()
    try throwError()
    source.byteCountLeft = nil
    entryCount += 1
    switch failure {
    case .end:
      isOver = true
      if hasDirectory { return nil }
      return try source.hasEndRecord() ? nil : damage("the zip has no directory: its end is missing")
    case .fatal:
      isOver = true
      guard !source.isOverLimit else {
        return damage("the zip's directory is longer than \(Limits.zipDirectoryBytesMax) bytes")
      }
      return damage("the zip can't be read any further (\(archive.message))")
    case .failed: return damage("an entry of the zip can't be read (\(archive.message))")
    case nil: break
    }
    guard entryCount <= Limits.inputFilesMax else {
      isOver = true
      return damage("the zip has more than \(Limits.inputFilesMax) entries")
    }
    guard archive.isRegularFile else { return nil }
    let name = archive.name ?? "entry \(entryCount)"
    if let reason = refusal(of: name, in: archive) { return .damage(Damage(name: name.cut, reason: reason)) }
    let stream = ZipEntryStream(
      archive, source: source, meter: meter, countsCompressed: !isEntry, isLastIfBroken: !hasDirectory)
    current = stream
    return .entry(Entry(name: name, stream: stream))
  }

  /// Returns why an entry is not read, or nil if it is.
  private func refusal(of name: String, in archive: ArchiveHandle) -> String? {
    if name.utf8.count > Limits.entryNameBytesMax { return "the entry's name is longer than \(Limits.entryNameBytesMax) bytes" }
    if archive.offset < end + Self.headerBytesMin { return "the entry overlaps an earlier one" }
    if archive.isEncrypted { return "the entry is encrypted, unpack it with its password first" }
    if let method = archive.unknownMethod { return "the entry has an unsupported compression method: \(method)" }
    return nil
  }

  private func damage(_ reason: String) -> Item { .damage(Damage(name: nil, reason: reason)) }

  private func throwError() throws(FunnelError) {
    if let error = source.error { throw error }
  }
}

extension String {
  /// The beginning of the text, as much as messages show.
  fileprivate var cut: String { String(prefix(100)) }
}
