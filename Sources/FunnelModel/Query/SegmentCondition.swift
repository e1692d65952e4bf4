/// A condition on the segment a group's anchor falls into: `ctx.country=DE,AT`, `ctx.app_version>=5.2`, `props.screen!~pin_*`.
///
/// What the condition compares with is worked out when it is read, so that asking it about a value is cheap.
public struct SegmentCondition: Hashable, Sendable {
  /// How a value is compared, as it is written.
  public enum Operator: String, Hashable, Sendable, CaseIterable {
    case equal = "="
    case notEqual = "!="
    case like = "~"
    case notLike = "!~"
    case less = "<"
    case atMost = "<="
    case greater = ">"
    case atLeast = ">="
  }

  /// What values are compared with.
  enum Operand: Hashable, Sendable {
    /// `=` and `!=`: any of these.
    case items([ConditionItem])
    /// `~` and `!~`: texts of this form.
    case pattern(GlobPattern)
    /// `<`, `<=`, `>` and `>=`: what comes before or after this.
    case bound(ConditionBound)
  }

  /// Whose value is compared.
  public let dimension: Dimension
  /// How it is compared.
  public let comparison: Operator
  let operand: Operand

  init(dimension: Dimension, comparison: Operator, operand: Operand) {
    self.dimension = dimension
    self.comparison = comparison
    self.operand = operand
  }

  /// Whether an anchor with this value meets the condition.
  public func holds(for candidate: PropertyValue) -> Bool {
    switch operand {
    case .items(let items): items.contains { $0.matches(candidate) } == (comparison == .equal)
    case .pattern(let pattern): (candidate != .null && pattern.matches(candidate.description)) == (comparison == .like)
    case .bound(let bound): bound.order(of: candidate).map(comparison.admits) ?? false
    }
  }

  /// What `=` and `!=` compare with; empty for every other operator.
  public var items: [ConditionItem] {
    if case .items(let items) = operand { items } else { [] }
  }
}

extension SegmentCondition.Operator {
  /// Whether a comparison holds for a value that is so much less or greater than the bound.
  fileprivate func admits(_ order: ValueOrder) -> Bool {
    switch self {
    case .equal: order == .same
    case .notEqual: order != .same
    case .less: order == .before
    case .atMost: order != .after
    case .greater: order == .after
    case .atLeast: order != .before
    // A glob has no order.
    case .like, .notLike: false
    }
  }
}

extension SegmentCondition: CustomStringConvertible {
  /// The condition without superfluous blanks; `==` is written as `=`, and `~` in front of nothing too. It reads back to the same condition.
  public var description: String {
    // An equals sign that begins the value would be read as the second one of the operator.
    let isDoubled = comparison == .equal && value.utf8.first == UInt8(ascii: "=")
    return "\(dimension)\(isDoubled ? "==" : comparison.rawValue)\(value)"
  }

  /// What stands behind the operator.
  public var value: String {
    switch operand {
    case .items(let items): ConditionItem.text(of: items)
    case .pattern(let pattern): pattern.text
    case .bound(let bound): bound.text
    }
  }
}

/// How a value lies to what it is compared with.
enum ValueOrder: Hashable, Sendable {
  case before
  case same
  case after

  init<Value: Comparable>(_ value: Value, to other: Value) {
    self = value < other ? .before : value == other ? .same : .after
  }
}
