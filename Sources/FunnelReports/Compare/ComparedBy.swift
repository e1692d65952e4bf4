public import FunnelModel

/// What tells the sides of a comparison apart.
public enum ComparedBy: Hashable, Sendable {
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

  /// The noun for one side.
  var noun: String {
    switch self {
    case .key(let dimension): dimension.calendarExample == nil ? "variant" : dimension.description
    case .version: "version"
    case .period: "period"
    }
  }

  /// Whether the number of people who enter all sides together on a day is known.
  var hasEntriesPerDay: Bool {
    switch self {
    case .key: true
    case .version, .period: false
    }
  }

  /// Whether people enter every side on any day, so that waiting longer brings more of them.
  var growsEveryDay: Bool {
    switch self {
    case .key(let dimension): dimension.calendarExample == nil
    case .version, .period: false
    }
  }

  /// Whether a side has days of the week, which another side should have too.
  var hasWeekdays: Bool {
    switch self {
    case .key(let dimension): dimension == .week || dimension == .month
    case .period: true
    case .version: false
    }
  }

  /// The last parts of keys by which experiments are told apart.
  private static let experimentParts: Set = ["variant", "experiment", "arm", "bucket", "group"]

  /// Whether the sides are those of an experiment by the name of the key, so that a ratio of their sizes was meant.
  public var isExperiment: Bool {
    guard case .key(let dimension) = self, let part = dimension.description.split(separator: ".").last else { return false }
    return Self.experimentParts.contains(part.lowercased())
  }
}
