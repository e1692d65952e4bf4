public import FunnelModel

/// The number that an event has for one of the measured properties.
public struct Measurement: BitwiseCopyable, Sendable {
  /// The property, by its place among those measured: for a report, in ``SequenceSource/measuredKeys``.
  public var measure: UInt32
  /// Whether the number is a double.
  package var isDouble: Bool
  /// Whether no further measurement of the same event follows.
  public var isLast: Bool
  /// The bits of the integer or of the double.
  package var bits: UInt64

  @inline(__always)
  init(_ number: MeasuredNumber, of measure: UInt32, isLast: Bool) {
    self.measure = measure
    self.isLast = isLast
    (bits, isDouble) = (number.bits, number.isDouble)
  }

  @inline(__always)
  var number: MeasuredNumber { MeasuredNumber(bits: bits, isDouble: isDouble) }

  /// The number.
  public var value: PropertyValue {
    isDouble ? .double(Double(bitPattern: bits)) : .integer(Int64(bitPattern: bits))
  }
}
