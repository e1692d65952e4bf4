internal import FunnelIngest
internal import FunnelModel

/// A key of `ctx` or `props` with its value, as bytes: the key's length in two bytes, the key, the value's tag in one byte, the value.
///
/// Null is not recorded: a query can't tell it from a missing key. The cell of a measured property has a tag and no value (``IndexFormat``).
struct DimensionCell {
  /// The length of the longest key that is recorded, in bytes.
  static let keyBytesMax = 256
  /// The length of the longest string value that is recorded, in bytes.
  static let valueBytesMax = 256

  private enum Tag: UInt8 {
    case string = 0
    case integer = 1
    case double = 2
    case no = 3
    case yes = 4
    case measured = 5
  }

  var key: UnsafeRawBufferPointer
  /// The value, or nil if the property is measured.
  var value: Scalar?

  /// Appends the bytes of a member. Returns false, and appends nothing, if its value is null or too long.
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

  /// Appends the bytes of the cell of a measured property.
  @inline(__always)
  static func append(measured key: UnsafeRawBufferPointer, to bytes: inout GrowingBytes) {
    bytes.append(number: UInt16(truncatingIfNeeded: key.count))
    bytes.append(raw: key)
    bytes.append(Tag.measured.rawValue)
  }

  /// The number, or nil if the value is not a number.
  var number: MeasuredNumber? { value.flatMap(MeasuredNumber.init) }

  /// Reads the cell at the beginning of bytes. Returns it with its length, or nil if the bytes are invalid. The cell points into the bytes.
  static func read(_ bytes: UnsafeRawBufferPointer) -> (cell: DimensionCell, byteCount: Int)? {
    guard bytes.count >= 3 else { return nil }
    let keyCount = Int(bytes.loadUnaligned(as: UInt16.self))
    guard bytes.count >= 3 + keyCount, let tag = Tag(rawValue: bytes[2 + keyCount]) else { return nil }
    let key = UnsafeRawBufferPointer(rebasing: bytes[2..<2 + keyCount])
    let place = 3 + keyCount
    let rest = UnsafeRawBufferPointer(rebasing: bytes[place...])
    switch tag {
    case .measured: return (DimensionCell(key: key, value: nil), place)
    case .no: return (DimensionCell(key: key, value: .bool(false)), place)
    case .yes: return (DimensionCell(key: key, value: .bool(true)), place)
    case .integer, .double:
      guard rest.count >= 8 else { return nil }
      let word = rest.loadUnaligned(as: UInt64.self)
      let value = tag == .integer ? Scalar.integer(Int64(bitPattern: word)) : .double(Double(bitPattern: word))
      return (DimensionCell(key: key, value: value), place + 8)
    case .string:
      guard rest.count >= 2 else { return nil }
      let count = Int(rest.loadUnaligned(as: UInt16.self))
      guard rest.count >= 2 + count else { return nil }
      let text = UnsafeRawBufferPointer(rebasing: rest[2..<2 + count])
      return (DimensionCell(key: key, value: .string(text)), place + 2 + count)
    }
  }
}
