import FunnelModel

/// A scanner for lines of a fixed format, such as those of the journal. Each method consumes the element it names, or fails.
struct LineScanner {
  /// The number of digits that an integer may have without overflowing `Int`.
  private static let integerDigitsMax = 18
  /// The number of hexadecimal digits of a SHA-256.
  static let hashDigits = 64

  /// The bytes that were not consumed yet.
  private var unread: ArraySlice<UInt8>

  /// Creates a scanner at the beginning of a line.
  init(_ bytes: ArraySlice<UInt8>) {
    unread = bytes
  }

  /// Whether all bytes were consumed.
  var isAtEnd: Bool { unread.isEmpty }

  /// Consumes a text. Returns `false`, and consumes nothing, if another text follows.
  mutating func skip(_ text: String) -> Bool {
    guard unread.starts(with: text.utf8) else { return false }
    unread = unread.dropFirst(text.utf8.count)
    return true
  }

  /// Consumes a non-negative integer of at most ``Limits/journalNumberMax``. Returns `nil` if there is none.
  mutating func integer() -> Int? {
    let digits = unread.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard digits.count <= Self.integerDigitsMax, let number = Int(String(decoding: digits, as: UTF8.self)),
      number <= Limits.journalNumberMax
    else { return nil }
    unread = unread.dropFirst(digits.count)
    return number
  }

  /// A value that a line may lack.
  enum Field<Value> {
    case absent
    case present(Value)

    /// The value, or `nil` if it is absent.
    var value: Value? {
      if case .present(let value) = self { value } else { nil }
    }
  }

  /// Consumes a key and an integer, if there is the key. Returns `nil` if no integer follows the key.
  mutating func optionalInteger(_ key: String) -> Field<Int>? {
    skip(key) ? integer().map { .present($0) } : .absent
  }

  /// Consumes a string in quotes. The formats contain no escapes.
  mutating func string() -> String? {
    guard skip("\"") else { return nil }
    let text = unread.prefix { $0 != UInt8(ascii: "\"") }
    unread = unread.dropFirst(text.count)
    return skip("\"") ? String(decoding: text, as: UTF8.self) : nil
  }

  /// Consumes 64 lower-case hexadecimal digits.
  mutating func hash() -> String? {
    let digits = unread.prefix(Self.hashDigits)
    let areDigits = digits.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
    }
    guard digits.count == Self.hashDigits, areDigits else { return nil }
    unread = unread.dropFirst(Self.hashDigits)
    return String(decoding: digits, as: UTF8.self)
  }

  /// Consumes a timestamp in quotes.
  mutating func timestamp() -> Timestamp? {
    string().flatMap { Timestamp(rfc3339: $0) }
  }

  /// Consumes a timestamp or `null`, which means that there is none. Returns `nil` if neither follows.
  mutating func optionalTimestamp() -> Field<Timestamp>? {
    skip("null") ? .absent : timestamp().map { .present($0) }
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
