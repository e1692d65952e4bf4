import FunnelModel

/// Reads a text of one known form from its front to its end; each step is either just what it must be, or fails.
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

  /// A whole number that is not negative.
  mutating func integer() -> Int? {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard digits.count <= 18, let number = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
    rest = rest.dropFirst(digits.count)
    return number
  }

  /// A string between quotes; there is nothing to escape in any of ours.
  mutating func string() -> String? {
    guard skip("\"") else { return nil }
    let text = rest.prefix { $0 != UInt8(ascii: "\"") }
    rest = rest.dropFirst(text.count)
    return skip("\"") ? String(decoding: text, as: UTF8.self) : nil
  }

  /// 64 lower-case hexadecimal digits.
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

  /// A timestamp or `null`; the outer nil is neither.
  mutating func optionalTimestamp() -> Timestamp?? {
    if skip("null") { return .some(nil) }
    return timestamp().map { .some($0) }
  }

  /// `[`, elements parted by commas, `]`.
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
