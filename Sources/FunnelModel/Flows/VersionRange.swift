/// A range of versions such as `>=5.2`, `<5.2` or `>=3 <5.2`: bounds separated by blanks, all of which must hold.
public struct VersionRange: Hashable, Sendable, CustomStringConvertible {
  /// How a version compares with a bound.
  enum Comparison: String, Hashable, Sendable, CaseIterable {
    // Longer signs first, so that reading finds `>=` before `>`.
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

  /// Reads a range such as `>=3 <5.2`; blanks between a sign and its version make no difference.
  ///
  /// Returns nil if a bound lacks its sign or its version, or if there is no bound.
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

  /// Whether the bounds exclude one another, so that no version can lie in the range.
  var isEmpty: Bool {
    let lower = bounds.filter { [.atLeast, .above, .equal].contains($0.comparison) }
    let upper = bounds.filter { [.atMost, .below, .equal].contains($0.comparison) }
    return lower.contains { low in
      upper.contains { high in
        // Two bounds at one version leave that version alone, unless one of them leaves it out.
        low.version > high.version
          || low.version == high.version && (low.comparison == .above || high.comparison == .below)
      }
    }
  }

  /// Whether a version lies in the range.
  public func contains(_ version: DottedVersion) -> Bool { bounds.allSatisfy { $0.holds(for: version) } }
}
