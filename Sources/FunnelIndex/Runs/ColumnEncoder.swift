/// An encoder for a column in which most subjects have the same value for all their events.
///
/// The encoding is: the width of a value in bytes (1, 2, 4 or 8), as 8 bytes; a bit for each subject, set if
/// the values of its events differ, padded to a multiple of 8 bytes; the values, one for a subject whose values
/// are equal, one for each event otherwise.
struct ColumnEncoder: ~Copyable {
  private var values = GrowingStorage<UInt64>(capacity: 1024)
  /// A bit for each finished subject, set if the values of its events differ.
  private var bits = GrowingStorage<UInt64>()
  /// The number of finished subjects.
  private var subjects = 0
  /// The index of the current subject's first value.
  private var start = 0
  /// The bitwise OR of all values of finished subjects, which determines the width.
  private var union: UInt64 = 0

  init() {}

  /// Appends the value of an event of the current subject.
  @inline(__always)
  mutating func append(_ value: UInt64) { values.append(value) }

  /// Finishes the current subject, which must have at least one event, and starts the next one.
  @inline(__always)
  mutating func endSubject() {
    assert(start < values.count, "a subject has at least one event")
    if subjects & 63 == 0 { bits.append(0) }
    let first = values[start]
    var differs: UInt64 = 0
    var valuesUnion: UInt64 = 0
    for index in start..<values.count {
      differs |= values[index] ^ first
      valuesUnion |= values[index]
    }
    union |= valuesUnion
    if differs == 0 {
      values.truncate(to: start &+ 1)
    } else {
      bits[subjects >> 6] |= 1 << UInt64(truncatingIfNeeded: subjects & 63)
    }
    start = values.count
    subjects &+= 1
  }

  /// Appends the encoded column, or nothing if all values are 0.
  func write(to bytes: inout GrowingBytes) {
    guard union != 0 else { return }
    let width = union.storageWidth
    bytes.append(number: UInt64(width))
    bytes.append(numbers: bits.elements)
    let target = UnsafeMutableRawPointer(bytes.extend(by: values.count * width))
    switch width {
    case 1:
      for index in 0..<values.count {
        target.storeBytes(of: UInt8(truncatingIfNeeded: values[index]), toByteOffset: index, as: UInt8.self)
      }
    case 2:
      for index in 0..<values.count {
        target.storeBytes(of: UInt16(truncatingIfNeeded: values[index]), toByteOffset: index * 2, as: UInt16.self)
      }
    case 4:
      for index in 0..<values.count {
        target.storeBytes(of: UInt32(truncatingIfNeeded: values[index]), toByteOffset: index * 4, as: UInt32.self)
      }
    default: for index in 0..<values.count { target.storeBytes(of: values[index], toByteOffset: index * 8, as: UInt64.self) }
    }
  }
}

extension UInt64 {
  /// The smallest width in bytes, among 1, 2, 4 and 8, that holds this number.
  var storageWidth: Int {
    switch UInt64.bitWidth - leadingZeroBitCount {
    case ...8: 1
    case ...16: 2
    case ...32: 4
    default: 8
    }
  }
}
