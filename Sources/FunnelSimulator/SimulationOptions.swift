public import FunnelModel

/// What to simulate.
public struct SimulationOptions: Hashable, Sendable {
  /// Flows as `clarity/onboarding@2`, `cleaner/permissions_flow` (all its versions) or `all`.
  public var flows: [String]
  /// Subjects of each app, at least 1. The flows of one app share its subjects.
  public var subjects: Int
  /// Where all chance comes from: the same options give the same bytes on every machine.
  public var seed: UInt64
  /// The first day of the log, in UTC.
  public var start: CivilDate
  /// How many days the log covers, at least 1; what would happen later is left out.
  public var days: Int
  /// Lets 1 to 3 % of the lines arrive more than a day late.
  public var includesLate: Bool
  /// Repeats 0.5 to 1 % of the lines.
  public var includesDuplicates: Bool
  /// Adds wrong clocks, misspelt names, broken lines and breaches of the flows' rules.
  public var includesFaults: Bool

  public init(
    flows: [String] = ["all"], subjects: Int, seed: UInt64, start: CivilDate, days: Int, includesLate: Bool = false,
    includesDuplicates: Bool = false, includesFaults: Bool = false
  ) {
    self.flows = flows
    self.subjects = subjects
    self.seed = seed
    self.start = start
    self.days = days
    self.includesLate = includesLate
    self.includesDuplicates = includesDuplicates
    self.includesFaults = includesFaults
  }

  /// Most subjects of one app: a subject's number is 32 bits.
  public static let subjectsMax = 1_000_000_000
  /// Most days: ten years, as long as the longest conversion window.
  public static let daysMax = 3_650
  /// The first day events may be of (``Limits/timestampMillisecondsMin``), with a day's room for clocks that are behind.
  public static let startMin = CivilDate(
    daysSinceEpoch: Int(Limits.timestampMillisecondsMin / Timestamp.millisecondsPerDay) + 1)
  /// The last day a log may start on: 9000-01-01 keeps every timestamp within four digits of a year.
  public static let startMax = CivilDate(daysSinceEpoch: 2_567_655)

  func validate() throws(FunnelError) {
    guard subjects >= 1, subjects <= Self.subjectsMax else {
      throw FunnelError(.usage, "--subjects \(subjects): it takes a whole number from 1 to \(Self.subjectsMax)")
    }
    guard days >= 1, days <= Self.daysMax else {
      throw FunnelError(.usage, "--days \(days): it takes a whole number from 1 to \(Self.daysMax)")
    }
    guard start >= Self.startMin, start <= Self.startMax else {
      throw FunnelError(
        .usage, "--from \(start): no pipeline takes events of that day, use one from \(Self.startMin) to \(Self.startMax)")
    }
  }
}
