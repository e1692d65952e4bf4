import FunnelDecoding
import FunnelModel

/// An event's ID in compact form: a lower-case UUID, or 32 lower-case hexadecimal digits, takes 16 bytes.
///
/// A text has exactly one packed form, so two IDs are equal if and only if their packed forms are.
struct PackedID: BitwiseCopyable {
  /// The encoding of the bytes.
  enum Form: UInt8 {
    /// The 16 bytes of a UUID, written with hyphens and in lower case.
    case uuid = 0
    /// 16 bytes, written as 32 hexadecimal digits in lower case.
    case hexadecimal = 1
    /// The bytes of the text itself.
    case text = 2
  }

  var form: Form
  var bytes: BorrowedBytes

  /// The number of bytes of a packed UUID, or of 32 packed digits.
  static let hexadecimalBytes = 16

  /// Creates an ID. Bytes of a hexadecimal form must be 16.
  @inline(__always)
  init(form: Form, bytes: BorrowedBytes) {
    assert(form == .text || bytes.count == Self.hexadecimalBytes, "a hexadecimal ID has 16 bytes")
    self.form = form
    self.bytes = bytes
  }

  /// Returns whether two IDs are equal.
  @inline(__always)
  func isEqual(to other: PackedID) -> Bool { form == other.form && bytes.isEqual(to: other.bytes) }

  /// Returns whether the text of this ID precedes that of another by their bytes, or `nil` if both are equal.
  func order(before other: PackedID) -> Bool? {
    if form == other.form { return bytes.order(before: other.bytes) }
    return textBytes.withBorrowedElements { mine in other.textBytes.withBorrowedElements { mine.order(before: $0) } }
  }

  /// The ID as text.
  var string: String { String(decoding: textBytes, as: UTF8.self) }

  /// The bytes of the text.
  var textBytes: [UInt8] {
    guard form != .text else { return bytes.array }
    var text: [UInt8] = []
    text.reserveCapacity(HexadecimalPacking.uuidTextBytes)
    for index in 0..<bytes.count {
      if form == .uuid, HexadecimalPacking.hasHyphen(before: index) { text.append(UInt8(ascii: "-")) }
      text.append(Hexadecimal.digit(bytes[index] >> 4))
      text.append(Hexadecimal.digit(bytes[index] & 15))
    }
    return text
  }
}

/// Packs the texts of IDs into bytes.
enum HexadecimalPacking {
  /// The length of a UUID's text: 32 digits and four hyphens.
  static let uuidTextBytes = 36
  private static let hexadecimalTextBytes = 32

  /// Returns whether a UUID's text has a hyphen before the digits of the byte at `index`.
  @inline(__always)
  static func hasHyphen(before index: Int) -> Bool { index == 4 || index == 6 || index == 8 || index == 10 }

  /// Appends the packed bytes of an ID and returns their form.
  @inline(__always)
  static func pack(_ text: BorrowedBytes, to bytes: inout UniqueBytes) -> PackedID.Form {
    switch text.count {
    case uuidTextBytes where hasHyphens(text):
      let words = (word(text, 0), word(text, 9, 14), word(text, 19, 24), word(text, 28))
      if pack(words, to: &bytes) { return .uuid }
    case hexadecimalTextBytes:
      if pack((word(text, 0), word(text, 8), word(text, 16), word(text, 24)), to: &bytes) { return .hexadecimal }
    default: break
    }
    bytes.append(text)
    return .text
  }

  /// Returns whether a text of the length of a UUID has its hyphens.
  @inline(__always)
  private static func hasHyphens(_ text: BorrowedBytes) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return text[8] == hyphen && text[13] == hyphen && text[18] == hyphen && text[23] == hyphen
  }

  /// Appends the 16 packed bytes of 32 digits, eight in each word. Returns `false`, and appends nothing, if a byte is
  /// not a lower-case hexadecimal digit.
  @inline(__always)
  private static func pack(_ words: (UInt64, UInt64, UInt64, UInt64), to bytes: inout UniqueBytes) -> Bool {
    guard let a = values(words.0), let b = values(words.1), let c = values(words.2), let d = values(words.3) else {
      return false
    }
    bytes.append(number: (a | b << 32).littleEndian)
    bytes.append(number: (c | d << 32).littleEndian)
    return true
  }

  /// Returns the eight characters at an offset.
  @inline(__always)
  private static func word(_ text: BorrowedBytes, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: text.load(at: offset, as: UInt64.self))
  }

  /// Returns the four characters at each of two offsets.
  @inline(__always)
  private static func word(_ text: BorrowedBytes, _ first: Int, _ second: Int) -> UInt64 {
    UInt64(UInt32(littleEndian: text.load(at: first, as: UInt32.self)))
      | UInt64(UInt32(littleEndian: text.load(at: second, as: UInt32.self))) << 32
  }

  /// Returns the four bytes that eight digits encode, the first in the lowest byte, or `nil` if one of them is
  /// not a lower-case hexadecimal digit.
  @inline(__always)
  private static func values(_ digits: UInt64) -> UInt64? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let values = (digits & (ones &* 0x0F)) &+ (digits >> 6 & ones) &* 9
    guard values & (ones &* 0xF0) == 0 else { return nil }
    // The values, formatted again, must equal the digits: that excludes every byte except 0 to 9 and a to f.
    let letters = (values &+ ones &* 6) >> 4 & ones
    guard values &+ ones &* 0x30 &+ letters &* 0x27 == digits else { return nil }
    var pairs = (values << 4 | values >> 8) & 0x00FF_00FF_00FF_00FF
    pairs = (pairs | pairs >> 8) & 0x0000_FFFF_0000_FFFF
    return (pairs | pairs >> 16) & 0xFFFF_FFFF
  }
}
