/// Tells regular expressions that a short text can keep busy for ever from others.
///
/// Swift's `Regex` tries one way after another. A repetition of nothing but a repetition, such as `(a+)+`, has twice as many ways for each
/// further character: forty characters would take years. A character that must stand between, as in `(\.[0-9]+)*`, leaves one way. Whoever
/// writes a definition is trusted, whoever logs an event is not; so this looks for what people write by mistake, not for every such expression.
struct PatternCost {
  private struct Group {
    /// Whether something in the group is repeated without a fixed number.
    var repeats = false
    /// Whether that is any character at all.
    var repeatsAnything = false
    /// Whether a character must stand in the group once, in each of its alternatives.
    var hasSeparator = false
    var hasAlternatives = false

    var isCostlyToRepeat: Bool { repeats && (repeatsAnything || !hasSeparator || hasAlternatives) }
  }

  /// What a quantifier that follows would repeat.
  private enum Atom {
    case none, literal, anything, set
    case group(Group)
  }

  private var groups = [Group()]
  private var last = Atom.none

  /// Whether a repetition in a pattern can take time beyond all bounds.
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
        // \d, \w and their like stand for many characters; \. for one.
        last = (escaped | 0x20) &- UInt8(ascii: "a") < 26 ? .set : .literal
      default:
        endAtom()
        last = .literal
      }
    }
    return false
  }

  /// Takes in that the last atom stands once.
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

  /// Takes in that the last atom is repeated; true where that can't be allowed.
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

  /// Behind the bracket that closes a set of characters.
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
