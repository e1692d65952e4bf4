/// Encodes a column in which most subjects have one value for all their events.
///
/// As bytes: the width of a value (1, 2, 4 or 8) in 8 bytes; a bit for each subject, set if the values of its events differ, padded to a
/// multiple of 8 bytes; the values, one for a subject whose values are equal, one for each event otherwise.
struct ColumnEncoder: ~Copyable {
  private var values = GrowingStorage<UInt64>(capacity: 1024)
  private var bits = GrowingStorage<UInt64>()
  private var subjects = 0
  /// The index of the current subject's first value.
  private var start = 0
  private var all: UInt64 = 0

  init() {}

  /// Adds the value of an event of the current subject.
  @inline(__always)
  mutating func append(_ value: UInt64) { values.append(value) }

  /// Ends the current subject.
  @inline(__always)
  mutating func endSubject() {
    if subjects & 63 == 0 { bits.append(0) }
    let first = values[start]
    var differs: UInt64 = 0
    var union: UInt64 = 0
    for index in start..<values.count {
      differs |= values[index] ^ first
      union |= values[index]
    }
    all |= union
    if differs == 0 {
      values.truncate(to: start &+ 1)
    } else {
      bits[subjects >> 6] |= 1 << UInt64(truncatingIfNeeded: subjects & 63)
    }
    start = values.count
    subjects &+= 1
  }

  /// Writes the column, or nothing if all values are 0.
  func write(to bytes: inout GrowingBytes) {
    guard all != 0 else { return }
    let width = all >> 32 != 0 ? 8 : all >> 16 != 0 ? 4 : all >> 8 != 0 ? 2 : 1
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
