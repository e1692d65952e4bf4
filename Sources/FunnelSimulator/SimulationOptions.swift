package import FunnelModel

/// The options of a simulation.
package struct SimulationOptions: Hashable, Sendable {
  /// The flows to simulate: `clarity/onboarding@2`, `cleaner/permissions_flow` (all its versions) or `all`, those of
  /// ``definitions`` included.
  package var flows: [String]
  /// Flow versions that are simulated from their definitions. ``flows`` may name them, and one that has the name and version of a known
  /// flow is simulated in its place.
  package var definitions: [FlowDefinition]
  /// The number of subjects of each app, at least 1. The flows of one app share its subjects.
  package var subjects: Int
  /// The seed of all randomness: the same options give the same bytes on every machine.
  package var seed: UInt64
  /// The first day of the log, in UTC.
  package var start: CivilDate
  /// The number of days that the log covers, at least 1. Later events are left out.
  package var days: Int
  /// Whether 1 to 3 % of the lines arrive more than a day late.
  package var includesLate: Bool
  /// Whether 0.5 to 1 % of the lines are repeated.
  package var includesDuplicates: Bool
  /// Whether there are wrong clocks, misspelt names, damaged lines and breaches of the flows' rules.
  package var includesFaults: Bool

  package init(
    flows: [String] = ["all"], definitions: [FlowDefinition] = [], subjects: Int, seed: UInt64, start: CivilDate, days: Int,
    includesLate: Bool = false,
    includesDuplicates: Bool = false, includesFaults: Bool = false
  ) {
    self.flows = flows
    self.definitions = definitions
    self.subjects = subjects
    self.seed = seed
    self.start = start
    self.days = days
    self.includesLate = includesLate
    self.includesDuplicates = includesDuplicates
    self.includesFaults = includesFaults
  }

  /// The maximum number of subjects of one app, within the 32 bits of a subject's number.
  package static let subjectsMax = 1_000_000_000
  /// The maximum number of days: ten years, as long as the longest conversion window.
  package static let daysMax = 3_650
  /// The earliest start: one day after the first day that events may belong to (``Limits/timestampMillisecondsMin``), which leaves
  /// room for clocks that are behind.
  package static let startMin = CivilDate(
    daysSinceEpoch: Int(Limits.timestampMillisecondsMin / Timestamp.millisecondsPerDay) + 1)
  /// The latest start: 9000-01-01 keeps every timestamp within a four-digit year.
  package static let startMax = CivilDate(daysSinceEpoch: 2_567_655)

  func validate() throws(FunnelError) {
    guard subjects >= 1, subjects <= Self.subjectsMax else {
      throw FunnelError(.usage, "--subjects \(subjects): give a whole number from 1 to \(Self.subjectsMax)")
    }
    guard days >= 1, days <= Self.daysMax else {
      throw FunnelError(.usage, "--days \(days): give a whole number from 1 to \(Self.daysMax)")
    }
    guard start >= Self.startMin, start <= Self.startMax else {
      throw FunnelError(
        .usage, "--from \(start): the day is out of range, use one from \(Self.startMin) to \(Self.startMax)")
    }
  }
}
