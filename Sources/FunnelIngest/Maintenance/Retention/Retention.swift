public import FunnelStore
public import FunnelModel
import FunnelSystem

/// Lets go of what was kept long enough: events by when they happened, of all flows or of some, or by app and name; dead letters; snapshots.
///
/// Looking and doing are two steps: between them the caller counts what is to go, and hands the counts over as snapshots.
///
///     let retention = Retention(cut, catalog: catalog)
///     let findings = try retention.findings(in: writer.reader, threads: 2)
///     for day in findings.days { … }
///     let commit = try retention.commit(findings, snapshots: snapshots, to: writer, at: now)
///
/// Parts of which all goes are dropped without a look at what is in them. Of the others the members of which something goes are written anew.
/// The index, which is derived, is the caller's to remove and to make anew.
public struct Retention: Sendable {
  /// What of a store goes.
  public struct Findings: Sendable {
    public internal(set) var events = 0
    public internal(set) var deadLetters = 0
    /// Snapshots that were kept long enough, in lines.
    public internal(set) var snapshots = 0
    /// The days of which events go.
    public internal(set) var days: [CivilDate] = []
    /// The parts that go, or are written anew.
    public internal(set) var parts: [PartName] = []
    /// The parts of which something stays.
    var partsWithRest: [PartName] = []
    /// In those, the members of which something goes.
    var members = AffectedMembers()
    /// Of days of which some events stay, the flow versions of those that go and of those that stay.
    var flowsOfGone: [CivilDate: Set<Int>] = [:]
    var flowsOfRest: [CivilDate: Set<Int>] = [:]

    /// Whether there is nothing to do.
    public var isEmpty: Bool { parts.isEmpty }

    /// The flow versions all of whose events of a day go, by their index in the catalog; nil where all do, whatever they belong to.
    public func flowsGoingWhole(on day: CivilDate) -> Set<Int>? {
      flowsOfGone[day].map { $0.subtracting(flowsOfRest[day] ?? []) }
    }

    /// The flow versions some of whose events of a day go while others stay.
    public func flowsGoingInPart(on day: CivilDate) -> Set<Int> {
      (flowsOfGone[day] ?? []).intersection(flowsOfRest[day] ?? [])
    }
  }

  private let cut: Cut
  private let catalog: FlowCatalog

  /// A retention by a cut.
  public init(_ cut: Cut, catalog: FlowCatalog) {
    self.cut = cut
    self.catalog = catalog
  }

  /// Finds what goes. Only on days of which some things go and others stay are events and dead letters looked at, on all threads.
  ///
  /// - Throws: `inputOutput` where what is looked at is damaged.
  public func findings(in store: StoreReader, threads: Int) throws(FunnelError) -> Findings {
    var findings = Findings()
    func drop(_ area: PartName.Area, _ count: WritableKeyPath<Findings, Int>, where goes: (CivilDate) -> Bool) {
      for part in store.parts(of: area) where goes(part.name.day) {
        findings[keyPath: count] += part.records
        findings.parts.append(part.name)
        if area == .log, findings.days.last != part.name.day { findings.days.append(part.name.day) }
      }
    }
    drop(.log, \.events, where: cut.takesAllEvents)
    try addEvents(to: &findings, of: store, threads: threads)
    drop(.rejected, \.deadLetters) { day in cut.deadLetters.contains { $0.takesAll(of: day) } }
    try addDeadLetters(to: &findings, of: store, threads: threads)
    if let first = cut.snapshots { drop(.snapshots, \.snapshots) { $0 < first } }
    // A part is dropped or written anew by its day: none is among both.
    findings.partsWithRest = findings.members.parts(in: store)
    findings.parts += findings.partsWithRest
    return findings
  }

  /// Makes the commit: parts are dropped or written anew, and snapshots kept, all of it or nothing.
  ///
  /// - Returns: nil where there is nothing to do.
  /// - Throws: `inputOutput` or `cannotCreate` where it could not be made; then the store is as it was.
  public func commit(
    _ findings: Findings, snapshots: [CivilDate: RecordBatch], to writer: StoreWriter, at time: Timestamp
  ) throws(FunnelError) -> Commit? {
    guard !findings.isEmpty else { return nil }
    var batch = CommitBatch(kind: StoreReader.retentionKind, at: time)
    batch.removed = findings.parts
    batch.snapshots = snapshots
    let (cut, catalog) = (cut, catalog)
    let check = { (before: StoreReader, after: StoreReader) throws(FunnelError) in
      guard before.eventCount - after.eventCount == findings.events,
        before.deadLetterCount - after.deadLetterCount == findings.deadLetters
      else {
        throw FunnelError(
          .inputOutput,
          "what was written to \(before.path) is not what was to stay, so nothing was dropped; check disk and memory")
      }
    }
    return try writer.rewrite(batch, check: check) { (rewriting) throws(FunnelError) in
      try findings.members.copy(findings.partsWithRest, to: rewriting) { (lines, member) throws(FunnelError) in
        if member.part.area == .rejected { return try LetterSieve(cut.deadLetters).sift(lines, member).rest }
        var sieve = FlowSieve(cut, catalog: catalog)
        return try sieve.sift(lines, member).rest
      }
    }
  }

  /// Adds the days of which some events go and others stay.
  private func addEvents(to findings: inout Findings, of store: StoreReader, threads: Int) throws(FunnelError) {
    let (cut, catalog) = (cut, catalog)
    let members = try store.members().filter { member in
      cut.mayTakeEvents(of: member.part.day) && !cut.takesAllEvents(of: member.part.day)
    }
    let outcomes = try Parallel.map(count: members.count, threads: threads) { (index) throws(FunnelError) in
      let member = members[index]
      var sieve = FlowSieve(cut, catalog: catalog)
      var outcome = try sieve.sift(store.read(member), member)
      outcome.rest = RecordBatch()
      return outcome
    }
    for (member, outcome) in zip(members, outcomes) {
      let day = member.part.day
      findings.flowsOfRest[day, default: []].formUnion(outcome.flowsOfRest)
      guard outcome.goneCount > 0 else { continue }
      findings.flowsOfGone[day, default: []].formUnion(outcome.flowsOfGone)
      findings.events += outcome.goneCount
      findings.members.insert(member)
      if findings.days.last != day { findings.days.append(day) }
    }
  }

  /// Adds the days of which some dead letters go and others stay.
  private func addDeadLetters(to findings: inout Findings, of store: StoreReader, threads: Int) throws(FunnelError) {
    let cut = cut
    let members = try store.members(of: .rejected).filter { member in
      let day = member.part.day
      return cut.deadLetters.contains { $0.takesSome(of: day) } && !cut.deadLetters.contains { $0.takesAll(of: day) }
    }
    let counts = try Parallel.map(count: members.count, threads: threads) { (index) throws(FunnelError) in
      let member = members[index]
      return try LetterSieve(cut.deadLetters).sift(store.read(member), member).goneCount
    }
    for (member, count) in zip(members, counts) where count > 0 {
      findings.deadLetters += count
      findings.members.insert(member)
    }
  }
}
