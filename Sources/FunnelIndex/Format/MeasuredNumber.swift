internal import FunnelIngest

/// The number of an event for a measured property: an integer, or a double, exactly as logged.
struct MeasuredNumber: BitwiseCopyable, Sendable {
  /// The bits of the integer or of the double.
  var bits: UInt64
  var isDouble: Bool

  /// Returns nil if the value is not a number.
  @inline(__always)
  init?(_ value: Scalar) {
    switch value {
    case .integer(let integer): self.init(bits: UInt64(bitPattern: integer), isDouble: false)
    case .double(let double): self.init(bits: double.bitPattern, isDouble: true)
    case .string, .bool, .null: return nil
    }
  }

  @inline(__always)
  init(bits: UInt64, isDouble: Bool) {
    self.bits = bits
    self.isDouble = isDouble
  }
}
