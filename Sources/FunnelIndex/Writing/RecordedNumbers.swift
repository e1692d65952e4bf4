/// The numbers of a recorded event's measured properties, in the order of the keys.
///
/// They directly precede the event's ID in ``RecordedBlock/ids``. Each takes 9 bytes: its bits, then 1 for a
/// double or 0 for an integer.
struct RecordedNumbers {
  private static let flagOffset = 8
  private static let numberBytes = 9

  private let start: UnsafeRawPointer
  private let count: Int

  /// Creates a view of the `count` numbers before an ID.
  @inline(__always)
  init(beforeID id: UnsafeRawPointer, count: Int) {
    start = id - count &* Self.numberBytes
    self.count = count
  }

  /// Returns the number of a measured property.
  @inline(__always)
  subscript(index: Int) -> MeasuredNumber {
    precondition(index < count, "an event has a number for each measured property of its content")
    let number = start + index &* Self.numberBytes
    return MeasuredNumber(
      bits: number.loadUnaligned(as: UInt64.self), isDouble: number.load(fromByteOffset: Self.flagOffset, as: UInt8.self) != 0)
  }

  /// Copies the only number before an ID to the bytes before a copy of the ID.
  @inline(__always)
  static func copyOne(beforeID id: UnsafeRawPointer, to copy: UnsafeMutableRawPointer) {
    let source = id - numberBytes
    let target = copy - numberBytes
    target.storeBytes(of: source.loadUnaligned(as: UInt64.self), as: UInt64.self)
    target.storeBytes(of: source.load(fromByteOffset: flagOffset, as: UInt8.self), toByteOffset: flagOffset, as: UInt8.self)
  }

  /// Appends a number.
  @inline(__always)
  static func append(_ number: MeasuredNumber, to bytes: inout GrowingBytes) {
    bytes.append(number: number.bits)
    bytes.append(number.isDouble ? 1 : 0)
  }
}
