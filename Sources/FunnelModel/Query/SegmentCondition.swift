/// A condition on the segment of a group's anchor: `ctx.country=DE,AT`, `ctx.app_version>=5.2`, `props.screen!~pin_*`.
///
/// The right-hand side is parsed once, when the condition is created, which makes testing a value cheap.
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

  /// The test of a value: an operator with its right-hand side.
  enum Test: Hashable, Sendable {
    /// `=`: the value matches one of the items.
    case oneOf([ConditionItem])
    /// `!=`: the value matches none of the items.
    case noneOf([ConditionItem])
    /// `~`: the value is present and matches the glob.
    case like(GlobPattern)
    /// `!~`: the value is absent or does not match the glob.
    case notLike(GlobPattern)
    /// The value has an order relative to a bound.
    case order(OrderOperator, ConditionBound)

    /// Whether the test excludes values, so it holds for an absent one.
    var isExclusion: Bool {
      switch self {
      case .noneOf, .notLike: true
      case .oneOf, .like, .order: false
      }
    }
  }

  /// An operator that compares a value with a bound.
  enum OrderOperator: Hashable, Sendable {
    case less, atMost, greater, atLeast

    /// Returns whether the comparison holds for a value in a given order relative to the bound.
    func admits(_ order: ValueOrder) -> Bool {
      switch self {
      case .less: order == .before
      case .atMost: order != .after
      case .greater: order == .after
      case .atLeast: order != .before
      }
    }
  }

  /// The dimension whose value is tested.
  package let dimension: Dimension
  let test: Test

  /// Creates a condition with a test that is valid for the dimension.
  init(dimension: Dimension, test: Test) {
    self.dimension = dimension
    self.test = test
  }

  /// Creates a condition that a value is in a list (`=`) or not in it (`!=`).
  ///
  /// - Parameters:
  ///   - comparison: `=` or `!=`.
  ///   - values: The values, at least one.
  package init(_ dimension: Dimension, _ comparison: Operator, anyOf values: [String]) {
    precondition(comparison == .equal || comparison == .notEqual, "only = and != compare with a list")
    precondition(!values.isEmpty, "an empty list has no text")
    let items = values.map { ConditionItem($0) }
    self.init(dimension: dimension, test: comparison == .equal ? .oneOf(items) : .noneOf(items))
  }

  /// Returns whether an anchor with a given value meets the condition.
  ///
  /// A glob is matched against the text as it was logged: `4.50` is not shortened.
  ///
  /// - Parameter isVersion: Whether the flow declares the values of the key to be versions (``FlowDefinition/isVersion(_:)``).
  package func holds(for value: PropertyValue, isVersion: Bool = false) -> Bool {
    let isVersion = isVersion || dimension.isVersion
    let candidate = value.segmentValue(isText: isVersion || dimension.calendarExample != nil)
    return switch test {
    case .oneOf(let items): items.contains { $0.matches(candidate) }
    case .noneOf(let items): !items.contains { $0.matches(candidate) }
    case .like(let pattern): value != .null && pattern.matches(value.description)
    case .notLike(let pattern): value == .null || !pattern.matches(value.description)
    case .order(let comparison, let bound):
      bound.order(of: candidate, text: value.description, isVersion: isVersion).map(comparison.admits) ?? false
    }
  }
}

// The condition as text.
extension SegmentCondition: CustomStringConvertible {
  /// The condition in canonical form, with `=` for `==`. It parses to the same condition.
  package var description: String {
    // An equals sign at the beginning of the value would be parsed as the second character of the operator.
    let isDoubled = comparison == .equal && value.utf8.first == UInt8(ascii: "=")
    return "\(dimension)\(isDoubled ? "==" : comparison.rawValue)\(value)"
  }

  /// The text after the operator.
  package var value: String {
    switch test {
    case .oneOf(let items), .noneOf(let items): ConditionItem.text(of: items)
    case .like(let pattern), .notLike(let pattern): pattern.text
    case .order(_, let bound): bound.text
    }
  }

  /// The items that `=` and `!=` compare with. Empty for every other operator.
  package var items: [ConditionItem] {
    switch test {
    case .oneOf(let items), .noneOf(let items): items
    case .like, .notLike, .order: []
    }
  }

  /// The operator.
  package var comparison: Operator {
    switch test {
    case .oneOf: .equal
    case .noneOf: .notEqual
    case .like: .like
    case .notLike: .notLike
    case .order(.less, _): .less
    case .order(.atMost, _): .atMost
    case .order(.greater, _): .greater
    case .order(.atLeast, _): .atLeast
    }
  }
}
