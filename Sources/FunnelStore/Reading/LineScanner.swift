import FunnelModel

/// A scanner for text of one known form. Each step consumes exactly what it expects, or fails.
struct LineScanner {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func skip(_ text: StaticString) -> Bool {
    let expected = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard rest.starts(with: expected) else { return false }
    rest = rest.dropFirst(expected.count)
    return true
  }

  /// Consumes a non-negative integer of at most 18 digits, no greater than the journal's numbers are.
  mutating func integer() -> Int? {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard digits.count <= 18, let number = Int(String(decoding: digits, as: UTF8.self)), number <= Limits.journalNumberMax
    else {
      return nil
    }
    rest = rest.dropFirst(digits.count)
    return number
  }

  /// Consumes a key and an integer if the key is there. The outer optional is nil if the key has no integer.
  mutating func optionalInteger(_ key: StaticString) -> Int?? {
    guard skip(key) else { return .some(nil) }
    return integer().map { .some($0) }
  }

  /// Consumes a string in quotes. No string in these formats contains an escape.
  mutating func string() -> String? {
    guard skip("\"") else { return nil }
    let text = rest.prefix { $0 != UInt8(ascii: "\"") }
    rest = rest.dropFirst(text.count)
    return skip("\"") ? String(decoding: text, as: UTF8.self) : nil
  }

  /// Consumes 64 lower-case hexadecimal digits.
  mutating func hash() -> String? {
    let digits = rest.prefix(64)
    let areDigits = digits.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
    }
    guard digits.count == 64, areDigits else { return nil }
    rest = rest.dropFirst(64)
    return String(decoding: digits, as: UTF8.self)
  }

  mutating func timestamp() -> Timestamp? {
    string().flatMap { Timestamp(rfc3339: $0) }
  }

  /// Consumes a timestamp or `null`. The outer optional is nil if there is neither.
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
