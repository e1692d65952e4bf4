/// A version such as `5.10.2` or `5.2-beta.1`, compared field by field.
///
/// - Numbers are compared by value: 5.10 follows 5.9. Missing fields are 0: 5.2 equals 5.2.0.
/// - A version with a pre-release suffix precedes the same version without one (Semantic Versioning 2.0.0,
///   section 11). The hyphen before the suffix is optional: 5.2b1 precedes 5.2.
/// - Unlike in Semantic Versioning, digits within a word of the suffix are a number: beta10 follows beta9.
/// - Text after a `+` is build metadata and does not affect the order.
package struct DottedVersion: Sendable {
  /// The numbers before the suffix, without trailing zeros.
  private let numbers: [Number]
  /// The identifiers of the suffix, or an empty array if there is none.
  private let suffix: [Identifier]

  /// Parses a version, or returns `nil` if the text does not start with a number or a field is invalid.
  package init?(_ text: some StringProtocol) {
    let release = text.utf8.prefix { $0 != UInt8(ascii: "+") }
    let core = release.prefix { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
    var suffix = release.dropFirst(core.count)
    if suffix.first == UInt8(ascii: "-") { suffix = suffix.dropFirst() }
    guard suffix.allSatisfy(Self.isSuffixByte) else { return nil }
    // A hyphen requires a suffix.
    guard !suffix.isEmpty || core.count == release.count else { return nil }
    var numbers: [Number] = []
    for field in core.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
      guard !field.isEmpty else { return nil }
      numbers.append(Number(digits: field))
    }
    while numbers.last?.isZero == true { numbers.removeLast() }
    self.numbers = numbers
    self.suffix = Self.identifiers(in: suffix)
    guard suffix.isEmpty || !self.suffix.isEmpty else { return nil }
  }

  /// A number of any length.
  private enum Number: Hashable, Comparable, Sendable {
    /// A number of at most ``smallDigitsMax`` digits.
    case small(UInt64)
    /// The digits of a longer number, without leading zeros.
    case large([UInt8])

    /// The number of digits that always fit in a `UInt64`.
    private static let smallDigitsMax = 19

    init(digits: some Collection<UInt8>) {
      let digits = digits.drop { $0 == UInt8(ascii: "0") }
      var value: UInt64 = 0
      var count = 0
      for digit in digits {
        count += 1
        if count <= Self.smallDigitsMax { value = value * 10 + UInt64(digit - UInt8(ascii: "0")) }
      }
      self = count <= Self.smallDigitsMax ? .small(value) : .large(Array(digits))
    }

    var isZero: Bool { self == .small(0) }

    static func < (lhs: Number, rhs: Number) -> Bool {
      switch (lhs, rhs) {
      case (.small(let a), .small(let b)): a < b
      case (.small, .large): true
      case (.large, .small): false
      case (.large(let a), .large(let b)): a.count == b.count ? a.lexicographicallyPrecedes(b) : a.count < b.count
      }
    }
  }

  /// An identifier of a suffix: a number or a word. Numbers precede words.
  private enum Identifier: Hashable, Comparable, Sendable {
    case number(Number)
    case word([UInt8])

    static func < (lhs: Identifier, rhs: Identifier) -> Bool {
      switch (lhs, rhs) {
      case (.number(let a), .number(let b)): a < b
      case (.word(let a), .word(let b)): a.lexicographicallyPrecedes(b)
      case (.number, .word): true
      case (.word, .number): false
      }
    }
  }

  /// Returns the identifiers of a suffix. They are separated by dots and at every change between digits and other characters.
  private static func identifiers(in suffix: some Collection<UInt8>) -> [Identifier] {
    var identifiers: [Identifier] = []
    for part in suffix.split(separator: UInt8(ascii: ".")) {
      var remainder = part[...]
      while let first = remainder.first {
        let identifier = remainder.prefix { $0.isASCIIDigit == first.isASCIIDigit }
        identifiers.append(first.isASCIIDigit ? .number(Number(digits: identifier)) : .word(Array(identifier)))
        remainder = remainder.dropFirst(identifier.count)
      }
    }
    return identifiers
  }

  private static func isSuffixByte(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || byte.isASCIILetter || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
  }
}

extension DottedVersion: Hashable, Comparable {
  package static func < (lhs: DottedVersion, rhs: DottedVersion) -> Bool {
    for (a, b) in zip(lhs.numbers, rhs.numbers) where a != b { return a < b }
    if lhs.numbers.count != rhs.numbers.count { return lhs.numbers.count < rhs.numbers.count }
    if lhs.suffix.isEmpty || rhs.suffix.isEmpty { return !lhs.suffix.isEmpty && rhs.suffix.isEmpty }
    return lhs.suffix.lexicographicallyPrecedes(rhs.suffix)
  }
}
