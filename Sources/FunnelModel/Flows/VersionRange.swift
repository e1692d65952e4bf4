/// A range of versions such as `>=5.2`, `<5.2` or `>=3 <5.2`: bounds separated by spaces, all of which must hold.
public struct VersionRange: Hashable, Sendable, CustomStringConvertible {
  /// The comparison of a version with a bound.
  enum Comparison: String, Hashable, Sendable, CaseIterable {
    // Longer operators come first, so that the parser finds `>=` before `>`.
    case atLeast = ">="
    case atMost = "<="
    case above = ">"
    case below = "<"
    case equal = "="
  }

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
  /// The range as it was written.
  public let description: String

  /// Parses a range such as `>=3 <5.2`; spaces between an operator and its version are ignored.
  ///
  /// Returns nil if a bound lacks its operator or its version, or if there is no bound.
  public init?(_ text: String) {
    var bounds: [Bound] = []
    var rest = text.drop { $0 == " " }
    while !rest.isEmpty {
      guard let comparison = Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else { return nil }
      rest = rest.dropFirst(comparison.rawValue.count).drop { $0 == " " }
      guard let version = DottedVersion(rest.prefix { $0 != " " }) else { return nil }
      bounds.append(Bound(comparison: comparison, version: version))
      rest = rest.drop { $0 != " " }.drop { $0 == " " }
    }
    guard !bounds.isEmpty else { return nil }
    self.bounds = bounds
    description = text
  }

  /// Whether the bounds exclude one another, so that the range contains no version.
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
  public func contains(_ version: DottedVersion) -> Bool { bounds.allSatisfy { $0.holds(for: version) } }
}
