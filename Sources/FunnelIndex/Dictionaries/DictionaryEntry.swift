internal import FunnelDecoding
internal import FunnelModel

/// A dictionary entry: a key of `ctx` or `props` with one of its values.
///
/// The encoding is: the key's length in two bytes; the key; a tag in one byte; the value. A string is preceded
/// by its length in two bytes, a number takes eight, a boolean none. The entry of a measured property has a tag
/// and no value (``IndexFormat``). Null is not recorded, because a query treats it like a missing key.
struct DictionaryEntry {
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

  private static let lengthBytes = 2
  /// The length of the key's length, and of the tag.
  private static let overheadBytes = lengthBytes + 1
  private static let numberBytes = 8

  /// The key as UTF-8.
  var key: BorrowedBytes
  /// The value, or `nil` if the property is measured.
  var value: Scalar?

  /// The value as a number, or `nil` if it is not a number.
  var number: MeasuredNumber? { value.flatMap(MeasuredNumber.init) }

  /// Appends the entry of a member. Returns `false`, and appends nothing, if the value is null or too long.
  @inline(__always)
  static func append(_ member: EventMember, to bytes: inout UniqueBytes) -> Bool {
    if case .null = member.value { return false }
    if case .string(let text) = member.value, text.count > valueBytesMax { return false }
    bytes.append(number: UInt16(truncatingIfNeeded: member.key.count))
    bytes.append(BorrowedBytes(member.key))
    switch member.value {
    case .string(let text):
      bytes.append(Tag.string.rawValue)
      bytes.append(number: UInt16(truncatingIfNeeded: text.count))
      bytes.append(BorrowedBytes(text))
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
  static func append(measured key: BorrowedBytes, to bytes: inout UniqueBytes) {
    bytes.append(number: UInt16(truncatingIfNeeded: key.count))
    bytes.append(key)
    bytes.append(Tag.measured.rawValue)
  }

  /// Decodes the entry at the beginning of `bytes`. Returns it with its length, or `nil` if the bytes are
  /// invalid. The key and the value are parts of `bytes`.
  static func read(_ bytes: BorrowedBytes) -> (entry: DictionaryEntry, byteCount: Int)? {
    guard bytes.count >= overheadBytes else { return nil }
    let keyEnd = lengthBytes + Int(bytes.load(at: 0, as: UInt16.self))
    guard bytes.count > keyEnd, let tag = Tag(rawValue: bytes[keyEnd]) else { return nil }
    guard let (value, byteCount) = value(tag, bytes.dropFirst(keyEnd + 1)) else { return nil }
    return (DictionaryEntry(key: bytes[lengthBytes..<keyEnd], value: value), keyEnd + 1 + byteCount)
  }

  /// Decodes the value at the beginning of `bytes`, with its length. Returns `nil` if the bytes end too early.
  private static func value(_ tag: Tag, _ bytes: BorrowedBytes) -> (Scalar?, byteCount: Int)? {
    switch tag {
    case .measured: return (nil, 0)
    case .no: return (.bool(false), 0)
    case .yes: return (.bool(true), 0)
    case .integer, .double:
      guard bytes.count >= numberBytes else { return nil }
      let word = bytes.load(at: 0, as: UInt64.self)
      return (tag == .integer ? .integer(Int64(bitPattern: word)) : .double(Double(bitPattern: word)), numberBytes)
    case .string:
      guard bytes.count >= lengthBytes else { return nil }
      let end = lengthBytes + Int(bytes.load(at: 0, as: UInt16.self))
      guard bytes.count >= end else { return nil }
      return (.string(BorrowedText(bytes[lengthBytes..<end].raw)), end)
    }
  }
}

extension [UInt8] {
  /// Calls `body` with the entry that these bytes encode, or with `nil` if they are invalid. The entry is valid only
  /// during the call.
  func withEntry<Result>(_ body: (DictionaryEntry?) -> Result) -> Result {
    withBorrowedElements { body(DictionaryEntry.read($0)?.entry) }
  }
}
