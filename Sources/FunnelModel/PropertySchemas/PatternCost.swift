/// Detects regular expressions that can take exponential time on a short text.
///
/// Swift's `Regex` backtracks. In a nested repetition such as `(a+)+`, each further character doubles the
/// number of ways to match, so forty characters would take years. A mandatory separator, as in `(\.[0-9]+)*`,
/// leaves only one way.
///
/// The check is a heuristic that finds common mistakes, not every such expression. Definitions are trusted, unlike events.
struct PatternCost {
  /// A parenthesized group of the pattern, or the whole pattern.
  private struct Group {
    /// Whether the group contains a repetition without a fixed count.
    var repeats = false
    /// Whether such a repetition is of `.`, which matches any character.
    var repeatsAnything = false
    /// Whether the group contains a separator: a literal character that occurs exactly once.
    var hasSeparator = false
    var hasAlternatives = false

    /// Whether a repetition of the group can take exponential time.
    var isCostlyToRepeat: Bool { repeats && (repeatsAnything || !hasSeparator || hasAlternatives) }
  }

  /// The preceding element, which a quantifier would repeat.
  private enum Atom {
    case none, literal, anything, set
    case group(Group)
  }

  /// The open groups, innermost last. The first is the whole pattern.
  private var groups = [Group()]
  private var last = Atom.none

  /// The innermost open group.
  private var group: Group {
    get { groups[groups.count - 1] }
    set { groups[groups.count - 1] = newValue }
  }

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
      // After a repetition, the sign makes it lazy.
      case UInt8(ascii: "?"): makeLastOptional()
      case UInt8(ascii: "("):
        endAtom()
        groups.append(Group())
      case UInt8(ascii: ")") where groups.count > 1:
        endAtom()
        last = .group(groups.removeLast())
      case UInt8(ascii: "|"):
        endAtom()
        group.hasAlternatives = true
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

  /// Adds the last atom, which occurs once, to the innermost group.
  private mutating func endAtom() {
    switch last {
    case .literal: group.hasSeparator = true
    case .group(let inner):
      group.repeats = group.repeats || inner.repeats
      group.repeatsAnything = group.repeatsAnything || inner.repeatsAnything
      if inner.hasSeparator, !inner.hasAlternatives { group.hasSeparator = true }
    case .none, .anything, .set: break
    }
    last = .none
  }

  /// Adds the last atom, which may be absent and therefore is not a separator, to the innermost group.
  private mutating func makeLastOptional() {
    if case .group(let inner) = last, inner.isCostlyToRepeat {
      group.repeats = true
      group.repeatsAnything = group.repeatsAnything || inner.repeatsAnything
    }
    last = .none
  }

  /// Adds the last atom, which is repeated, to the innermost group. Returns whether the repetition can take exponential time.
  private mutating func repeatLast() -> Bool {
    if case .group(let inner) = last {
      if inner.isCostlyToRepeat { return true }
      group.repeatsAnything = group.repeatsAnything || inner.repeatsAnything
    }
    if case .anything = last { group.repeatsAnything = true }
    group.repeats = true
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
