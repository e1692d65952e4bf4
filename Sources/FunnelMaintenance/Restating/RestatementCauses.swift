import FunnelSequences
import FunnelIndex
import FunnelDecoding
package import FunnelModel
package import FunnelReports
package import FunnelStore

/// Determines why the numbers of a day differ from those of an earlier report, from the commits since then.
///
/// - Erasure: a forgotten subject loses all its events, so the days of its groups lost events themselves.
/// - Undo: an undone ingest may have removed only later events of a group, so a day is affected if events in the
///   conversion window of its groups were removed.
/// - Links: an event with a user may give older events of its subject another person. The affected days are those on which the
///   persons before and after have groups. If all new links are events of one day, they are late events of that day.
/// - Retry and late events: the events are still in the log. The affected days are those on which their subjects
///   have groups, or had groups before.
package struct RestatementCauses: Sendable {
  /// The nightly run that made the earlier report.
  package struct NightlyRun: Sendable {
    /// The number of the last commit whose events were reported.
    package var commit: Int
    /// The time of the run.
    package var asOf: Timestamp
    /// The end of the last day that was reported.
    package var end: Timestamp
    /// The hash of the definition of each flow version, by its reference.
    package var definitions: [String: String]

    /// Creates the description of a nightly run.
    package init(asOf: Timestamp, commit: Int, end: Timestamp, definitions: [String: String]) {
      self.asOf = asOf
      self.commit = commit
      self.end = end
      self.definitions = definitions
    }
  }

  private let timeZone: TimeZoneRules
  /// The time of the nightly run.
  private let lastAsOf: Timestamp
  /// The conversion window of each flow version, by its reference.
  private let windows: [String: TimeSpan]
  /// The references of the flow versions whose definitions have changed.
  private let changedDefinitions: Set<String>
  /// The UTC days that lost events to an erasure.
  private let forgotten: Set<CivilDate>
  /// The UTC days that lost events to an undone ingest.
  private let undone: Set<CivilDate>
  /// The days on which subjects of retried dead letters have groups, by flow version.
  private var retried: [String: Set<CivilDate>] = [:]
  /// The days on which persons have groups who got or lost older events through links of other days, by flow version.
  private var linked: [String: Set<CivilDate>] = [:]
  /// The days on which subjects of late events have groups, by flow version.
  private var late: [String: Set<CivilDate>] = [:]

  /// Collects the changes of a store since a nightly run.
  ///
  /// - Parameters:
  ///   - lastRun: The nightly run that made the earlier report.
  ///   - store: The current store.
  ///   - catalog: The current flow definitions.
  ///   - definitions: The current hash of the definition of each flow version.
  ///   - query: The query of the report, with numbers by day.
  /// - Throws: `inputOutput` if the log is damaged.
  package init(
    since lastRun: NightlyRun, in store: StoreReader, catalog: FlowCatalog, definitions: [String: String], query: ReportQuery,
    threads: Int
  ) throws(FunnelError) {
    timeZone = query.timeZone
    lastAsOf = lastRun.asOf
    windows = Dictionary(catalog.definitions.map { ($0.reference, $0.window) }, uniquingKeysWith: { $1 })
    changedDefinitions = Set(definitions.keys.filter { definitions[$0] != lastRun.definitions[$0] })
    let commits = store.commits.filter { $0.number > lastRun.commit }
    func days(of kind: Commit.Kind) -> Set<CivilDate> {
      Set(commits.filter { $0.kind == kind }.flatMap { $0.removed.filter { $0.area == .log }.map(\.day) })
    }
    forgotten = days(of: .forget)
    undone = days(of: .undo)
    func days(ofSubjectsOf kind: Commit.Kind, before end: Timestamp?) throws(FunnelError) -> [String: Set<CivilDate>] {
      let numbers = Set(commits.filter { $0.kind == kind }.map(\.number))
      guard !numbers.isEmpty else { return [:] }
      let subjects = try LateSubjects.byFlow(
        in: store, catalog: catalog, broughtBy: numbers, before: end, threads: threads)
      guard !subjects.isEmpty else { return [:] }
      return try daysNowAndThen(of: subjects.map { Chosen(flow: $0, subjects: $1) })
    }
    func daysNowAndThen(of chosen: [Chosen]) throws(FunnelError) -> [String: Set<CivilDate>] {
      guard !chosen.isEmpty else { return [:] }
      let now = try Self.days(of: chosen, store, catalog, query, threads: threads)
      let then = try Self.days(of: chosen, store.asOf(commit: lastRun.commit), catalog, query, threads: threads)
      return now.merging(then) { $0.union($1) }
    }
    retried = try days(ofSubjectsOf: .retry, before: nil)
    let persons = try LinkedPersons(
      in: store, broughtBy: Set(commits.filter { $0.kind == .ingest || $0.kind == .retry }.map(\.number)),
      since: store.asOf(commit: lastRun.commit), lastAsOf: lastRun.asOf, catalog: catalog, query: query, threads: threads
    ).persons
    func chosen(_ days: (LinkedPersons.Change) -> Chosen.Days?) -> [Chosen] {
      persons.flatMap { change, persons -> [Chosen] in
        guard let days = days(change) else { return [] }
        return catalog.definitions.indices.filter { catalog.definitions[$0].app == change.app }.map {
          Chosen(flow: $0, subjects: persons, days: days)
        }
      }
    }
    linked = try daysNowAndThen(of: chosen { $0.linkDay.map { .allBut($0) } ?? .all })
    late = try days(ofSubjectsOf: .ingest, before: lastRun.end)
      .merging(daysNowAndThen(of: chosen { $0.linkDay.map { .only($0) } })) { $0.union($1) }
  }

  /// Returns the first cause that applies to a day of a flow version.
  package func cause(of key: DayKey) -> RestatementCause {
    if changedDefinitions.contains(key.reference) { return .definition }
    if !forgotten.isDisjoint(with: utcDays(of: key.day, window: nil)) { return .forgotten }
    if !undone.isDisjoint(with: utcDays(of: key.day, window: windows[key.reference])) { return .undone }
    if retried[key.reference]?.contains(key.day) ?? false { return .retried }
    if linked[key.reference]?.contains(key.day) ?? false { return .linked }
    // The numbers of a day that was closed can't have matured: only a late event can have changed them.
    return isClosed(key) || late[key.reference]?.contains(key.day) ?? false ? .late : .matured
  }

  /// Returns whether the conversion windows of all groups of a day had ended at the time of the nightly run.
  private func isClosed(_ key: DayKey) -> Bool {
    let end = timeZone.midnight(of: CivilDate(daysSinceEpoch: key.day.daysSinceEpoch + 1))
    return end.milliseconds + (windows[key.reference]?.milliseconds ?? 0) <= lastAsOf.milliseconds
  }

  /// Returns the UTC days that overlap a day of the report, extended by the conversion window if there is one.
  private func utcDays(of day: CivilDate, window: TimeSpan?) -> Set<CivilDate> {
    let first = timeZone.midnight(of: day)
    let end =
      timeZone.midnight(of: CivilDate(daysSinceEpoch: day.daysSinceEpoch + 1)).milliseconds - 1 + (window?.milliseconds ?? 0)
    let last = Timestamp(milliseconds: end).day
    return Set((first.day.daysSinceEpoch...last.daysSinceEpoch).map(CivilDate.init(daysSinceEpoch:)))
  }

  /// Subjects or persons whose groups of a flow version are looked for.
  private struct Chosen {
    /// The index of the flow version in the catalog.
    let flow: Int
    let subjects: Set<String>
    var days = Days.all

    /// The days that count.
    enum Days {
      case all
      case allBut(CivilDate)
      case only(CivilDate)

      func contains(_ day: CivilDate) -> Bool {
        switch self {
        case .all: true
        case .allBut(let other): day != other
        case .only(let one): day == one
        }
      }
    }
  }

  /// Returns the days on which subjects have groups, by flow version.
  private static func days(
    of chosen: [Chosen], _ store: StoreReader, _ catalog: FlowCatalog, _ query: ReportQuery, threads: Int
  ) throws(FunnelError) -> [String: Set<CivilDate>] {
    var subjectQuery = query
    subjectQuery.needs.subjects = true
    let dayQuery = subjectQuery
    return try IndexOrLog.withSequences(
      of: store, catalog: catalog, query: dayQuery, flows: Set(chosen.map(\.flow)), threads: threads
    ) { (sequences) throws(FunnelError) in
      var days: [String: Set<CivilDate>] = [:]
      for group in chosen {
        let report = try Self.report(group.subjects, of: sequences, group.flow, catalog, dayQuery, threads: threads)
        let found = DayTable.all.flatMap { $0.rows(of: report) }.map(\.key.day).filter { group.days.contains($0) }
        days[catalog.definitions[group.flow].reference, default: []].formUnion(found)
      }
      return days
    }.result
  }

  /// Returns a report on some subjects of one flow version.
  private static func report(
    _ subjects: Set<String>, of source: some SequenceSource, _ flow: Int, _ catalog: FlowCatalog, _ query: ReportQuery,
    threads: Int
  ) throws(FunnelError) -> Report {
    try Report(
      of: ChosenSubjects(subjects, of: source), catalog: catalog, flows: [flow], query: query, selection: .standard,
      threads: threads)
  }
}
