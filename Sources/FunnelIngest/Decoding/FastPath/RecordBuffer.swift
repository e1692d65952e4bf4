import FunnelModel

/// A byte buffer for writing records. Room is reserved once for a whole record, so appending checks nothing.
///
/// An array checks its uniqueness and its capacity for each append, of which a record has hundreds.
struct RecordBuffer: ~Copyable {
  private(set) var base: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int = 4096) {
    self.capacity = capacity
    base = .allocate(capacity: capacity)
  }

  deinit { base.deallocate() }

  /// The bytes that were written.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// Empties the buffer and reserves room for `room` bytes.
  mutating func clear(reserving room: Int) {
    count = 0
    guard room > capacity else { return }
    base.deallocate()
    capacity = room + room / 2
    base = .allocate(capacity: capacity)
  }

  /// Returns an upper bound of the bytes that ``appendJSONString(_:)`` writes: every byte may become `\u00xx`, and 18 more than cover the
  /// quotes.
  @inline(__always)
  static func jsonStringBytesMax(_ count: Int) -> Int { 6 * count + 18 }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    base[count] = byte
    count &+= 1
  }

  @inline(__always)
  mutating func append(_ text: StaticString) {
    (base + count).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    count &+= text.utf8CodeUnitCount
  }

  @inline(__always)
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    UnsafeMutableRawPointer(base + count).copyMemory(from: start, byteCount: bytes.count)
    count &+= bytes.count
  }

  /// Appends a JSON string, quotes included, with the escapes of ``Swift/Array/appendJSONString(utf8:)``.
  @inline(__always)
  mutating func appendJSONString(_ text: UnsafeRawBufferPointer) {
    append(UInt8(ascii: "\""))
    if Self.needsEscape(text) { appendEscaped(text) } else { append(text) }
    append(UInt8(ascii: "\""))
  }

  /// Returns whether a byte is a quote, a backslash or a control character, reading eight bytes at a time.
  @inline(__always)
  private static func needsEscape(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let start = text.baseAddress else { return false }
    var offset = 0
    while offset &+ 8 <= text.count {
      if isSpecial(UInt64(littleEndian: (start + offset).loadUnaligned(as: UInt64.self))) { return true }
      offset &+= 8
    }
    // The padding is spaces, which need no escape.
    var rest: UInt64 = 0x2020_2020_2020_2020
    while offset < text.count {
      rest = rest << 8 | UInt64(text[offset])
      offset &+= 1
    }
    return isSpecial(rest)
  }

  /// Returns whether a byte of the word is below 0x20, `"` or `\` (by Hacker's Delight, section 6-1).
  @inline(__always)
  private static func isSpecial(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let found = (word &- ones &* 0x20) & ~word | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash
    return found & (ones &* 0x80) != 0
  }

  private mutating func appendEscaped(_ text: UnsafeRawBufferPointer) {
    var escaped: [UInt8] = []
    escaped.appendJSONString(utf8: text)
    escaped.withUnsafeBytes { append(UnsafeRawBufferPointer(rebasing: $0.dropFirst().dropLast())) }
  }

  /// Appends an integer in decimal, at most 20 bytes.
  @inline(__always)
  mutating func appendDecimal(_ value: Int64) {
    var magnitude = value.magnitude
    if value < 0 { append(UInt8(ascii: "-")) }
    var digits = 1
    var limit: UInt64 = 10
    while digits < 19, magnitude >= limit {
      digits &+= 1
      limit &*= 10
    }
    if magnitude >= 10_000_000_000_000_000_000 { digits = 20 }
    var place = count &+ digits
    count = place
    for _ in 0..<digits {
      place &-= 1
      base[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: magnitude % 10)
      magnitude /= 10
    }
  }

  /// Appends the last `width` digits of a number that is not negative.
  @inline(__always)
  mutating func appendDigits(_ value: Int, width: Int) {
    var rest = value
    var place = count &+ width
    count = place
    for _ in 0..<width {
      place &-= 1
      base[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }
}
