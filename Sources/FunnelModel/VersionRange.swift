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

  /// Reads a range; nil where a word of it is no bound, or there is none.
  public init?(_ text: String) {
    var bounds: [Bound] = []
    for word in text.split(separator: " ") {
      guard let comparison = Comparison.allCases.first(where: { word.hasPrefix($0.rawValue) }),
        let version = DottedVersion(word.dropFirst(comparison.rawValue.count))
      else { return nil }
      bounds.append(Bound(comparison: comparison, version: version))
    }
    guard !bounds.isEmpty else { return nil }
    self.bounds = bounds
    description = text
  }

  /// Whether a version lies in the range.
  public func contains(_ version: DottedVersion) -> Bool { bounds.allSatisfy { $0.holds(for: version) } }
}
