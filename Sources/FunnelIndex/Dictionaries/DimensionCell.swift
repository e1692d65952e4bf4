internal import FunnelIngest
internal import FunnelModel

/// A dictionary entry: a key of `ctx` or `props` with one of its values.
///
/// The encoding is: the key's length in two bytes; the key; a tag in one byte; the value. A string is preceded
/// by its length in two bytes, a number takes eight, a boolean none. The entry of a measured property has a tag
/// and no value (``IndexFormat``). Null is not recorded, because a query treats it like a missing key.
struct DimensionCell {
  /// The length of the longest key that is recorded, in bytes.
  static let keyBytesMax = 256
  /// The length of the longest string value that is recorded, in bytes.
  static let valueBytesMax = 256

  /// The type of the value.
  private enum Tag: UInt8 {
    case string = 0
    case integer = 1
    case double = 2
    case no = 3
    case yes = 4
    case measured = 5
  }

  /// The length of the key's length, and of the tag.
  private static let overheadBytes = 3
  private static let numberBytes = 8

  /// The key as UTF-8.
  var key: UnsafeRawBufferPointer
  /// The value, or `nil` if the property is measured.
  var value: Scalar?

  /// Appends the entry of a member. Returns `false`, and appends nothing, if the value is null or too long.
  @inline(__always)
  static func append(_ member: EventMember, to bytes: inout GrowingBytes) -> Bool {
    if case .null = member.value { return false }
    if case .string(let text) = member.value, text.count > valueBytesMax { return false }
    bytes.append(number: UInt16(truncatingIfNeeded: member.key.count))
    bytes.append(raw: member.key)
    switch member.value {
    case .string(let text):
      bytes.append(Tag.string.rawValue)
      bytes.append(number: UInt16(truncatingIfNeeded: text.count))
      bytes.append(raw: text)
    case .integer(let number):
      bytes.append(Tag.integer.rawValue)
      bytes.append(number: number)
    case .double(let number):
      bytes.append(Tag.double.rawValue)
      bytes.append(number: number.bitPattern)
    case .bool(let isTrue): bytes.append(isTrue ? Tag.yes.rawValue : Tag.no.rawValue)
    case .null: break
    }
    return true
  }

  /// Appends the entry of a measured property.
  @inline(__always)
  static func append(measured key: UnsafeRawBufferPointer, to bytes: inout GrowingBytes) {
    bytes.append(number: UInt16(truncatingIfNeeded: key.count))
    bytes.append(raw: key)
    bytes.append(Tag.measured.rawValue)
  }

  /// The value as a number, or `nil` if it is not a number.
  var number: MeasuredNumber? { value.flatMap(MeasuredNumber.init) }

  /// Decodes the entry at the beginning of `bytes`. Returns it with its length, or `nil` if the bytes are
  /// invalid. The entry points into `bytes`.
  static func read(_ bytes: UnsafeRawBufferPointer) -> (cell: DimensionCell, byteCount: Int)? {
    guard bytes.count >= overheadBytes else { return nil }
    let keyCount = Int(bytes.loadUnaligned(as: UInt16.self))
    guard bytes.count >= overheadBytes + keyCount, let tag = Tag(rawValue: bytes[2 + keyCount]) else { return nil }
    let key = UnsafeRawBufferPointer(rebasing: bytes[2..<2 + keyCount])
    let valueOffset = overheadBytes + keyCount
    let remainder = UnsafeRawBufferPointer(rebasing: bytes[valueOffset...])
    switch tag {
    case .measured: return (DimensionCell(key: key, value: nil), valueOffset)
    case .no: return (DimensionCell(key: key, value: .bool(false)), valueOffset)
    case .yes: return (DimensionCell(key: key, value: .bool(true)), valueOffset)
    case .integer, .double:
      guard remainder.count >= numberBytes else { return nil }
      let word = remainder.loadUnaligned(as: UInt64.self)
      let value = tag == .integer ? Scalar.integer(Int64(bitPattern: word)) : .double(Double(bitPattern: word))
      return (DimensionCell(key: key, value: value), valueOffset + numberBytes)
    case .string:
      guard remainder.count >= 2 else { return nil }
      let count = Int(remainder.loadUnaligned(as: UInt16.self))
      guard remainder.count >= 2 + count else { return nil }
      let text = UnsafeRawBufferPointer(rebasing: remainder[2..<2 + count])
      return (DimensionCell(key: key, value: .string(text)), valueOffset + 2 + count)
    }
  }
}
