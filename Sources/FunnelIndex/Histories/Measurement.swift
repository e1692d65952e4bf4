public import FunnelModel

/// The number of an event for one measured property (``IndexFormat``).
public struct Measurement: BitwiseCopyable, Sendable {
  /// The index of the property among the measured ones: for a report, in ``SequenceSource/measuredKeys``.
  public var measure: UInt32
  /// Whether the number is a double.
  package var isDouble: Bool
  /// Whether this is the last measurement of its event.
  public var isLast: Bool
  /// The bits of the integer or of the double.
  package var bits: UInt64

  /// Creates the measurement of a property.
  @inline(__always)
  init(_ number: MeasuredNumber, of measure: UInt32, isLast: Bool) {
    self.measure = measure
    self.isLast = isLast
    bits = number.bits
    isDouble = number.isDouble
  }

  /// The number, with its exact bits.
  @inline(__always)
  var number: MeasuredNumber { MeasuredNumber(bits: bits, isDouble: isDouble) }

  /// The number as a property value.
  public var value: PropertyValue {
    isDouble ? .double(Double(bitPattern: bits)) : .integer(Int64(bitPattern: bits))
  }
}
