extension SegmentCondition {
  /// The reason why a text is not a condition, for a message of the form `WHAT, --where TEXT, REMEDY`.
  package struct Problem: Error, Hashable, Sendable {
    /// A description of the problem.
    package let what: String
    /// A suggestion of what to write instead.
    package let remedy: String
  }

  /// Parses a condition, or returns `nil` if the text is not one.
  package init?(_ text: some StringProtocol) {
    do throws(Problem) {
      try self.init(reading: String(text))
    } catch {
      return nil
    }
  }

  /// Parses `KEY OP VALUE`, ignoring whitespace around the operator:
  ///
  ///     try SegmentCondition(reading: "ctx.app_version >= 5.2").holds(for: .string("5.10"))  // true
  ///
  /// The key ends at the first of `=`, `!`, `~`, `<` and `>`.
  ///
  /// - Throws: ``Problem`` if the key is not a dimension, if there is no operator, or if the value is invalid for the operator.
  package init(reading text: String) throws(Problem) {
    // The text is split at scalars, because a combining mark after the equals sign would form a single character with it.
    let scalars = text.unicodeScalars
    let keyEnd = Self.keyEnd(of: scalars)
    let key = String(scalars[..<keyEnd]).withoutOuterBlanks
    let dimension = Dimension(key)
    guard let (written, length) = Self.comparison(at: scalars[keyEnd...]) else {
      let form = "\(dimension == nil ? "ctx.KEY" : key)=VALUE"
      throw Problem(
        what: "no operator in the condition", remedy: "write it as \(form), or with !=, ~, !~, <, <=, > or >= in place of =")
    }
    guard let dimension else {
      throw key.isEmpty
        ? Problem(what: "no key before \(written.rawValue)", remedy: "write it as ctx.KEY\(written.rawValue)VALUE")
        : Problem(what: "not a key", remedy: Dimension.advice(insteadOf: key))
    }
    let value = String(scalars[scalars.index(keyEnd, offsetBy: length)...]).withoutOuterBlanks
    // An empty value matches absent values. `~` with an empty glob is treated as `=`.
    let comparison: Operator =
      switch (written, value.isEmpty) {
      case (.like, true): .equal
      case (.notLike, true): .notEqual
      default: written
      }
    self.init(dimension: dimension, test: try Self.test(comparison, value, for: dimension))
  }

  /// The parts of a condition's text, before the key and the value are validated.
  package struct Parts: Hashable, Sendable {
    /// The text before the value: the key and the operator, with the whitespace around it.
    package let head: String
    package let comparison: Operator
    /// The text after the operator, without leading whitespace.
    package let value: String
  }

  /// Returns the parts of a text, or `nil` if it has no operator.
  package static func parts(of text: String) -> Parts? {
    let scalars = text.unicodeScalars
    let keyEnd = keyEnd(of: scalars)
    guard let (comparison, length) = comparison(at: scalars[keyEnd...]) else { return nil }
    let operatorEnd = scalars.index(keyEnd, offsetBy: length)
    let start = scalars[operatorEnd...].firstIndex { $0 != " " && $0 != "\t" } ?? scalars.endIndex
    return Parts(head: String(scalars[..<start]), comparison: comparison, value: String(scalars[start...]))
  }

  /// Returns the index of the first scalar of an operator, or the end of the text.
  private static func keyEnd(of scalars: String.UnicodeScalarView) -> String.Index {
    scalars.firstIndex { ["=", "!", "~", "<", ">"].contains($0) } ?? scalars.endIndex
  }

  /// Returns the operator at the start of a text and its length in scalars, or `nil` if there is none.
  private static func comparison(at text: Substring.UnicodeScalarView) -> (Operator, Int)? {
    let head = String(text.prefix(2))
    if head == "==" { return (.equal, 2) }
    if let long = Operator(rawValue: head) { return (long, head.unicodeScalars.count) }
    return Operator(rawValue: String(text.prefix(1))).map { ($0, 1) }
  }

  private static func test(
    _ comparison: Operator, _ value: String, for dimension: Dimension
  ) throws(Problem) -> Test {
    switch comparison {
    case .equal: .oneOf(ConditionItem.list(value))
    case .notEqual: .noneOf(ConditionItem.list(value))
    case .like: .like(GlobPattern(value))
    case .notLike: .notLike(GlobPattern(value))
    case .less: .order(.less, try bound(value, after: comparison, for: dimension))
    case .atMost: .order(.atMost, try bound(value, after: comparison, for: dimension))
    case .greater: .order(.greater, try bound(value, after: comparison, for: dimension))
    case .atLeast: .order(.atLeast, try bound(value, after: comparison, for: dimension))
    }
  }

  private static func bound(
    _ value: String, after comparison: Operator, for dimension: Dimension
  ) throws(Problem) -> ConditionBound {
    guard dimension != .subject else {
      throw Problem(what: "subjects have no order", remedy: "compare them with =, !=, ~ or !~")
    }
    let example = "\(dimension)\(comparison.rawValue)\(dimension.calendarExample ?? "5.2")"
    guard !value.isEmpty else {
      throw Problem(what: "no value after \(comparison.rawValue)", remedy: "write it as \(example)")
    }
    if let bound = ConditionBound(value, for: dimension) { return bound }
    throw dimension.calendarExample == nil
      ? Problem(
        what: "neither a number nor a version after \(comparison.rawValue)",
        remedy: "write it as \(example), or compare texts with = or ~")
      : Problem(what: "not a \(dimension) after \(comparison.rawValue)", remedy: "write it as \(example)")
  }
}
