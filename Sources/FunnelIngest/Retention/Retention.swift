public import FunnelLog
public import FunnelModel
import FunnelStorage

/// Lets go of what was kept long enough: events by their UTC day, of all flows or of some; dead letters; snapshots.
///
/// Looking and doing are two steps: between them the caller counts what is to go, and hands the counts over as snapshots.
///
///     let retention = Retention(cut, catalog: catalog)
///     let findings = try retention.findings(in: writer.reader, threads: 2)
///     for day in findings.days { … }
///     let commit = try retention.commit(findings, snapshots: snapshots, to: writer, at: now)
///
/// The index, which is derived, is the caller's to remove and to make anew.
public struct Retention: Sendable {
  /// The first days that stay; nil where everything does.
  public struct Cut: Hashable, Sendable {
    /// Of events, whatever they belong to.
    public var events: CivilDate?
    /// Of events of flow versions, by their index in the catalog.
    public var eventsOfFlows: [Int: CivilDate] = [:]
    /// Of dead letters, by the day they were refused.
    public var deadLetters: CivilDate?
    /// Of snapshots.
    public var snapshots: CivilDate?

    /// A cut that leaves everything.
    public init() {}

    /// The flow versions whose events of a day go, of so many; all where events go whatever they belong to.
    public func flows(goingOn day: CivilDate, of flowCount: Int) -> Set<Int> {
      if let events, day < events { return Set(0..<flowCount) }
      return Set(eventsOfFlows.filter { day < $0.value }.keys)
    }
  }

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

    /// Whether there is nothing to do.
    public var isEmpty: Bool { parts.isEmpty }
  }

  private let cut: Cut
  private let catalog: FlowCatalog

  /// A retention by a cut.
  public init(_ cut: Cut, catalog: FlowCatalog) {
    self.cut = cut
    self.catalog = catalog
  }

  /// Finds what goes. Only where flows differ are events looked at, on all threads.
  ///
  /// - Throws: `inputOutput` where what is looked at is damaged.
  public func findings(in store: StoreReader, threads: Int) throws(FunnelError) -> Findings {
    var findings = Findings()
    func drop(_ area: PartName.Area, before day: CivilDate?, _ count: WritableKeyPath<Findings, Int>) {
      guard let day else { return }
      for part in store.parts(of: area) where part.name.day < day {
        findings[keyPath: count] += part.records
        findings.parts.append(part.name)
        if area == .log, findings.days.last != part.name.day { findings.days.append(part.name.day) }
      }
    }
    drop(.log, before: cut.events, \.events)
    try addFlows(to: &findings, of: store, threads: threads)
    drop(.rejected, before: cut.deadLetters, \.deadLetters)
    drop(.snapshots, before: cut.snapshots, \.snapshots)
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
        var sieve = FlowSieve(
          flows: cut.flows(goingOn: member.part.day, of: catalog.definitions.count), catalog: catalog)
        return try sieve.rest(of: lines, member).rest
      }
    }
  }

  /// Adds the days of which the events of some flows go and those of others stay.
  private func addFlows(to findings: inout Findings, of store: StoreReader, threads: Int) throws(FunnelError) {
    guard !cut.eventsOfFlows.isEmpty else { return }
    let (cut, catalog) = (cut, catalog)
    let members = try store.members().filter { member in
      !(cut.events.map { member.part.day < $0 } ?? false)
        && !cut.flows(goingOn: member.part.day, of: catalog.definitions.count).isEmpty
    }
    let counts = try Parallel.map(count: members.count, threads: threads) { (index) throws(FunnelError) in
      let member = members[index]
      var sieve = FlowSieve(
        flows: cut.flows(goingOn: member.part.day, of: catalog.definitions.count), catalog: catalog)
      return try sieve.rest(of: store.read(member), member).goneCount
    }
    for (member, count) in zip(members, counts) where count > 0 {
      findings.events += count
      findings.members.insert(member)
      if findings.days.last != member.part.day { findings.days.append(member.part.day) }
    }
    // None of these parts goes whole: that is decided by the day.
    findings.partsWithRest = findings.members.parts(in: store)
    findings.parts += findings.partsWithRest
  }
}
