/// The conditions of a query on the subject (specification section 3).
package struct SubjectFilter: Sendable {
  /// One condition.
  private enum Test: Sendable {
    /// The subject is one of these, as UTF-8 bytes.
    case oneOf(Set<[UInt8]>)
    /// The subject is none of these, as UTF-8 bytes.
    case noneOf(Set<[UInt8]>)
    /// A condition with a glob.
    case pattern(SegmentCondition)
  }

  // Lists may be long, so a subject is looked up in a set instead of being compared with each item.
  private let tests: [Test]

  /// Creates the filter of a query, or returns `nil` if it has no condition on subjects.
  package init?(_ query: ReportQuery) {
    let conditions = query.conditions.filter { $0.dimension == .subject }
    guard !conditions.isEmpty else { return nil }
    tests = conditions.map { condition in
      switch condition.test {
      case .oneOf(let items): .oneOf(Self.subjects(items))
      case .noneOf(let items): .noneOf(Self.subjects(items))
      case .like, .notLike, .order: .pattern(condition)
      }
    }
  }

  private static func subjects(_ items: [ConditionItem]) -> Set<[UInt8]> { Set(items.map { Array($0.text.utf8) }) }

  /// Returns whether a person meets all conditions. A condition that names or describes subjects is about any of the person's
  /// subjects and its user; one that excludes some holds if it holds for all of them.
  ///
  /// - Parameter aliases: The user and the subjects of the person.
  package func admits(_ aliases: [String]) -> Bool {
    tests.allSatisfy { test in
      switch test {
      case .oneOf(let subjects): aliases.contains { subjects.contains(Array($0.utf8)) }
      case .noneOf(let subjects): !aliases.contains { subjects.contains(Array($0.utf8)) }
      case .pattern(let condition):
        condition.test.isExclusion
          ? aliases.allSatisfy { condition.holds(for: .string($0)) }
          : aliases.contains { condition.holds(for: .string($0)) }
      }
    }
  }
}

/// The subjects that a store excludes from reports by default, such as test accounts and office phones.
///
/// The list has one subject or glob per line. Blank lines and lines that begin with `#` are ignored:
///
///     # the office
///     3f8a1c
///     test-*
package struct InternalSubjects: Sendable {
  /// The name of the list's file in the store's folder.
  package static let fileName = "internal.txt"

  private let subjects: Set<[UInt8]>
  private let patterns: [GlobPattern]

  /// Parses the text of a list.
  package init(_ text: String) {
    var subjects: Set<[UInt8]> = []
    var patterns: [GlobPattern] = []
    for line in ValueList.lines(of: text) where !line.hasPrefix("#") {
      if line.unicodeScalars.contains(where: { $0 == "*" || $0 == "?" }) {
        patterns.append(GlobPattern(line))
      } else {
        subjects.insert(Array(line.utf8))
      }
    }
    self.subjects = subjects
    self.patterns = patterns
  }

  /// Whether the list is empty.
  package var isEmpty: Bool { subjects.isEmpty && patterns.isEmpty }

  /// Returns whether a subject is on the list.
  package func contains(_ subject: String) -> Bool {
    subjects.contains(Array(subject.utf8)) || patterns.contains { $0.matches(subject) }
  }
}
