/// A range of versions such as `>=5.2`, `<5.2` or `>=3 <5.2`. All bounds must hold.
///
///     VersionRange(">=3 <5.2")!.contains(DottedVersion("5.1.9")!)   // true
package struct VersionRange: Hashable, Sendable, CustomStringConvertible {
  /// The comparison of a version with a bound.
  enum Comparison: String, Hashable, Sendable, CaseIterable {
    // Longer operators come first, so that the parser finds `>=` before `>`.
    case atLeast = ">="
    case atMost = "<="
    case above = ">"
    case below = "<"
    case equal = "="
  }

  /// A comparison with a version.
  private struct Bound: Hashable, Sendable {
    let comparison: Comparison
    let version: DottedVersion

    func holds(for candidate: DottedVersion) -> Bool {
      switch comparison {
      case .atLeast: candidate >= version
      case .atMost: candidate <= version
      case .above: candidate > version
      case .below: candidate < version
      case .equal: candidate == version
      }
    }
  }

  private let bounds: [Bound]
  /// The range as written.
  package let description: String

  /// Parses bounds with spaces between them. Spaces between an operator and its version are ignored.
  ///
  /// Returns `nil` if a bound lacks its operator or its version, or if there is no bound.
  package init?(_ text: String) {
    var bounds: [Bound] = []
    var remainder = text.drop { $0 == " " }
    while !remainder.isEmpty {
      guard let comparison = Comparison.allCases.first(where: { remainder.hasPrefix($0.rawValue) }) else { return nil }
      remainder = remainder.dropFirst(comparison.rawValue.count).drop { $0 == " " }
      guard let version = DottedVersion(remainder.prefix { $0 != " " }) else { return nil }
      bounds.append(Bound(comparison: comparison, version: version))
      remainder = remainder.drop { $0 != " " }.drop { $0 == " " }
    }
    guard !bounds.isEmpty else { return nil }
    self.bounds = bounds
    description = text
  }

  /// Whether the bounds exclude each other, so the range contains no version.
  var isEmpty: Bool {
    let lower = bounds.filter { [.atLeast, .above, .equal].contains($0.comparison) }
    let upper = bounds.filter { [.atMost, .below, .equal].contains($0.comparison) }
    return lower.contains { low in
      upper.contains { high in
        // Two bounds at the same version leave only that version, unless one of them excludes it.
        low.version > high.version
          || low.version == high.version && (low.comparison == .above || high.comparison == .below)
      }
    }
  }

  /// Returns whether a version is in the range.
  package func contains(_ version: DottedVersion) -> Bool { bounds.allSatisfy { $0.holds(for: version) } }
}
