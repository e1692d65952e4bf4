import FunnelStore
import FunnelModel
import FunnelSystem
import FunnelTestSupport

/// Runs a scenario once and records the disk after each call that changes it. Then checks any state in which the disk may be
/// found for lost or duplicated data.
final class CrashSweep: Sendable {
  /// The lines and reports of a store, for comparison with those of an uninterrupted execution.
  struct Outcome: Equatable {
    var lines: [LogFileName.Area: [String]]
    var report: String
    var reportOfLog: String

    init(of store: ScenarioStore, keepsOrder: Bool) throws {
      lines = Dictionary(
        uniqueKeysWithValues: try LogFileName.Area.allCases.map { area in
          // Each tombstone has a random salt, so only their number is compared.
          let lines = try area == .forgotten ? store.lines(area).map { _ in "" } : store.lines(area)
          return (area, keepsOrder && area == .log ? lines : lines.sorted())
        })
      report = try store.report()
      reportOfLog = try store.reportOfLog()
    }
  }

  private static let nothing = try! ScenarioInput([])
  let scenario: CrashScenario
  /// The disk at the beginning of the uninterrupted execution, and after each call that changed it.
  let moments: [SimulatedDisk.Moment]
  /// The journal at the end of that execution.
  private let journal: [UInt8]
  private let outcome: Outcome
  /// The states after recovery that passed all checks. Equal states need not be checked again.
  private let known = Guarded<Set<DiskTree>>([])

  /// Runs the scenario once.
  ///
  /// - Parameter forgetsFlush: Returns whether a flush does nothing.
  init(_ scenario: CrashScenario, forgetsFlush: @escaping @Sendable (SimulatedDisk.Call) -> Bool = { _ in false }) throws {
    self.scenario = scenario
    let folder = try TemporaryFolder(isInMemory: true)
    // The preparation has a disk of its own: all it leaves counts as durable.
    let preparing = SimulatedDisk(try DiskModel(folder: folder.path))
    try scenario.prepare(ScenarioStore(folder: folder.path, disk: preparing))
    let disk = SimulatedDisk(try DiskModel(folder: folder.path), forgetsFlush: forgetsFlush)
    let store = ScenarioStore(folder: folder.path, disk: disk)
    try scenario.command(store)
    disk.acknowledge(try store.reader().commits.count)
    moments = disk.moments
    journal = try folder.contents("store/log/journal.ndjson")
    outcome = try Outcome(of: store, keepsOrder: scenario.keepsOrder)
    guard outcome.report == outcome.reportOfLog else { throw Complaint("the report is not that of the log") }
    if let left = scenario.linkedEvents { try requireReport(ofPersonsOf: left) }
  }

