/// Detects regular expressions that can take exponential time on a short text.
///
/// Swift's `Regex` backtracks. A repetition that contains nothing but another repetition, such as `(a+)+`, doubles the number of ways to
/// match with each further character: forty characters would take years. A mandatory separator, as in `(\.[0-9]+)*`, leaves only one way.
/// The author of a definition is trusted, in contrast to the source of an event. Therefore this check finds common mistakes, not every such
/// expression.
struct PatternCost {
  private struct Group {
    /// Whether the group contains a repetition without a fixed count.
    var repeats = false
    /// Whether such a repetition matches any character.
    var repeatsAnything = false
    /// Whether the group contains a separator: a literal character that occurs exactly once.
    var hasSeparator = false
    var hasAlternatives = false

    var isCostlyToRepeat: Bool { repeats && (repeatsAnything || !hasSeparator || hasAlternatives) }
  }

  /// The preceding element, which a quantifier would repeat.
  private enum Atom {
    case none, literal, anything, set
    case group(Group)
  }

  private var groups = [Group()]
  private var last = Atom.none

  /// Returns whether a repetition in a pattern can take exponential time.
  static func isUnbounded(_ pattern: String) -> Bool {
    var cost = PatternCost()
    return cost.isUnbounded(Array(pattern.utf8))
  }

  private mutating func isUnbounded(_ bytes: [UInt8]) -> Bool {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "*"), UInt8(ascii: "+"):
        if repeatLast() { return true }
      case UInt8(ascii: "{"):
        let end = bytes[index...].firstIndex(of: UInt8(ascii: "}")) ?? bytes.count
        let isFixed = !bytes[index..<end].contains(UInt8(ascii: ","))
        index = min(end + 1, bytes.count)
        if isFixed { endAtom() } else if repeatLast() { return true }
      case UInt8(ascii: "?"): last = .none
      case UInt8(ascii: "("):
        endAtom()
        groups.append(Group())
      case UInt8(ascii: ")") where groups.count > 1:
        endAtom()
        last = .group(groups.removeLast())
      case UInt8(ascii: "|"):
        endAtom()
        groups[groups.count - 1].hasAlternatives = true
      case UInt8(ascii: "["):
        endAtom()
        index = Self.endOfSet(in: bytes, from: index)
        last = .set
      case UInt8(ascii: "."):
        endAtom()
        last = .anything
      case UInt8(ascii: "\\"):
        endAtom()
        let escaped = index < bytes.count ? bytes[index] : 0
        index += 1
        // \d, \w and similar classes match many characters; \. matches one.
        last = (escaped | 0x20) &- UInt8(ascii: "a") < 26 ? .set : .literal
      default:
        endAtom()
        last = .literal
      }
    }
    return false
  }

  /// Records that the last atom occurs once.
  private mutating func endAtom() {
    switch last {
    case .literal: groups[groups.count - 1].hasSeparator = true
    case .group(let group):
      groups[groups.count - 1].repeats = groups[groups.count - 1].repeats || group.repeats
      groups[groups.count - 1].repeatsAnything = groups[groups.count - 1].repeatsAnything || group.repeatsAnything
      if group.hasSeparator, !group.hasAlternatives { groups[groups.count - 1].hasSeparator = true }
    case .none, .anything, .set: break
    }
    last = .none
  }

  /// Records that the last atom is repeated; returns true if that must not be allowed.
  private mutating func repeatLast() -> Bool {
    if case .group(let group) = last {
      if group.isCostlyToRepeat { return true }
      groups[groups.count - 1].repeatsAnything = groups[groups.count - 1].repeatsAnything || group.repeatsAnything
    }
    if case .anything = last { groups[groups.count - 1].repeatsAnything = true }
    groups[groups.count - 1].repeats = true
    last = .none
    return false
  }

  /// Returns the index after the bracket that closes a character set.
  private static func endOfSet(in bytes: [UInt8], from start: Int) -> Int {
    var index = start
    var depth = 1
    while index < bytes.count, depth > 0 {
      switch bytes[index] {
      case UInt8(ascii: "\\"): index += 1
      case UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "]") where index > start: depth -= 1
      default: break
      }
      index += 1
    }
    return min(index, bytes.count)
  }
}
