internal import FunnelDecoding
package import FunnelModel

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

/// The number of an event for one measured property (``IndexFormat``).
package struct Measurement: BitwiseCopyable, Sendable {
  /// The index of the property among the measured ones: for a report, in ``SequenceSource/measuredKeys``.
  package var measure: UInt32
  /// Whether the number is a double.
  package var isDouble: Bool
  /// Whether this is the last measurement of its event.
  package var isLast: Bool
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
  package var value: PropertyValue {
    isDouble ? .double(Double(bitPattern: bits)) : .integer(Int64(bitPattern: bits))
  }
}

/// The numbers of a recorded event's measured properties, in the order of the keys.
///
/// They directly precede the event's ID in ``RecordedBlock/ids``. Each takes 9 bytes: its bits, then 1 for a
/// double or 0 for an integer.
struct RecordedNumbers {
  private static let flagOffset = 8
  private static let numberBytes = 9

  private let bytes: BorrowedBytes
  private let start: Int
  private let count: Int

  /// Creates a view of the `count` numbers before an ID, which begins at the offset `idStart` of `bytes`.
  @inline(__always)
  init(_ bytes: BorrowedBytes, beforeID idStart: Int, count: Int) {
    assert(count >= 0 && idStart >= count &* Self.numberBytes, "the numbers of an event precede its ID")
    self.bytes = bytes
    start = idStart &- count &* Self.numberBytes
    self.count = count
  }

  /// Returns the number of a measured property.
  @inline(__always)
  subscript(index: Int) -> MeasuredNumber {
    precondition(index < count, "an event has a number for each measured property of its content")
    let offset = start &+ index &* Self.numberBytes
    return MeasuredNumber(
      bits: bytes.load(at: offset, as: UInt64.self), isDouble: bytes[offset &+ Self.flagOffset] != 0)
  }

  /// Copies the only number before an ID to the bytes before a copy of the ID, which begins at the offset `copyStart`.
  @inline(__always)
  func copyOne(to copies: borrowing UniqueBytes, beforeID copyStart: Int) {
    let number = self[0]
    copies.store(number.bits, at: copyStart &- Self.numberBytes)
    copies.store(UInt8(number.isDouble ? 1 : 0), at: copyStart &- Self.numberBytes &+ Self.flagOffset)
  }

  /// Appends a number.
  @inline(__always)
  static func append(_ number: MeasuredNumber, to bytes: inout UniqueBytes) {
    bytes.append(number: number.bits)
    bytes.append(number.isDouble ? 1 : 0)
  }
}