  /// Checks that the reports are those of a log whose subjects are the persons of some events.
  private func requireReport(ofPersonsOf events: LinkedLog) throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let store = ScenarioStore(folder: folder.path, disk: FaultyFileSystem())
    try store.ingest(
      ScenarioInput(events.linesOfPersons(upTo: ScenarioStore.now, subjectsMax: Limits.subjectsOfPersonMaxDefault)))
    guard try store.report() == outcome.report else { throw Complaint("the report is not that of the persons") }
  }

  /// Writes a state to a disk and checks it, before and after the command is run again.
  ///
  /// - Parameter isOfAnotherRun: Whether another execution of the command left the state, so that its bytes may differ.
  /// - Returns: The first problem, or nil if there is none.
  func complaint(about state: DiskTree, acknowledged: Int, isOfAnotherRun: Bool = false) -> String? {
    do {
      let folder = try TemporaryFolder(isInMemory: true)
      try state.write(to: folder.path)
      let store = ScenarioStore(folder: folder.path, disk: FaultyFileSystem())
      try check(
        store, acknowledged: acknowledged, comparison: isOfAnotherRun ? (scenario.isRepeatable ? .content : .none) : .bytes)
      // Opening the store for writing recovers it.
      if !scenario.beginsDamaged { _ = try store.writer() }
      let mended = try DiskTree(of: folder.path)
      if known.withLock({ $0.contains(mended) }) { return nil }
      try checkCommandAfterwards(store)
      known.withLock { _ = $0.insert(mended) }
      return nil
    } catch let error as FunnelError {
      return error.message
    } catch {
      return "\(error)"
    }
  }

  /// Returns the first problem of a state that was found after the command was interrupted, run again and reported as done, or
  /// nil if there is none.
  func complaintAfterReport(about state: DiskTree) -> String? {
    do {
      let folder = try TemporaryFolder(isInMemory: true)
      try state.write(to: folder.path)
      let store = ScenarioStore(folder: folder.path, disk: FaultyFileSystem())
      try Self.require(try Outcome(of: store, keepsOrder: scenario.keepsOrder), is: outcome)
      return nil
    } catch let error as FunnelError {
      return error.message
    } catch {
      return "\(error)"
    }
  }

  /// Checks that readers see complete commits of the one execution, and no fewer than were reported.
  private func check(_ store: ScenarioStore, acknowledged: Int, comparison: Comparison) throws {
    guard let bytes = try? LocalFileSystem().readAll(StoragePath(store.path).inside("log/journal.ndjson"), bytesMax: .max)
    else {
      if acknowledged > 0 { throw Complaint("the journal is gone") }
      return
    }
    if scenario.beginsDamaged, acknowledged == 0 { return }
    let whole = bytes.prefix((bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1)
    guard scenario.beginsDamaged || comparison.holds(for: whole, of: journal) else {
      throw Complaint("the journal is not a part of what it is at the end")
    }
    let commits = whole.count { $0 == UInt8(ascii: "\n") }
    guard commits >= acknowledged else { throw Complaint("\(acknowledged) commits were reported and \(commits) are left") }
    guard let finding = try StoreVerification.run(store.path).first else { return }
    throw Complaint("\(finding)")
  }

  /// Runs the command again, and checks that the result is that of an uninterrupted execution and that no other files are left
  /// behind.
  private func checkCommandAfterwards(_ store: ScenarioStore) throws {
    try scenario.command(store)
    try Self.require(try Outcome(of: store, keepsOrder: scenario.keepsOrder), is: outcome)
    if let finding = try StoreVerification.run(store.path).first { throw Complaint("afterwards \(finding)") }
    // The next ingest removes harmless leftover files at the latest.
    try store.ingest(Self.nothing)
    let (reader, names) = (try store.reader(), try DiskTree(of: store.folder).files.keys)
    let covered = Set(LogFileName.Area.allCases.flatMap { reader.logFiles(of: $0) }.map { "store/\($0.name)" })
    let parts = Set(names.filter { LogFileName(path: $0.dropFirst("store/".count)) != nil })
    guard parts == covered else { throw Complaint("there are parts that no commit covers") }
    if let name = names.first(where: { $0.hasSuffix(".tmp") }) { throw Complaint("\(name) was left behind") }
  }

  private static func require(_ found: Outcome, is expected: Outcome) throws {
    for area in LogFileName.Area.allCases where found.lines[area] != expected.lines[area] {
      let (lines, wanted) = (found.lines[area] ?? [], expected.lines[area] ?? [])
      throw Complaint(
        "\(area.rawValue) has \(lines.count) lines and should have \(wanted.count), \(Set(wanted).subtracting(lines).count) are lost, "
          + "\(lines.count - Set(lines).count) are there twice, or they are in another order")
    }
    guard found.report == expected.report else { throw Complaint("another report") }
    guard found.reportOfLog == expected.reportOfLog else { throw Complaint("another report of the log") }
  }
}

/// How much of a journal must equal the beginning of the uninterrupted execution's journal.
private enum Comparison {
  case none
  /// The commits and their records. ISA-L may compress the same few bytes to one or two bytes more or less in another
  /// execution, so sizes, offsets and hashes may differ.
  case content
  case bytes

  /// Returns whether complete journal lines are the beginning of another journal, as far as this comparison goes.
  func holds(for found: ArraySlice<UInt8>, of whole: [UInt8]) -> Bool {
    switch self {
    case .none: true
    case .content: Self.content(of: whole).hasPrefix(Self.content(of: Array(found)))
    case .bytes: whole.starts(with: found)
    }
  }

  private static func content(of journal: [UInt8]) -> String {
    String(decoding: journal, as: UTF8.self).replacing(/"(offset|bytes)":[0-9]+/, with: "").replacing(/[0-9a-f]{64}/, with: "")
  }
}

/// A problem that a sweep found.
struct Complaint: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
