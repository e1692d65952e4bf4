import FunnelHistories
import FunnelIndex
import FunnelIngest
public import FunnelModel
public import FunnelReports
public import FunnelStore

/// Finds why numbers of days that were reported already are others now: by what the store's journal says happened since.
///
/// - A forgotten subject's events are all gone, so a day of its groups has lost events of its own.
/// - An undone ingest may have taken later events of a group, so a day may have changed if events of its groups' window are gone.
/// - Dead letters that were taken in and late events are still there: the days are those on which their subjects have groups, or had them
///   before.
public struct RestatementCauses: Sendable {
  /// The night that last reported.
  public struct NightlyRun: Sendable {
    /// The last commit that it counted.
    public var commit: Int
    /// The moment of the night.
    public var asOf: Timestamp
    /// The end of the last day that it reported.
    public var end: Timestamp
    /// The hash of the definition of each flow version, by its reference.
    public var definitions: [String: String]

    public init(asOf: Timestamp, commit: Int, end: Timestamp, definitions: [String: String]) {
      (self.asOf, self.commit, self.end, self.definitions) = (asOf, commit, end, definitions)
    }
  }

  private let timeZone: TimeZoneRules
  /// The moment of the night that last reported.
  private let lastAsOf: Timestamp
  private let windows: [String: TimeSpan]
  private let changedDefinitions: Set<String>
  /// The UTC days that lost events to an erasure, and to an undone ingest.
  private let (forgotten, undone): (Set<CivilDate>, Set<CivilDate>)
  /// The days on which subjects of added events have groups, by flow version.
  private var (retried, late): ([String: Set<CivilDate>], [String: Set<CivilDate>]) = ([:], [:])

  /// - Parameters:
  ///   - night: The night that last reported.
  ///   - store: The store as it is now.
  ///   - definitions: The hash of the definition of each flow version now.
  ///   - query: The query of the numbers: by day.
  /// - Throws: `inputOutput` if the log is damaged.
  public init(
    since night: NightlyRun, in store: StoreReader, catalog: FlowCatalog, definitions: [String: String], query: ReportQuery,
    threads: Int
  ) throws(FunnelError) {
    timeZone = query.timeZone
    lastAsOf = night.asOf
    windows = Dictionary(catalog.definitions.map { ($0.reference, $0.window) }, uniquingKeysWith: { $1 })
    changedDefinitions = Set(definitions.keys.filter { definitions[$0] != night.definitions[$0] })
    let commits = store.commits.filter { $0.number > night.commit }
    func days(of kind: String) -> Set<CivilDate> {
      Set(commits.filter { $0.kind == kind }.flatMap { $0.removed.filter { $0.area == .log }.map(\.day) })
    }
    (forgotten, undone) = (days(of: "forget"), days(of: "undo"))
    func days(ofSubjectsOf kind: String, before end: Timestamp?) throws(FunnelError) -> [String: Set<CivilDate>] {
      let numbers = Set(commits.filter { $0.kind == kind }.map(\.number))
      guard !numbers.isEmpty else { return [:] }
      let subjects = try LateSubjects.byFlow(
        in: store, catalog: catalog, broughtBy: numbers, before: end, threads: threads)
      guard !subjects.isEmpty else { return [:] }
      let now = try Self.days(of: subjects, store, catalog, query, threads: threads)
      let then = try Self.days(of: subjects, store.asOf(commit: night.commit), catalog, query, threads: threads)
      return now.merging(then) { $0.union($1) }
    }
    retried = try days(ofSubjectsOf: "retry", before: nil)
    late = try days(ofSubjectsOf: "ingest", before: night.end)
  }

  /// Returns the first cause that applies to a day and a flow version.
  ///
  /// A day that was closed when it was last reported can't have matured since: only an event that came late can have changed it.
  public func cause(of key: DayKey) -> RestatementCause {
    if changedDefinitions.contains(key.reference) { return .definition }
    if !forgotten.isDisjoint(with: utcDays(of: key.day, window: nil)) { return .forgotten }
    if !undone.isDisjoint(with: utcDays(of: key.day, window: windows[key.reference])) { return .undone }
    if retried[key.reference]?.contains(key.day) ?? false { return .retried }
    return isClosed(key) || late[key.reference]?.contains(key.day) ?? false ? .late : .matured
  }

  /// Whether the window of the last group that may have begun on a day was over when the day was last reported.
  private func isClosed(_ key: DayKey) -> Bool {
    let end = timeZone.midnight(of: CivilDate(daysSinceEpoch: key.day.daysSinceEpoch + 1))
    return end.milliseconds + (windows[key.reference]?.milliseconds ?? 0) <= lastAsOf.milliseconds
  }

  /// Returns the UTC days that a day of the reports has a part of, and those of the windows of its groups.
  private func utcDays(of day: CivilDate, window: TimeSpan?) -> Set<CivilDate> {
    let first = timeZone.midnight(of: day)
    let end =
      timeZone.midnight(of: CivilDate(daysSinceEpoch: day.daysSinceEpoch + 1)).milliseconds - 1 + (window?.milliseconds ?? 0)
    let last = Timestamp(milliseconds: end).day
    return Set((first.day.daysSinceEpoch...last.daysSinceEpoch).map(CivilDate.init(daysSinceEpoch:)))
  }

  /// Returns the days on which subjects have groups, by flow version.
  private static func days(
    of subjects: [Int: Set<String>], _ store: StoreReader, _ catalog: FlowCatalog, _ query: ReportQuery, threads: Int
  ) throws(FunnelError) -> [String: Set<CivilDate>] {
    var named = query
    named.needs.subjects = true
    let question = named
    return try StoreSequences.fold(
      store, catalog: catalog, query: question, flows: Set(subjects.keys), threads: threads
    ) { (sequences) throws(FunnelError) in
      var days: [String: Set<CivilDate>] = [:]
      for (flow, chosen) in subjects {
        let report = try Self.report(chosen, of: sequences, flow, catalog, question, threads: threads)
        days[catalog.definitions[flow].reference] = Set(DayTable.all.flatMap { $0.rows(of: report) }.map(\.key.day))
      }
      return days
    }.result
  }

  private static func report(
    _ subjects: Set<String>, of source: some SequenceSource, _ flow: Int, _ catalog: FlowCatalog, _ query: ReportQuery,
    threads: Int
  ) throws(FunnelError) -> Report {
    try Report(
      of: ChosenSubjects(subjects, of: source), catalog: catalog, flows: [flow], query: query, selection: .standard,
      threads: threads)
  }
}
