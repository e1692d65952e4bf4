public import FunnelModel

/// The inflated bytes of one entry of a zip.
public final class ZipEntryStream: ByteStream {
  private var archive: ArchiveHandle?
  private let source: ZipSource
  private let meter: InflationMeter
  /// Whether the zip is read from the disk, and no entry of another.
  private let countsCompressed: Bool
  private let isLastIfBroken: Bool
  /// What is wrong with the entry's header.
  private let warning: String?
  /// The bytes of the last block that have not been read; libarchive's, until the next call.
  private var rest = UnsafeRawBufferPointer(start: nil, count: 0)

  /// Why the entry could not be read to its end, or is not what the zip says of it; known once ``read(into:)`` has returned 0.
  public private(set) var damage: String?
  /// Whether libarchive can't read on behind this entry.
  private(set) var isArchiveBroken = false

  /// Creates the stream of the entry whose header was read last.
  ///
  /// - Parameter isLastIfBroken: Whether no entry can be found behind this one if it is broken.
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
    while rest.isEmpty {
      guard damage == nil, let archive else { return 0 }
      let (status, bytes) = archive.readData()
      if let error = source.error { throw error }
      rest = bytes
      note(status, archive)
      meter.inflatedBytes += bytes.count
      if countsCompressed { meter.compressedBytes = max(meter.compressedBytes, archive.offset) }
      if meter.isExcessive {
        damage = "the zip inflates to more than \(Limits.inflateRatioMax) times its size"
        rest = UnsafeRawBufferPointer(start: nil, count: 0)
      }
      if status == .end { self.archive = nil }
    }
    let count = min(buffer.count, rest.count)
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    return count
  }

  private func note(_ status: ArchiveHandle.DataStatus, _ archive: ArchiveHandle) {
    switch status {
    case .ok: break
    case .end: damage = warning.map { "the entry's headers contradict each other (\($0))" }
    case .mismatch: damage = "the entry does not match the zip's directory (\(archive.message))"
    case .failed: damage = "the entry can't be unpacked (\(archive.message))"
    case .fatal:
      let rest = isLastIfBroken ? ", and no later entry can be found" : ""
      damage = "the entry can't be unpacked to its end\(rest) (\(archive.message))"
      isArchiveBroken = true
    }
  }

  /// Ends the reading: the zip is at another entry.
  func close() {
    archive = nil
    rest = UnsafeRawBufferPointer(start: nil, count: 0)
  }
}
