public import FunnelModel

/// The inflated contents of one entry of a zip.
public final class ZipEntryStream: ByteStream {
  /// The archive, or `nil` once the entry is complete or closed.
  private var archive: ArchiveHandle?
  private let source: ZipSource
  private let meter: InflationMeter
  private let countsCompressed: Bool
  private let isLastIfBroken: Bool
  /// libarchive's warning about the entry's header, or `nil` if the header is valid.
  private let warning: String?
  /// The unread bytes of the last block. libarchive owns them until the next block is read.
  private var unread = UnsafeRawBufferPointer(start: nil, count: 0)

  /// The problem with the entry, as a clause, or `nil` if it is intact. Complete once ``read(into:)`` has returned 0.
  public private(set) var damage: String?
  /// Whether libarchive can't read any entry after this one.
  private(set) var isArchiveBroken = false

  /// Creates the stream of the archive's current entry.
  ///
  /// - Parameters:
  ///   - source: The source of the archive, whose errors are thrown.
  ///   - meter: The meter to which the inflated bytes are added.
  ///   - countsCompressed: Whether the compressed bytes are added as well, as for a zip on the disk, but not for a
  ///     zip in a zip.
  ///   - isLastIfBroken: Whether no later entry can be found if this one is broken.
  init(
    _ archive: ArchiveHandle, source: ZipSource, meter: InflationMeter, countsCompressed: Bool, isLastIfBroken: Bool
  ) {
    self.archive = archive
    self.source = source
    self.meter = meter
    self.countsCompressed = countsCompressed
    self.isLastIfBroken = isLastIfBroken
    warning = archive.warning
  }

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int {
    while unread.isEmpty {
      guard damage == nil, let archive else { return 0 }
      let (status, bytes) = archive.readData()
      if let error = source.error { throw error }
      unread = bytes
      recordDamage(status, archive)
      meter.inflatedBytes += bytes.count
      if countsCompressed { meter.compressedBytes = max(meter.compressedBytes, archive.offset) }
      if meter.isExcessive {
        damage = "the zip inflates to more than \(Limits.inflateRatioMax) times its size"
        unread = UnsafeRawBufferPointer(start: nil, count: 0)
      }
      if status == .end { self.archive = nil }
    }
    let count = min(buffer.count, unread.count)
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: unread.prefix(count)))
    unread = UnsafeRawBufferPointer(rebasing: unread.dropFirst(count))
    return count
  }

  private func recordDamage(_ status: ArchiveHandle.DataStatus, _ archive: ArchiveHandle) {
    switch status {
    case .ok: break
    case .end: damage = warning.map { "the entry's headers contradict each other (\($0))" }
    case .mismatch: damage = "the entry does not match the zip's directory (\(archive.message))"
    case .failed: damage = "the entry can't be unpacked (\(archive.message))"
    case .fatal:
      let addition = isLastIfBroken ? ", and no later entry can be found" : ""
      damage = "the entry can't be unpacked to its end\(addition) (\(archive.message))"
      isArchiveBroken = true
    }
  }

  /// Closes the stream, so that further reads return 0. Called before the archive moves to another entry.
  func close() {
    archive = nil
    unread = UnsafeRawBufferPointer(start: nil, count: 0)
  }
}
