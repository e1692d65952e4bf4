package import FunnelModel

/// The inflated contents of one entry of a zip.
package final class ZipEntryStream: ByteStream {
  /// The archive, or `nil` once the stream is closed.
  private var archive: ArchiveHandle?
  /// Whether the last block was read.
  private var isComplete = false
  private let source: ZipSource
  private let meter: InflationMeter
  private let countsCompressed: Bool
  private let isLastIfBroken: Bool
  /// libarchive's warning about the entry's header, or `nil` if the header is valid.
  private let warning: String?

  /// The problem with the entry, as a clause, or `nil` if it is intact. Complete once ``read(into:)`` has appended nothing.
  package private(set) var damage: String?
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

  package func read(into output: inout OutputSpan<UInt8>) throws(FunnelError) {
    precondition(!output.isFull, "a read has room for a byte")
    guard let archive else { return }
    while archive.isBlockEmpty {
      guard damage == nil, !isComplete else { return }
      let (status, byteCount) = archive.readBlock()
      if let error = source.error { throw error }
      recordDamage(status, archive)
      meter.inflatedBytes += byteCount
      if countsCompressed { meter.compressedBytes = max(meter.compressedBytes, archive.offset) }
      if meter.isExcessive {
        damage = "the zip inflates to more than \(Limits.inflateRatioMax) times its size"
        archive.dropBlock()
      }
      if status == .end { isComplete = true }
    }
    archive.takeBlock(into: &output)
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

  /// Closes the stream, so that further reads append nothing. Called before the archive moves to another entry.
  func close() {
    archive?.dropBlock()
    archive = nil
  }
}
