/// A condition on the segment of a group's anchor: `ctx.country=DE,AT`, `ctx.app_version>=5.2`, `props.screen!~pin_*`.
///
/// The operand is parsed once, when the condition is created, which makes testing a value cheap.
package struct SegmentCondition: Hashable, Sendable {
  /// A comparison operator. The raw value is its syntax.
  package enum Operator: String, Hashable, Sendable, CaseIterable {
    case equal = "="
    case notEqual = "!="
    case like = "~"
    case notLike = "!~"
    case less = "<"
    case atMost = "<="
    case greater = ">"
    case atLeast = ">="
  }

  /// The right-hand side of a condition, parsed for its operator.
  enum Operand: Hashable, Sendable {
    /// The operand of `=` and `!=`: a list of items, of which any may match.
    case items([ConditionItem])
    /// The operand of `~` and `!~`.
    case pattern(GlobPattern)
    /// The operand of `<`, `<=`, `>` and `>=`.
    case bound(ConditionBound)
  }

  /// The dimension whose value is compared.
  package let dimension: Dimension
  /// The operator that compares it with ``operand``.
  package let comparison: Operator
  let operand: Operand

  /// Creates a condition from an operand that is valid for the operator.
  init(dimension: Dimension, comparison: Operator, operand: Operand) {
    self.dimension = dimension
    self.comparison = comparison
    self.operand = operand
  }

  /// Returns whether an anchor with a given value meets the condition.
  ///
  /// A glob is matched against the text as it was logged: `4.50` is not shortened.
  ///
  /// - Parameter isVersion: Whether the flow declares the values of the key to be versions (``FlowDefinition/isVersion(_:)``).
  package func holds(for value: PropertyValue, isVersion: Bool = false) -> Bool {
    let isVersion = isVersion || dimension.isVersion
    let candidate = value.segmentValue(isText: isVersion || dimension.calendarExample != nil)
    return switch operand {
    case .items(let items): items.contains { $0.matches(candidate) } == (comparison == .equal)
    case .pattern(let pattern): (value != .null && pattern.matches(value.description)) == (comparison == .like)
    case .bound(let bound):
      bound.order(of: candidate, text: value.description, isVersion: isVersion).map(comparison.admits) ?? false
    }
  }

  /// Creates a condition that a value is in a list (`=`) or not in it (`!=`).
  ///
  /// - Parameters:
  ///   - comparison: `=` or `!=`.
  ///   - values: The values, at least one.
  package init(_ dimension: Dimension, _ comparison: Operator, anyOf values: [String]) {
    precondition(comparison == .equal || comparison == .notEqual, "only = and != compare with a list")
    precondition(!values.isEmpty, "an empty list has no text")
    self.init(dimension: dimension, comparison: comparison, operand: .items(values.map { ConditionItem($0) }))
  }

  /// The items that `=` and `!=` compare with; empty for every other operator.
  package var items: [ConditionItem] {
    if case .items(let items) = operand { items } else { [] }
  }
}

extension SegmentCondition.Operator {
  /// Returns whether the comparison holds for a value in a given order relative to the bound.
  fileprivate func admits(_ order: ValueOrder) -> Bool {
    switch self {
    case .equal: order == .same
    case .notEqual: order != .same
    case .less: order == .before
    case .atMost: order != .after
    case .greater: order == .after
    case .atLeast: order != .before
    // A glob defines no order.
    case .like, .notLike: false
    }
  }
}

extension SegmentCondition: CustomStringConvertible {
  /// The condition in canonical form, with `=` for `==`. It parses to the same condition.
  package var description: String {
    // An equals sign at the beginning of the value would be parsed as the second character of the operator.
    let isDoubled = comparison == .equal && value.utf8.first == UInt8(ascii: "=")
    return "\(dimension)\(isDoubled ? "==" : comparison.rawValue)\(value)"
  }

  /// The text after the operator.
  package var value: String {
    switch operand {
    case .items(let items): ConditionItem.text(of: items)
    case .pattern(let pattern): pattern.text
    case .bound(let bound): bound.text
    }
  }
}
