import FunnelModel

/// The rules that hold for a record.
struct RuleChoice {
  /// The number of the choice among those of the record's name; nil if it has none because there are too many.
  let number: Int?
  /// The rules, nil in place of one that leaves the event as it is.
  let rules: [EventRule?]

  /// The event as it is.
  static let unchanged = RuleChoice(number: 0, rules: [nil])
}

/// Chooses among the rules for one name. Not to be shared between threads.
final class RuleChooser {
  private let rules: [EventRule]
  private let format: ImportFormat
  /// What records become for which no rule holds; nil if they are left out.
  private let otherwise: RuleChoice?
  /// The choice for all records, if the rules have no conditions.
  private let constant: RuleChoice?
  /// The choices so far by the indices of their rules.
  private var known: [[Int]: RuleChoice] = [:]

  /// The number of choices that are numbered.
  private static let knownMax = 1 << 10

  /// Creates a chooser among rules; nil if the mapping does not name the event, and none if the event is left out.
  init(_ rules: [EventRule]?, plan: ImportPlan) {
    self.rules = rules ?? []
    format = plan.format
    let keeps = plan.keepsOtherEvents && rules?.isEmpty != true
    otherwise = keeps ? .unchanged : nil
    let isConstant = self.rules.allSatisfy(\.conditions.isEmpty)
    constant = isConstant && !self.rules.isEmpty ? RuleChoice(number: 1, rules: self.rules) : nil
  }

  /// Returns the rules that hold for a record, or nil if it is left out.
  @inline(__always)
  func choice(for record: ImportedRecord) -> RuleChoice? {
    if let constant { return constant }
    return rules.isEmpty ? otherwise : conditionalChoice(for: record)
  }

  private func conditionalChoice(for record: ImportedRecord) -> RuleChoice? {
    let indices = rules.indices.filter { index in
      rules[index].conditions.allSatisfy { holds($0, for: record) }
    }
    guard !indices.isEmpty else { return otherwise }
    if let known = known[indices] { return known }
    let isNumbered = known.count < Self.knownMax
    let choice = RuleChoice(number: isNumbered ? known.count + 1 : nil, rules: indices.map { rules[$0] })
    if isNumbered { known[indices] = choice }
    return choice
  }

  private func holds(_ condition: (slot: Int, values: [PropertyValue]), for record: ImportedRecord) -> Bool {
    guard let field = record.field(condition.slot) else { return condition.values.contains(.null) }
    let value = record.fields[field]
    // An empty string counts as absent, as it does for every other path; a condition may name it all the same.
    if value.isAbsent, condition.values.contains(.null) { return true }
    // Google's export writes integers as strings.
    if format == .ga4, let digits = value.integerText {
      guard let integer = Int64(String(decoding: digits, as: UTF8.self)) else { return false }
      return condition.values.contains { $0.isSame(as: .integer(integer)) }
    }
    if let text = value.string { return condition.values.contains { $0.isString(text) } }
    guard let found = value.propertyValue else { return false }
    return condition.values.contains { $0.isSame(as: found) }
  }
}

extension PropertyValue {
  /// Returns whether two values are the same; an integer and a double of one value are.
  fileprivate func isSame(as other: PropertyValue) -> Bool {
    switch (self, other) {
    case (.integer(let integer), .double(let double)), (.double(let double), .integer(let integer)):
      double == Double(integer)
    default: self == other
    }
  }

  /// Returns whether the value is a string of these bytes.
  fileprivate func isString(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if case .string(let text) = self { text.utf8.elementsEqual(bytes) } else { false }
  }
}
