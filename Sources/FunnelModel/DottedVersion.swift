/// A version such as `5.10.2` or `5.2-beta.1`, ordered the way people count: field by field, numbers as numbers.
///
/// 5.10 comes after 5.9, missing fields are 0, and a version with a pre-release suffix comes before the same version without one
/// (Semantic Versioning 2.0.0, section 11). What follows a `+` is build metadata, which orders nothing.
public struct DottedVersion: Sendable {
  /// The numbers before the suffix, without trailing zeros, so that 5.2 and 5.2.0 are the same.
  private let numbers: [Number]
  /// The dotted identifiers of the suffix; empty where there is none.
  private let suffix: [Identifier]

  /// Reads a version; nil where the text does not begin with a number, or a field of it is none.
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
    suffix = rest.isEmpty ? [] : rest.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Identifier($0) }
  }

  /// A number of any length: its digits without leading zeros.
  private struct Number: Hashable, Comparable, Sendable {
    let digits: [UInt8]

    init(digits: some Sequence<UInt8>) { self.digits = Array(digits.drop { $0 == UInt8(ascii: "0") }) }

    var isZero: Bool { digits.isEmpty }

    static func < (lhs: Number, rhs: Number) -> Bool {
      lhs.digits.count == rhs.digits.count
        ? lhs.digits.lexicographicallyPrecedes(rhs.digits) : lhs.digits.count < rhs.digits.count
    }
  }

  /// A part of a suffix. Numbers come before words.
  private enum Identifier: Hashable, Comparable, Sendable {
    case number(Number)
    case word([UInt8])

    init(_ bytes: some Collection<UInt8>) {
      self = !bytes.isEmpty && bytes.allSatisfy(DottedVersion.isDigit) ? .number(Number(digits: bytes)) : .word(Array(bytes))
    }

    static func < (lhs: Identifier, rhs: Identifier) -> Bool {
      switch (lhs, rhs) {
      case (.number(let a), .number(let b)): a < b
      case (.word(let a), .word(let b)): a.lexicographicallyPrecedes(b)
      case (.number, .word): true
      case (.word, .number): false
      }
    }
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
