import Foundation
import FunnelModel
import FunnelTestSupport
import Testing

/// Random conditions on random values, compared with the simplest implementation of the specification.
@Suite struct RandomConditionTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `every condition holds where the plain reading says so`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let value = Self.value(using: &random)
      let sign = ["=", "==", "!=", "~", "!~", "<", "<=", ">", ">="].randomElement(using: &random)!
      let text = Self.text(of: sign, using: &random)
      let blank = ["", " ", "\t"].randomElement(using: &random)!
      let written = "ctx.key\(blank)\(sign)\(blank)\(text)"
      let condition = try #require(SegmentCondition(written), "seed \(seed), \(written)")
      #expect(
        condition.holds(for: value) == Self.plainlyHolds(sign, text, value), "seed \(seed), \(written), \(value)")
      #expect(SegmentCondition(condition.description) == condition, "seed \(seed), \(written)")
    }
  }

  private static let words = [
    "a", "b", "ab", "aab", "é", "5", "5.2", "5.10", "5.2.0", "null", "true", "a,b", "0.5", "-3", "*", "",
  ]

  private static func value(using random: inout SeededGenerator) -> PropertyValue {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: .null
    case 1: .bool(Bool.random(using: &random))
    case 2, 3: .integer(Int64.random(in: -6...12, using: &random))
    case 4: .double(Double(Int.random(in: -20...20, using: &random)) + 0.5)
    default: .string(words.randomElement(using: &random)!)
    }
  }

  private static func text(of sign: String, using random: inout SeededGenerator) -> String {
    switch sign {
    case "~", "!~":
      (0..<Int.random(in: 1...5, using: &random)).map { _ in ["*", "?", "a", "b", "5", "."].randomElement(using: &random)! }
        .joined()
    case "<", "<=", ">", ">=": ["5", "5.2", "5.10", "5.2.0", "5.9.1", "-3", "0.5", "5e0", "11"].randomElement(using: &random)!
    default:
      (0..<Int.random(in: 1...3, using: &random))
        .map { _ in words.randomElement(using: &random)!.replacing(",", with: #"\,"#) }.joined(separator: ",")
    }
  }

  // MARK: - The plain reading

  private static func plainlyHolds(_ sign: String, _ text: String, _ value: PropertyValue) -> Bool {
    switch sign {
    case "=", "==": plainlyIsAny(of: text, value)
    case "!=": !plainlyIsAny(of: text, value)
    case "~": value != .null && plainlyMatches(Array(text), Array(value.description))
    case "!~": value == .null || !plainlyMatches(Array(text), Array(value.description))
    default: plainOrder(of: value, to: text).map { ["<": $0 < 0, "<=": $0 <= 0, ">": $0 > 0, ">=": $0 >= 0][sign]! } ?? false
    }
  }

  private static func plainlyIsAny(of text: String, _ value: PropertyValue) -> Bool {
    let items = text.replacing(#"\,"#, with: "\u{0}").split(separator: ",", omittingEmptySubsequences: false)
    return items.contains { item in
      let item = item.replacing("\u{0}", with: ",")
      switch value {
      case .null: return item.isEmpty
      case .integer, .double: return Decimal(string: value.description) == number(String(item))
      case .string(let own):
        if let own = number(own), let number = number(String(item)) { return own == number }
        return !item.isEmpty && item == own
      case .bool: return item == value.description
      }
    }
  }

  /// Tries every length for every `*`.
  private static func plainlyMatches(_ pattern: [Character], _ text: [Character]) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    if first == "*" {
      return (0...text.count).contains { plainlyMatches(Array(pattern.dropFirst()), Array(text.dropFirst($0))) }
    }
    guard let character = text.first, first == "?" || first == character else { return false }
    return plainlyMatches(Array(pattern.dropFirst()), Array(text.dropFirst()))
  }

  private static func plainOrder(of value: PropertyValue, to text: String) -> Int? {
    switch value {
    case .integer, .double:
      if let number = number(text), let own = Decimal(string: value.description) {
        return own < number ? -1 : own > number ? 1 : 0
      }
      return versionOrder(value.description, text)
    case .string(let own):
      if let own = number(own), let number = number(text) { return own < number ? -1 : own > number ? 1 : 0 }
      return versionOrder(own, text)
    case .bool, .null: return nil
    }
  }

  /// Compares versions of numbers only, as all of these tests have.
  private static func versionOrder(_ own: String, _ text: String) -> Int? {
    // As a version, 5e0 has the suffix e0, and precedes 5.
    let bound = text == "5e0" ? "5" : text
    guard var a = fields(own), var b = fields(bound) else { return nil }
    while a.count < b.count { a.append(0) }
    while b.count < a.count { b.append(0) }
    if a == b { return text == "5e0" ? 1 : 0 }
    return a.lexicographicallyPrecedes(b) ? -1 : 1
  }

  private static func fields(_ text: String) -> [Int]? {
    let fields = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    return text.contains("-") || fields.contains(nil) ? nil : fields.compactMap { $0 }
  }

  private static func number(_ text: String) -> Decimal? {
    text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) == nil ? nil : Decimal(string: text)
  }
}
