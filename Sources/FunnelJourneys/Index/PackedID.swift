/// An event's id in few bytes: a UUID in lower case, or 32 hexadecimal digits, takes 16.
///
/// A text has exactly one packed form, so ids are equal where their packed forms are.
struct PackedID {
  /// What the bytes are.
  enum Form: UInt8 {
    /// The 16 bytes of a UUID, written with hyphens and in lower case.
    case uuid = 0
    /// 16 bytes, written as 32 hexadecimal digits in lower case.
    case hexadecimal = 1
    /// The text itself.
    case text = 2
  }

  var form: Form
  var bytes: UnsafeRawBufferPointer

  @inline(__always)
  func isEqual(to other: PackedID) -> Bool {
    guard form == other.form, bytes.count == other.bytes.count else { return false }
    return bytes.isEmpty || ByteHash.areEqual(bytes.baseAddress!, other.bytes)
  }

  /// Whether the text of this id comes before another's, byte by byte.
  func precedes(_ other: PackedID) -> Bool {
    if form == other.form { return Self.precedes(bytes, other.bytes) }
    return withUnsafeTemporaryAllocation(byteCount: 2 * Self.digitsMax, alignment: 1) { room in
      let mine = text(in: UnsafeMutableRawBufferPointer(rebasing: room[..<Self.digitsMax]))
      let others = other.text(in: UnsafeMutableRawBufferPointer(rebasing: room[Self.digitsMax...]))
      return Self.precedes(mine, others)
    }
  }

  private static func precedes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    for index in 0..<min(a.count, b.count) where a[index] != b[index] { return a[index] < b[index] }
    return a.count < b.count
  }

  /// Most bytes of a UUID's text.
  private static let digitsMax = 36

  /// The id as text: its own bytes, or written into the room given.
  private func text(in room: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer {
    guard form != .text else { return bytes }
    let digits: StaticString = "0123456789abcdef"
    var count = 0
    for (index, byte) in bytes.enumerated() {
      if form == .uuid, HexadecimalPacking.hasHyphen(before: index) {
        room[count] = UInt8(ascii: "-")
        count += 1
      }
      room[count] = digits.utf8Start[Int(byte >> 4)]
      room[count + 1] = digits.utf8Start[Int(byte & 15)]
      count += 2
    }
    return UnsafeRawBufferPointer(rebasing: room[..<count])
  }
}

/// Turns the texts of ids into their packed bytes.
enum HexadecimalPacking {
  /// Whether a UUID's text has a hyphen before its byte of that index.
  @inline(__always)
  static func hasHyphen(before index: Int) -> Bool { index == 4 || index == 6 || index == 8 || index == 10 }

  /// Appends an id's packed bytes and returns its form.
  @inline(__always)
  static func pack(_ text: UnsafeRawBufferPointer, to bytes: inout GrowingBytes) -> PackedID.Form {
    if text.count == 36 || text.count == 32, let start = text.baseAddress {
      let isUUID = text.count == 36
      let place = bytes.count
      if pack(start, hasHyphens: isUUID, into: bytes.extend(by: 16)) { return isUUID ? .uuid : .hexadecimal }
      bytes.truncate(to: place)
    }
    bytes.append(raw: text)
    return .text
  }

  private static func pack(_ text: UnsafeRawPointer, hasHyphens: Bool, into bytes: UnsafeMutablePointer<UInt8>) -> Bool {
    let values = digitValues.base
    var place = 0
    var invalid: UInt8 = 0
    for index in 0..<16 {
      if hasHyphens, hasHyphen(before: index) {
        invalid |= text.load(fromByteOffset: place, as: UInt8.self) ^ UInt8(ascii: "-")
        place &+= 1
      }
      let high = values[Int(text.load(fromByteOffset: place, as: UInt8.self))]
      let low = values[Int(text.load(fromByteOffset: place &+ 1, as: UInt8.self))]
      invalid |= (high | low) & 0xF0
      bytes[index] = high << 4 | low & 15
      place &+= 2
    }
    return invalid == 0
  }

  /// The value of each byte as a lower-case hexadecimal digit; 255 where it is none.
  private static let digitValues = DigitValues()

  private struct DigitValues: @unchecked Sendable {
    let base: UnsafeMutablePointer<UInt8>

    init() {
      base = .allocate(capacity: 256)
      base.initialize(repeating: 255, count: 256)
      for (value, digit) in "0123456789abcdef".utf8.enumerated() { base[Int(digit)] = UInt8(value) }
    }
  }
}
