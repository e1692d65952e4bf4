internal import FunnelIngest

/// A number as logged: the bits of a 64-bit integer or of a double.
struct MeasuredNumber: BitwiseCopyable, Sendable {
  /// The bits of the integer or of the double.
  var bits: UInt64
  var isDouble: Bool

  /// Creates a number from a value, or returns `nil` if the value is not a number.
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
