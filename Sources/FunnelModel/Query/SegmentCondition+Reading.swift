extension SegmentCondition {
  /// Why a text is no condition, in two pieces of a message: `WHAT, --where TEXT, REMEDY`.
  public struct Problem: Error, Hashable, Sendable {
    /// What is wrong.
    public let what: String
    /// What to write instead.
    public let remedy: String
  }

  /// Reads a condition, or returns nil if the text is none.
  public init?(_ text: some StringProtocol) {
    do throws(Problem) {
      try self.init(reading: String(text))
    } catch {
      return nil
    }
  }

  /// Reads `KEY OP VALUE`, where blanks around the operator don't count:
  ///
  ///     try SegmentCondition(reading: "ctx.app_version >= 5.2").holds(for: .string("5.10"))  // true
  ///
  /// The key ends at the first of `=`, `!`, `~`, `<` and `>`.
  ///
  /// - Throws: ``Problem`` if the key is none, there is no operator, or nothing can be compared with the value.
  public init(reading text: String) throws(Problem) {
    // By scalars: a combining mark behind the equals sign would make one character of both.
    let scalars = text.unicodeScalars
    let keyEnd = scalars.firstIndex { ["=", "!", "~", "<", ">"].contains($0) } ?? scalars.endIndex
    let key = String(scalars[..<keyEnd]).withoutOuterBlanks
    let dimension = Dimension(key)
    guard let (written, length) = Self.comparison(at: scalars[keyEnd...]) else {
      let form = "\(dimension == nil ? "ctx.KEY" : key)=VALUE"
      throw Problem(
        what: "no operator in the condition", remedy: "write it as \(form), or with !=, ~, !~, <, <=, > or >= in place of =")
    }
    guard let dimension else {
      throw key.isEmpty
        ? Problem(what: "no key in front of \(written.rawValue)", remedy: "write it as ctx.KEY\(written.rawValue)VALUE")
        : Problem(what: "not a key", remedy: Dimension.advice(insteadOf: key))
    }
    let value = String(scalars[scalars.index(keyEnd, offsetBy: length)...]).withoutOuterBlanks
    // An empty value is what is absent, for a glob as well.
    let comparison: Operator =
      switch (written, value.isEmpty) {
      case (.like, true): .equal
      case (.notLike, true): .notEqual
      default: written
      }
    let operand = try Self.operand(value, of: comparison, for: dimension)
    self.init(dimension: dimension, comparison: comparison, operand: operand)
  }

  /// The operator at the beginning of a text and how many scalars it has, or nil if there is none.
  private static func comparison(at text: Substring.UnicodeScalarView) -> (Operator, Int)? {
    let head = String(text.prefix(2))
    if head == "==" { return (.equal, 2) }
    if let long = Operator(rawValue: head) { return (long, head.unicodeScalars.count) }
    return Operator(rawValue: String(text.prefix(1))).map { ($0, 1) }
  }

  private static func operand(
    _ value: String, of comparison: Operator, for dimension: Dimension
  ) throws(Problem) -> Operand {
    switch comparison {
    case .equal, .notEqual: return .items(ConditionItem.list(value))
    case .like, .notLike: return .pattern(GlobPattern(value))
    case .less, .atMost, .greater, .atLeast:
      let example = "\(dimension)\(comparison.rawValue)\(dimension.calendarExample ?? "5.2")"
      guard !value.isEmpty else {
        throw Problem(what: "no value behind \(comparison.rawValue)", remedy: "write it as \(example)")
      }
      if let bound = ConditionBound(value, for: dimension) { return .bound(bound) }
      throw dimension.calendarExample == nil
        ? Problem(
          what: "neither a number nor a version behind \(comparison.rawValue)",
          remedy: "write it as \(example), or compare texts with = or ~")
        : Problem(what: "not a \(dimension) behind \(comparison.rawValue)", remedy: "write it as \(example)")
    }
  }
}
