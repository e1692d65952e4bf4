public import FunnelModel

/// The identity of a row in a table of days.
public struct DayKey: Hashable, Sendable, Comparable {
  /// The day on which the groups began.
  public var day: CivilDate
  public var app: String
  public var flow: String
  public var version: Int
  /// The step or the permission, or `nil` in a table of flows.
  public var part: String?

  public init(day: CivilDate, app: String, flow: String, version: Int, part: String?) {
    self.day = day
    self.app = app
    self.flow = flow
    self.version = version
    self.part = part
  }

  /// The reference of the flow version: `clarity/onboarding@2`.
  public var reference: String { "\(app)/\(flow)@\(version)" }

  public static func < (a: DayKey, b: DayKey) -> Bool {
    (a.day, a.app, a.flow, a.version, a.part ?? "") < (b.day, b.app, b.flow, b.version, b.part ?? "")
  }
}

/// A row of a table of days: the numbers of the groups that began on one day.
public struct DayRow: Hashable, Sendable {
  public let key: DayKey
  /// The values, one for each of the table's columns.
  public let values: [DayValue]

  public init(key: DayKey, values: [DayValue]) {
    self.key = key
    self.values = values
  }
}
