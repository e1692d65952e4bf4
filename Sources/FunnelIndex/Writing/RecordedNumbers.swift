/// The numbers that a recorded event has for measured properties, in the order of the keys. They precede the event's id in the texts of its
/// block, each as 8 bytes and then 1 for a double, 0 for an integer.
struct RecordedNumbers {
  private static let numberBytes = 9

  private let start: UnsafeRawPointer
  private let count: Int

  /// The numbers before an id.
  @inline(__always)
  init(beforeID id: UnsafeRawPointer, count: Int) {
    start = id - count &* Self.numberBytes
    self.count = count
  }

  @inline(__always)
  subscript(index: Int) -> MeasuredNumber {
    precondition(index < count, "an event has a number for each measured property of its content")
    let place = start + index &* Self.numberBytes
    return MeasuredNumber(
      bits: place.loadUnaligned(as: UInt64.self), isDouble: place.load(fromByteOffset: 8, as: UInt8.self) != 0)
  }

  /// Copies the only number before an id to the place before a copy of the id.
  @inline(__always)
  static func copyOne(beforeID id: UnsafeRawPointer, to copy: UnsafeMutableRawPointer) {
    let (source, target) = (id - numberBytes, copy - numberBytes)
    target.storeBytes(of: source.loadUnaligned(as: UInt64.self), as: UInt64.self)
    target.storeBytes(of: source.load(fromByteOffset: 8, as: UInt8.self), toByteOffset: 8, as: UInt8.self)
  }

  /// Appends a number.
  @inline(__always)
  static func append(_ number: MeasuredNumber, to bytes: inout GrowingBytes) {
    bytes.append(number: number.bits)
    bytes.append(number.isDouble ? 1 : 0)
  }
}
