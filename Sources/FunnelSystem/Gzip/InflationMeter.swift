import FunnelModel

/// Counts what the parts of one file inflate to, at all levels, against the bytes that were read of it from the disk.
///
/// A gzip file in a zip in a zip could otherwise inflate by the allowed ratio three times over.
public final class InflationMeter {
  /// The number of bytes of the file that were read.
  public internal(set) var compressedBytes = 0
  /// The number of bytes they were inflated to.
  public internal(set) var inflatedBytes = 0

  public init() {}

  /// Whether the file inflates to more than any log would.
  var isExcessive: Bool { Self.isExcessive(inflatedBytes: inflatedBytes, compressedBytes: compressedBytes) }

  static func isExcessive(inflatedBytes: Int, compressedBytes: Int) -> Bool {
    inflatedBytes > Limits.inflateBytesFree && inflatedBytes / Limits.inflateRatioMax > compressedBytes
  }
}
