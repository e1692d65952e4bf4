import FunnelModel

/// A scanner for lines of a fixed format, such as those of the journal. Each method consumes the element it names, or fails.
struct LineScanner {
  /// The number of digits that an integer may have without overflowing `Int`.
  private static let integerDigitsMax = 18
  /// The number of hexadecimal digits of a SHA-256.
  private static let hashBytes = 64

  /// The bytes that were not consumed yet.
  private var rest: ArraySlice<UInt8>

  /// Creates a scanner at the beginning of a line.
  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  /// Whether all bytes were consumed.
  var isAtEnd: Bool { rest.isEmpty }

  /// Consumes a text. Returns `false`, and consumes nothing, if another text follows.
  mutating func skip(_ text: StaticString) -> Bool {
    let expected = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard rest.starts(with: expected) else { return false }
    rest = rest.dropFirst(expected.count)
    return true
  }

  /// Consumes a non-negative integer of at most ``Limits/journalNumberMax``. Returns `nil` if there is none.
  mutating func integer() -> Int? {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard digits.count <= Self.integerDigitsMax, let number = Int(String(decoding: digits, as: UTF8.self)),
      number <= Limits.journalNumberMax
    else { return nil }
    rest = rest.dropFirst(digits.count)
    return number
  }

  /// Consumes a key and an integer. Returns `.some(nil)` if the key is absent, or `nil` if no integer follows the key.
  mutating func optionalInteger(_ key: StaticString) -> Int?? {
    guard skip(key) else { return .some(nil) }
    return integer().map { .some($0) }
  }

  /// Consumes a string in quotes. The formats contain no escapes.
  mutating func string() -> String? {
    guard skip("\"") else { return nil }
    let text = rest.prefix { $0 != UInt8(ascii: "\"") }
    rest = rest.dropFirst(text.count)
    return skip("\"") ? String(decoding: text, as: UTF8.self) : nil
  }

  /// Consumes 64 lower-case hexadecimal digits.
  mutating func hash() -> String? {
    let digits = rest.prefix(Self.hashBytes)
    let areDigits = digits.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
    }
    guard digits.count == Self.hashBytes, areDigits else { return nil }
    rest = rest.dropFirst(Self.hashBytes)
    return String(decoding: digits, as: UTF8.self)
  }

  /// Consumes a timestamp in quotes.
  mutating func timestamp() -> Timestamp? {
    string().flatMap { Timestamp(rfc3339: $0) }
  }

  /// Consumes a timestamp or `null`. Returns `.some(nil)` for `null`, or `nil` if neither follows.
  mutating func optionalTimestamp() -> Timestamp?? {
    if skip("null") { return .some(nil) }
    return timestamp().map { .some($0) }
  }

  /// Consumes `[`, elements separated by commas, and `]`.
  mutating func array<Element>(of element: (inout LineScanner) -> Element?) -> [Element]? {
    guard skip("[") else { return nil }
    if skip("]") { return [] }
    var elements: [Element] = []
    repeat {
      guard let next = element(&self) else { return nil }
      elements.append(next)
    } while skip(",")
    return skip("]") ? elements : nil
  }
}
