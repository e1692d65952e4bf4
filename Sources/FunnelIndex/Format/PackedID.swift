import FunnelIngest
import FunnelModel

/// An event's ID in compact form: a lower-case UUID, or 32 lower-case hexadecimal digits, takes 16 bytes.
///
/// A text has exactly one packed form, so two IDs are equal if and only if their packed forms are.
struct PackedID {
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
  var bytes: UnsafeRawBufferPointer

  /// Returns whether two IDs are equal.
  @inline(__always)
  func isEqual(to other: PackedID) -> Bool {
    guard form == other.form, bytes.count == other.bytes.count else { return false }
    return bytes.isEmpty || ByteHash.areEqual(bytes.baseAddress!, other.bytes)
  }

  /// Returns whether the text of this ID precedes that of another by their bytes, or `nil` if both are equal.
  func order(before other: PackedID) -> Bool? {
    if form == other.form { return bytes.order(before: other.bytes) }
    return withUnsafeTemporaryAllocation(byteCount: 2 * Self.textBytesMax, alignment: 1) { buffer in
      let mine = text(in: UnsafeMutableRawBufferPointer(rebasing: buffer[..<Self.textBytesMax]))
      let others = other.text(in: UnsafeMutableRawBufferPointer(rebasing: buffer[Self.textBytesMax...]))
      return mine.order(before: others)
    }
  }

  /// The length of a UUID's text, the longest text that ``text(in:)`` writes.
  private static let textBytesMax = HexadecimalPacking.uuidTextBytes

  /// The ID as text.
  var string: String {
    withUnsafeTemporaryAllocation(byteCount: Self.textBytesMax, alignment: 1) { buffer in
      String(decoding: text(in: buffer), as: UTF8.self)
    }
  }

  /// Returns the bytes of the text: ``bytes`` itself, or the digits, which are written to `buffer`.
  private func text(in buffer: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer {
    guard form != .text else { return bytes }
    var count = 0
    for (index, byte) in bytes.enumerated() {
      if form == .uuid, HexadecimalPacking.hasHyphen(before: index) {
        buffer[count] = UInt8(ascii: "-")
        count += 1
      }
      buffer[count] = Hexadecimal.digit(byte >> 4)
      buffer[count + 1] = Hexadecimal.digit(byte & 15)
      count += 2
    }
    return UnsafeRawBufferPointer(rebasing: buffer[..<count])
  }
}

/// Packs the texts of IDs into bytes.
enum HexadecimalPacking {
  /// The length of a UUID's text: 32 digits and four hyphens.
  static let uuidTextBytes = 36
  private static let hexadecimalTextBytes = 32
  private static let packedBytes = 16

  /// Returns whether a UUID's text has a hyphen before the digits of the byte at `index`.
  @inline(__always)
  static func hasHyphen(before index: Int) -> Bool { index == 4 || index == 6 || index == 8 || index == 10 }

  /// Appends the packed bytes of an ID and returns their form.
  @inline(__always)
  static func pack(_ text: UnsafeRawBufferPointer, to bytes: inout GrowingBytes) -> PackedID.Form {
    if text.count == uuidTextBytes || text.count == hexadecimalTextBytes, let start = text.baseAddress {
      let isUUID = text.count == uuidTextBytes
      let end = bytes.count
      if pack(start, hasHyphens: isUUID, into: bytes.extend(by: packedBytes)) { return isUUID ? .uuid : .hexadecimal }
      bytes.truncate(to: end)
    }
    bytes.append(raw: text)
    return .text
  }

  /// Writes the 16 packed bytes. Returns `false`, and writes nothing, if the text is not 32 lower-case
  /// hexadecimal digits, with the hyphens of a UUID between them if `hasHyphens` is set.
  @inline(__always)
  private static func pack(_ text: UnsafeRawPointer, hasHyphens: Bool, into bytes: UnsafeMutablePointer<UInt8>) -> Bool {
    let words: (UInt64, UInt64, UInt64, UInt64)
    if hasHyphens {
      let hyphens = [8, 13, 18, 23].reduce(true) { $0 && text.load(fromByteOffset: $1, as: UInt8.self) == UInt8(ascii: "-") }
      guard hyphens else { return false }
      words = (word(text, 0), word(text, 9, 14), word(text, 19, 24), word(text, 28))
    } else {
      words = (word(text, 0), word(text, 8), word(text, 16), word(text, 24))
    }
    guard let a = values(words.0), let b = values(words.1), let c = values(words.2), let d = values(words.3) else {
      return false
    }
    let target = UnsafeMutableRawPointer(bytes)
    target.storeBytes(of: (a | b << 32).littleEndian, as: UInt64.self)
    target.storeBytes(of: (c | d << 32).littleEndian, toByteOffset: 8, as: UInt64.self)
    return true
  }

  /// Returns the eight characters at an offset.
  @inline(__always)
  private static func word(_ text: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: text.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Returns the four characters at each of two offsets.
  @inline(__always)
  private static func word(_ text: UnsafeRawPointer, _ first: Int, _ second: Int) -> UInt64 {
    UInt64(UInt32(littleEndian: text.loadUnaligned(fromByteOffset: first, as: UInt32.self)))
      | UInt64(UInt32(littleEndian: text.loadUnaligned(fromByteOffset: second, as: UInt32.self))) << 32
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
