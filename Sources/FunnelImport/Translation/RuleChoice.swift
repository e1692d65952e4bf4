import FunnelModel

/// The mapping rules that apply to a record. Each rule makes one event of the record.
struct RuleChoice {
  /// A rule that makes one event of a record.
  enum Rule {
    /// The event keeps its name and gets no step.
    case unchanged
    /// A rule of the mapping changes the event.
    case mapped(EventRule)
  }

  /// The ID of the choice among those of the record's name, or `nil` if there are too many choices.
  let id: Int?
  /// The rules, at least one.
  let rules: [Rule]

  /// The choice that keeps the event unchanged.
  static let unchanged = RuleChoice(id: 0, rules: [.unchanged])
}

/// Selects the rules of one event name that apply to a record. Not thread-safe: each worker owns one.
final class RuleChooser {
  private let rules: [EventRule]
  private let format: ImportFormat
  /// The choice for records to which no rule applies, or `nil` to drop them.
  private let otherwise: RuleChoice?
  /// The choice for all records, or `nil` if there are no rules or a rule has conditions.
  private let constant: RuleChoice?
  /// The choices so far, by the indices of their rules.
  private var known: [[Int]: RuleChoice] = [:]

  /// The maximum number of choices that are kept.
  private static let knownMax = 1 << 10

  /// Creates a chooser.
  ///
  /// - Parameters:
  ///   - rules: The rules, empty if the mapping drops the event, or `nil` if the mapping does not list the name.
  ///   - isLink: Whether the records only link two IDs. They are kept even if the mapping drops other events.
  init(_ rules: [EventRule]?, isLink: Bool, plan: ImportPlan) {
    self.rules = rules ?? []
    format = plan.format
    let keeps = (plan.keepsOtherEvents || isLink) && rules?.isEmpty != true
    otherwise = keeps ? .unchanged : nil
    let isConstant = self.rules.allSatisfy(\.conditions.isEmpty)
    constant = isConstant && !self.rules.isEmpty ? RuleChoice(id: 1, rules: self.rules.map { .mapped($0) }) : nil
  }

  /// Returns the rules that apply to a record, or `nil` to drop the record.
  @inline(__always)
  func choice(for record: ImportedRecord) -> RuleChoice? {
    if let constant { return constant }
    return rules.isEmpty ? otherwise : conditionalChoice(for: record)
  }

  private func conditionalChoice(for record: ImportedRecord) -> RuleChoice? {
    var indices: [Int] = []
    for (index, rule) in rules.enumerated() where holds(rule.conditions, for: record) { indices.append(index) }
    guard !indices.isEmpty else { return otherwise }
    if let known = known[indices] { return known }
    let isKept = known.count < Self.knownMax
    let choice = RuleChoice(id: isKept ? known.count + 1 : nil, rules: indices.map { .mapped(rules[$0]) })
    if isKept { known[indices] = choice }
    return choice
  }

  /// Returns whether a record meets all conditions.
  private func holds(_ conditions: [EventRule.Condition], for record: ImportedRecord) -> Bool {
    for condition in conditions where !holds(condition, for: record) { return false }
    return true
  }

  /// Returns whether a record meets a condition.
  private func holds(_ condition: EventRule.Condition, for record: ImportedRecord) -> Bool {
    guard let field = record.field(condition.slot) else { return condition.values.contains(.null) }
    let value = record.fields[field]
    // An empty string counts as absent, but a condition may also list the empty string itself.
    if value.isAbsent, condition.values.contains(.null) { return true }
    // Google's export writes integers as strings.
    if format == .ga4, let digits = value.integerText {
      guard let integer = Int64(String(decoding: digits)) else { return false }
      return condition.values.contains { $0.isSame(as: .integer(integer)) }
    }
    if let text = value.string {
      for value in condition.values where value.isString(text) { return true }
      return false
    }
    guard let found = value.propertyValue else { return false }
    return condition.values.contains { $0.isSame(as: found) }
  }
}

extension PropertyValue {
  /// Whether two values are equal. An integer equals a double of the same value.
  fileprivate func isSame(as other: PropertyValue) -> Bool {
    switch (self, other) {
    case (.integer(let integer), .double(let double)), (.double(let double), .integer(let integer)):
      double == Double(integer)
    default: self == other
    }
  }

  /// Whether the value is a string with these bytes.
  fileprivate func isString(_ bytes: Span<UInt8>) -> Bool {
    guard case .string(let text) = self else { return false }
    return bytes.isEqual(to: Array(text.utf8).span)
  }
}
