/// The conditions of a query on the subject (specification section 3).
public struct SubjectFilter: Sendable {
  /// One condition.
  private enum Test: Sendable {
    /// A list of subjects as UTF-8 bytes. `holdsForMembers` is true for `=` and false for `!=`.
    case list(Set<[UInt8]>, holdsForMembers: Bool)
    /// A condition with a glob.
    case pattern(SegmentCondition)
  }

  // Lists may be long, so a subject is looked up in a set instead of being compared with each item.
  private let tests: [Test]

  /// Creates the filter of a query, or returns `nil` if it has no condition on subjects.
  public init?(_ query: ReportQuery) {
    let conditions = query.conditions.filter { $0.dimension == .subject }
    guard !conditions.isEmpty else { return nil }
    tests = conditions.map { condition in
      let items = condition.items
      guard !items.isEmpty else { return .pattern(condition) }
      return .list(Set(items.map { Array($0.text.utf8) }), holdsForMembers: condition.comparison == .equal)
    }
  }

  /// Returns whether a subject meets all conditions.
  public func admits(_ subject: String) -> Bool {
    tests.allSatisfy { test in
      switch test {
      case .list(let members, let holdsForMembers): members.contains(Array(subject.utf8)) == holdsForMembers
      case .pattern(let condition): condition.holds(for: .string(subject))
      }
    }
  }
}
