import FunnelDecoding
import FunnelIndex
import FunnelIngest
import FunnelMaintenance
import FunnelModel
import FunnelStore
import FunnelTestSupport
import Testing

/// Persons are counted by the events that an undo, a retention or an erasure leaves. Events that are gone link nothing.
@Suite struct PersonRemovalTests {
  /// Six hours, so that the events are of four days.
  private static let interval = 6 * 3_600_000

  private let store: IndexedStore

  init() throws { store = try IndexedStore(catalog: RandomHistories.catalog()) }

  /// Checks the reports of the store's log and of its index.
  private func expectReports(of log: LinkedLog, _ comment: Comment, using random: inout SeededGenerator) throws {
    #expect(try store.reader().eventCount == log.events.count, comment)
    for _ in 0..<2 {
      let query = PersonAnswers.query(
        countBy: [nil, nil, .person, .entry, .subject], interval: Self.interval, using: &random)
      let (persons, others) = PersonAnswers.units(store.catalog, query)
      for flows in [persons, others] where !flows.isEmpty {
        let place: Comment = "\(comment): \(query), \(flows == persons)"
        let expected = try PersonAnswers(byRuleOf: log, store.catalog, flows, query)
        #expect(try PersonAnswers(ofLog: store, flows, query) == expected, place)
        #expect(try PersonAnswers(ofIndex: store, flows, query) == expected, place)
      }
    }
  }

  private func ingest(_ log: LinkedLog) throws {
    try store.ingest(log.lines)
    try store.refresh()
  }

  private func undo(_ commit: Int) throws {
    let writer = try store.lock()
    let undo = try IngestUndo(of: .commit(commit), in: writer.reader)
    _ = try undo.apply(undo.plan(in: writer.reader), on: writer, at: Journeys.now, threads: 2)
  }

  /// Returns events that give two subjects to an account that no other event names.
  private func linksToOneAccount(of log: LinkedLog) -> [LinkedLog.Event] {
    let events = log.events.filter { $0.app == "cleaner" }
    return [events.first, events.first { $0.subject != events[0].subject }].compactMap { $0 }.map { event in
      var link = event
      link.user = "joint"
      link.id = "link-\(event.id)"
      link.name = "user_linked"
      return link
    }
  }

  @Test(arguments: Sweeps.seeds(40, sample: 5))
  func `an undo takes the links of an ingest back, and the same ingest brings them again`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let events = LinkedLog(Int.random(in: 10...200, using: &random), interval: Self.interval, using: &random).events
    let (first, last) = (events.count / 2, events.count * 4 / 5)
    let before = LinkedLog(events[..<first])
    let links = LinkedLog(Array(events[first..<last]) + linksToOneAccount(of: before))
    let after = LinkedLog(events[last...])
    try ingest(before)
    try expectReports(of: before, "seed \(seed), before", using: &random)
    try ingest(links)
    try ingest(after)
    let all = LinkedLog(before.events + links.events + after.events)
    try expectReports(of: all, "seed \(seed), with the links", using: &random)
    try undo(2)
    try expectReports(of: LinkedLog(before.events + after.events), "seed \(seed), undone", using: &random)
    try ingest(links)
    try expectReports(of: all, "seed \(seed), again", using: &random)
  }

  @Test(arguments: Sweeps.seeds(40, sample: 5))
  func `events that are retained no longer link nothing`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var log = LinkedLog(Int.random(in: 10...200, using: &random), interval: Self.interval, using: &random)
    for part in [log.events.prefix(log.events.count / 3), log.events.dropFirst(log.events.count / 3)] {
      try ingest(LinkedLog(part))
    }
    for hours in (0..<3).map({ _ in Int.random(in: 0...72, using: &random) }).sorted() {
      var start = Timestamp(milliseconds: Int64(LinkedLog.start + hours * 3_600_000 + 250))
      if Bool.random(using: &random) { start = start.day.midnight }
      let apps: Set<String> = Bool.random(using: &random) ? [] : ["cleaner"]
      let isOfLinks = Int.random(in: 0..<3, using: &random) == 0
      var cut = RetentionCut()
      cut.events = [.init(.init(from: start, apps: apps), names: isOfLinks ? [try #require(NamePattern("user_*"))] : [])]
      let writer = try store.lock()
      let retention = Retention(cut, catalog: store.catalog)
      let plan = try retention.plan(in: writer.reader, threads: 2)
      _ = try retention.apply(plan, snapshots: [:], on: writer, at: Journeys.now, threads: 2)
      log = log.removing {
        $0.milliseconds < start.milliseconds && (apps.isEmpty || apps.contains($0.app))
          && (!isOfLinks || $0.name == "user_linked")
      }
      try expectReports(of: log, "seed \(seed), from \(start), \(apps), \(isOfLinks)", using: &random)
    }
  }

  @Test(arguments: Sweeps.seeds(40, sample: 5))
  func `a person that is forgotten leaves the persons of the other events, and stays out`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let log = LinkedLog(Int.random(in: 10...200, using: &random), interval: Self.interval, using: &random)
    let stored = LinkedLog(log.events.prefix(log.events.count / 2))
    let ids = Set(stored.events.flatMap { [$0.subject, $0.user ?? $0.subject] }).sorted()
    let persons = Array(ids.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)))
    let linked = stored.events.filter { $0.user.map(persons.contains) ?? false }.map(\.subject)
    let forgotten = Set(persons + linked)
    func isErased(_ event: LinkedLog.Event) -> Bool {
      forgotten.contains(event.subject) || event.user.map(forgotten.contains) ?? false
    }
    let comment: Comment = "seed \(seed), \(persons)"
    try ingest(stored)
    do {
      let writer = try store.lock()
      let erasure = try Erasure(ofPersons: persons, key: nil, in: writer.reader, threads: 2)
      let plan = try erasure.plan(in: writer.reader, at: Journeys.now, threads: 2)
      #expect(erasure.subjectCount == forgotten.count && plan.events == stored.events.count(where: isErased), comment)
      _ = try erasure.apply(plan, on: writer, at: Journeys.now, threads: 2)
    }
    try expectReports(of: stored.removing(isErased), comment, using: &random)
    var decoding = IndexedStore.decoding
    decoding.forgotten = try Tombstones(of: store.reader())
    let summary = try store.ingest(log.lines, decoding: decoding)
    #expect(summary.rejectedByReason[.forgotten] ?? 0 == log.events.count(where: isErased), comment)
    try store.refresh()
    try expectReports(of: log.removing(isErased), "\(comment), again", using: &random)
  }
}
