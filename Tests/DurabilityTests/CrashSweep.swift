import FunnelStore
import FunnelModel
import FunnelSystem
import FunnelTestSupport

/// Runs a scenario once and remembers every moment; then says of any state the disk may be found in whether something is lost.
final class CrashSweep: Sendable {
  /// What a store comes to that nobody ever killed.
  struct Outcome: Equatable {
    var lines: [PartName.Area: [String]]
    var report: String
    var reportOfLog: String

    init(of store: ScenarioStore, keepsOrder: Bool) throws {
      lines = Dictionary(
        uniqueKeysWithValues: try PartName.Area.allCases.map { area in
          // Each tombstone is salted anew.
          let lines = try area == .forgotten ? store.lines(area).map { _ in "" } : store.lines(area)
          return (area, keepsOrder && area == .log ? lines : lines.sorted())
        })
      report = try store.report()
      reportOfLog = try store.reportOfLog()
    }
  }

  private static let nothing = try! ScenarioInput([])
  let scenario: CrashScenario
  /// The disk between all calls of the one run that went well.
  let moments: [SimulatedDisk.Moment]
  /// The journal when all was done.
  private let journal: [UInt8]
  private let outcome: Outcome
  /// States that were found to be well after they were mended: the same needs no second look.
  private let known = Guarded<Set<DiskTree>>([])

  /// - Parameter forgetsFlush: Which flushes do nothing.
  init(_ scenario: CrashScenario, forgetsFlush: @escaping @Sendable (SimulatedDisk.Call) -> Bool = { _ in false }) throws {
    self.scenario = scenario
    let folder = try TemporaryFolder(isInMemory: true)
    // Prepared on a disk that flushes nothing: what counts is that it is there.
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
  }

  /// Puts a state on a disk, and sees whether all is there that must be, before and after the command is run once more.
  ///
  /// - Parameter isOfAnotherRun: Whether the state is not a moment of the one run, but what another run of the command left.
  /// - Returns: What is wrong; nil where all is well.
  func complaint(about state: DiskTree, acknowledged: Int, isOfAnotherRun: Bool = false) -> String? {
    do {
      let folder = try TemporaryFolder(isInMemory: true)
      try state.write(to: folder.path)
      let store = ScenarioStore(folder: folder.path, disk: FaultyFileSystem())
      try check(
        store, acknowledged: acknowledged, comparison: isOfAnotherRun ? (scenario.isRepeatable ? .content : .none) : .bytes)
      // What the next writer does before anything else.
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

  /// What is wrong with a state that is found after the command was broken off, run again, and has reported.
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

  /// What readers see is whole commits of the one run, and no fewer than were reported.
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

  /// The command run again comes to what it would have come to, and leaves nothing behind that does not belong there.
  private func checkCommandAfterwards(_ store: ScenarioStore) throws {
    try scenario.command(store)
    try Self.require(try Outcome(of: store, keepsOrder: scenario.keepsOrder), is: outcome)
    if let finding = try StoreVerification.run(store.path).first { throw Complaint("afterwards \(finding)") }
    // Remains that do no harm are gone with the next ingest at the latest.
    try store.ingest(Self.nothing)
    let (reader, names) = (try store.reader(), try DiskTree(of: store.folder).files.keys)
    let covered = Set(PartName.Area.allCases.flatMap { reader.parts(of: $0) }.map { "store/\($0.name)" })
    let parts = Set(names.filter { PartName(path: $0.dropFirst("store/".count)) != nil })
    guard parts == covered else { throw Complaint("there are parts that no commit covers") }
    if let name = names.first(where: { $0.hasSuffix(".tmp") }) { throw Complaint("\(name) was left behind") }
  }

  private static func require(_ found: Outcome, is expected: Outcome) throws {
    for area in PartName.Area.allCases where found.lines[area] != expected.lines[area] {
      let (lines, wanted) = (found.lines[area] ?? [], expected.lines[area] ?? [])
      throw Complaint(
        "\(area.rawValue) has \(lines.count) lines and should have \(wanted.count), \(Set(wanted).subtracting(lines).count) are lost, "
          + "\(lines.count - Set(lines).count) are there twice, or they are in another order")
    }
    guard found.report == expected.report else { throw Complaint("another report") }
    guard found.reportOfLog == expected.reportOfLog else { throw Complaint("another report of the log") }
  }
}

/// What a journal that was found has in common with the journal of the whole run.
private enum Comparison {
  case none
  /// The same commits of the same records. ISA-L may compress the same few bytes into one or two bytes more or less in another run, so
  /// sizes, offsets and hashes may differ.
  case content
  case bytes

  /// Returns whether a journal of whole lines is the beginning of another, as far as it is compared.
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

/// What a sweep found to be wrong.
struct Complaint: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
