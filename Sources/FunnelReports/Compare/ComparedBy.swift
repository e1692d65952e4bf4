package import FunnelModel

/// The property by which a comparison divides groups into sides.
package enum ComparedBy: Hashable, Sendable {
  /// The values of a key.
  case key(Dimension)
  /// The versions of a flow.
  case version
  /// The period in which people began.
  case period

  /// The name in JSON: the key, `version` or `period`.
  var name: String {
    switch self {
    case .key(let dimension): dimension.description
    case .version: "version"
    case .period: "period"
    }
  }

  /// The noun for one side, such as `variant`.
  var noun: String {
    switch self {
    case .key(let dimension): dimension.calendarExample == nil ? "variant" : dimension.description
    case .version: "version"
    case .period: "period"
    }
  }

  /// Whether the number of entries a day, over all sides together, is known.
  var hasEntriesPerDay: Bool {
    switch self {
    case .key: true
    case .version, .period: false
    }
  }

  /// Whether every side keeps gaining entries. A past week, a past period or an old version does not.
  var growsEveryDay: Bool {
    switch self {
    case .key(let dimension): dimension.calendarExample == nil
    case .version, .period: false
    }
  }

  /// Whether sides cover days of the week, which must match for a fair comparison.
  var hasWeekdays: Bool {
    switch self {
    case .key(let dimension): dimension == .week || dimension == .month
    case .period: true
    case .version: false
    }
  }

  /// The last components of keys that name the arms of an experiment.
  private static let experimentParts: Set = ["variant", "experiment", "arm", "bucket", "group"]

  /// Whether the name of the key suggests an experiment. The sizes of its arms then have an intended ratio.
  package var isExperiment: Bool {
    guard case .key(let dimension) = self, let part = dimension.description.split(separator: ".").last else { return false }
    return Self.experimentParts.contains(part.lowercased())
  }
}
