import FunnelModel

/// The total compression ratio of a file and all archives nested in it, as a protection against decompression
/// bombs. Not thread-safe.
///
/// Without a shared meter, a gzip file in a zip in a zip could exceed the allowed ratio three times over.
public final class InflationMeter {
  /// The number of bytes of the file on the disk that were read.
  public internal(set) var compressedBytes = 0
  /// The number of inflated bytes, added up over all levels of nesting.
  public internal(set) var inflatedBytes = 0

  public init() {}

  /// Whether the file inflates by more than ``Limits/inflateRatioMax``, and to more than ``Limits/inflateBytesFree``.
  var isExcessive: Bool { Self.isExcessive(inflatedBytes: inflatedBytes, compressedBytes: compressedBytes) }

  /// Returns whether a number of inflated bytes exceeds the limits.
  static func isExcessive(inflatedBytes: Int, compressedBytes: Int) -> Bool {
    inflatedBytes > Limits.inflateBytesFree && inflatedBytes / Limits.inflateRatioMax > compressedBytes
  }
}
