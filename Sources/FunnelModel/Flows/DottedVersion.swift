/// A version such as `5.10.2` or `5.2-beta.1`, ordered field by field with numbers compared as numbers.
///
/// 5.10 follows 5.9, missing fields are 0, and a version with a pre-release suffix precedes the same version without one (Semantic
/// Versioning 2.0.0, section 11), even if no hyphen precedes the suffix, as in 5.2b1. Unlike in Semantic Versioning, digits within a word
/// of the suffix count as a number: beta10 follows beta9. Text after a `+` is build metadata and does not affect the order.
public struct DottedVersion: Sendable {
  /// The numbers before the suffix without trailing zeros, so that 5.2 and 5.2.0 are equal.
  private let numbers: [Number]
  /// The identifiers of the suffix; empty if there is none.
  private let suffix: [Identifier]

  /// Parses a version, or returns nil if the text does not begin with a number or contains a field that is not valid.
  public init?(_ text: some StringProtocol) {
    let release = text.utf8.prefix { $0 != UInt8(ascii: "+") }
    let core = release.prefix { Self.isDigit($0) || $0 == UInt8(ascii: ".") }
    var rest = release.dropFirst(core.count)
    if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
    guard rest.allSatisfy(Self.isSuffixByte), !(rest.isEmpty && core.count < release.count) else { return nil }
    var numbers: [Number] = []
    for field in core.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
      guard !field.isEmpty else { return nil }
      numbers.append(Number(digits: field))
    }
    while numbers.last?.isZero == true { numbers.removeLast() }
    self.numbers = numbers
    suffix = Self.identifiers(in: rest)
    guard rest.isEmpty || !suffix.isEmpty else { return nil }
  }

  /// A number of any length: a machine word if it fits, otherwise its digits without leading zeros.
  private enum Number: Hashable, Comparable, Sendable {
    case small(UInt64)
    case large([UInt8])

    init(digits: some Collection<UInt8>) {
      let digits = digits.drop { $0 == UInt8(ascii: "0") }
      var value: UInt64 = 0
      var count = 0
      for digit in digits {
        count += 1
        // Nineteen digits always fit.
        if count <= 19 { value = value * 10 + UInt64(digit - UInt8(ascii: "0")) }
      }
      self = count <= 19 ? .small(value) : .large(Array(digits))
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

  /// A part of a suffix: a number, or the text between numbers. Numbers precede words.
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

  /// Returns the identifiers of a suffix, separated by dots and by every change between digits and other characters: 5.2b10 follows 5.2b9.
  private static func identifiers(in suffix: some Collection<UInt8>) -> [Identifier] {
    var identifiers: [Identifier] = []
    for part in suffix.split(separator: UInt8(ascii: ".")) {
      var rest = part[...]
      while let first = rest.first {
        let run = rest.prefix { isDigit($0) == isDigit(first) }
        identifiers.append(isDigit(first) ? .number(Number(digits: run)) : .word(Array(run)))
        rest = rest.dropFirst(run.count)
      }
    }
    return identifiers
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isSuffixByte(_ byte: UInt8) -> Bool {
    let lower = byte | 0x20
    return isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lower) || byte == UInt8(ascii: ".")
      || byte == UInt8(ascii: "-")
  }
}

extension DottedVersion: Hashable, Comparable {
  public static func < (lhs: DottedVersion, rhs: DottedVersion) -> Bool {
    for (a, b) in zip(lhs.numbers, rhs.numbers) where a != b { return a < b }
    if lhs.numbers.count != rhs.numbers.count { return lhs.numbers.count < rhs.numbers.count }
    if lhs.suffix.isEmpty || rhs.suffix.isEmpty { return !lhs.suffix.isEmpty && rhs.suffix.isEmpty }
    return lhs.suffix.lexicographicallyPrecedes(rhs.suffix)
  }
}
