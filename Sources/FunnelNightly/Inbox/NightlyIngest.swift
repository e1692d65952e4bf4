import FunnelDecoding
import FunnelIngest
import FunnelKit
import FunnelStore
import FunnelModel
import FunnelSystem

/// Ingests the files of an inbox into the store, and moves each file once its events are committed.
///
/// If the process is killed between commit and move, the next run finds only duplicates in the file and moves it.
struct NightlyIngest {
  let inbox: NightlyInbox
  let operation: IngestOperation
  let writer: StoreWriter
  let catalog: FlowCatalog
  let decoding: DecodingOptions
  let completeness: CompletenessCriteria
  /// The files that this run and earlier ones have ingested.
  private var taken: TakenFiles
  /// The result so far.
  private(set) var outcome = NightlyOutcome()
  /// Whether the run ended and no ingested file is still in the inbox.
  private(set) var isInboxClear = false
  /// The flow versions whose definitions the run added to the store.
  private(set) var remembered: [String] = []
  /// Whether ingested files are still in the inbox and will be read again.
  private var hasUnmovedFiles = false
  /// The reason why the index was not written, or `nil` if it was.
  private var indexProblem: String?
  /// The errors so far. The run continues after them.
  var problems: NightlyProblems
  private let monitor: any OperationMonitor

  /// The size in bytes on disk of the files that are ingested together.
  ///
  /// Each ingest ends with an update of the index, so one ingest per file would be slow. A single ingest of a
  /// large backlog would move no file until all were read.
  private static let groupBytesTarget = 256 << 20

  init(
    _ settings: NightlyRunSettings, into writer: StoreWriter, _ catalog: FlowCatalog, problems: NightlyProblems,
    monitor: any OperationMonitor
  ) throws(FunnelError) {
    inbox = settings.inbox
    operation = settings.ingest
    completeness = settings.completeness
    self.writer = writer
    self.catalog = catalog
    decoding = try settings.ingest.decoding(for: writer)
    taken = TakenFiles(store: StoragePath(writer.reader.path))
    self.problems = problems
    self.monitor = monitor
  }

  /// Ingests all files of the inbox, and saves the definitions that the user added to the store.
  ///
  /// - Throws: Errors of the store. A file that cannot be ingested is recorded as a problem instead, and the
  ///   others are still ingested.
  mutating func run() throws(FunnelError) {
    do {
      try ingestInbox()
    } catch let error as FunnelError {
      throw error
    } catch {
      throw FunnelError(.inputOutput, "the inbox was not ingested, \(inbox.root), \(error), run the command again")
    }
    isInboxClear = !hasUnmovedFiles
    let catalog = catalog
    let writer = writer
    var added: [String] = []
    _ = problems.tolerating { () throws(FunnelError) in added = try StoreDefinitions.remember(catalog, in: writer) }
    remembered = added
  }

  private mutating func ingestInbox() throws {
    var contents = try inbox.contents(completeness)
    try addGrown(to: &contents)
    outcome.left.add(contents.left)
    for problem in contents.closedFolders { problems.add(problem) }
    for (arrival, reason) in contents.unreadable { fail(arrival, reason.message) }
    let phase = monitor.begin("ingesting", files: contents.arrivals.map(\.input))
    var remaining = contents.arrivals[...]
    while !remaining.isEmpty {
      try ingest(Self.takeGroup(from: &remaining), phase)
    }
    phase.finish()
    monitor.noteIndexProblem(indexProblem)
  }

  /// Removes and returns the first files up to the target size, at least one unless none remain.
  private static func takeGroup(from remaining: inout ArraySlice<NightlyInbox.Arrival>) -> [NightlyInbox.Arrival] {
    var group: [NightlyInbox.Arrival] = []
    var bytes = 0
    while bytes < groupBytesTarget, let next = remaining.popFirst() {
      group.append(next)
      bytes += next.status.size
    }
    return group
  }

  /// Ingests a group of files and moves them. Repeats without the files that turn out to be unreadable.
  private mutating func ingest(_ group: [NightlyInbox.Arrival], _ phase: any PhaseMonitor) throws {
    let eventsBefore = writer.reader.eventCount
    var arrivals = group
    while !arrivals.isEmpty {
      do {
        let (summary, problem) = try operation.ingest(
          arrivals.map(\.input), into: writer, catalog, decoding, progress: phase.update)
        if let problem { indexProblem = problem }
        outcome.add(summary, accepted: writer.reader.eventCount - eventsBefore)
        for arrival in arrivals {
          let counts = summary.countsByFile[Array(arrival.input.path.utf8)]
          if arrival.isTaken { noteGrown(arrival, counts) } else { settle(arrival, counts) }
        }
        try taken.write()
        return
      } catch let error as FunnelError {
        // If every file can be read to its end, the error comes from the store.
        let failures = arrivals.map { inbox.readFailure(of: $0) }
        guard failures.contains(where: { $0 != nil }) else { throw error }
        for (arrival, failure) in zip(arrivals, failures) {
          if let failure { fail(arrival, failure.message) }
        }
        arrivals = zip(arrivals, failures).filter { $0.1 == nil }.map(\.0)
      }
    }
  }

  /// Moves an ingested file to `done`, or to `failed` if it has bad lines and no event.
  ///
  /// Lines of forgotten subjects and lines that `funnel collect` rejected are not bad. An empty file goes to `done`.
  private mutating func settle(_ arrival: NightlyInbox.Arrival, _ counts: InputCounts?) {
    if let counts, counts.badCount > counts.takenOver, counts.events == 0 {
      let path = arrival.input.path.printable
      return fail(
        arrival,
        "no valid event in the file, \(path), \(RejectionSummary.sentence(counts)), fix it and move it back to the inbox")
    }
    let damages: KeyValuePairs<RejectionReason, String> = [.damagedGzip: "gzip", .damagedZip: "zip"]
    let damage = damages.first { counts?.rejected[$0.key] != nil }?.value
    guard let place = move(arrival, to: .done) else { return }
    taken.add(inbox.absolutePath(of: place), bytes: arrival.status.size)
    outcome.filesDone += 1
    guard let damage, let counts else { return }
    outcome.filesDamaged += 1
    monitor.note(
      "damaged \(damage), \(arrival.input.path.printable), the \(Quantity.counted(counts.events, "event")) before the damage"
        + " \(counts.events == 1 ? "was" : "were") ingested; send the file again"
    )
  }

  /// Adds the files of `done` that grew after they were ingested.
  private mutating func addGrown(to contents: inout NightlyInbox.Contents) throws(FunnelError) {
    for path in taken.files(below: inbox.absolutePath(of: NightlyInbox.Destination.done.rawValue)) {
      let name = inbox.name(ofAbsolutePath: path)
      // An inaccessible path, such as one below a link that replaced a folder, is skipped.
      let found: FileStatus?
      do throws(FunnelError) { found = try inbox.fileSystem.status(of: inbox.root.inside(name)) } catch { continue }
      guard let status = found, status.kind == .file else {
        taken.remove(path)
        continue
      }
      guard status.size > taken.length(of: path) ?? 0 else { continue }
      let arrival = NightlyInbox.Arrival(name: name, status: status, input: inbox.input(name, status), isTaken: true)
      if let reason = try inbox.reasonToWait(arrival, completeness) {
        outcome.left.add(name, reason)
      } else {
        contents.arrivals.append(arrival)
      }
    }
  }

  /// Records that a grown file of `done` was ingested again. Its earlier events were duplicates.
  private mutating func noteGrown(_ arrival: NightlyInbox.Arrival, _ counts: InputCounts?) {
    outcome.filesGrown += 1
    taken.add(inbox.absolutePath(of: arrival.name), bytes: arrival.status.size)
    try? inbox.fileSystem.setModified(inbox.root.inside(arrival.name), to: decoding.now)
    monitor.note(
      "a file grew after it was ingested, \(arrival.input.path.printable), it was read again; upload as NAME.part, then rename")
  }

  /// Moves a file to `failed` and records the problem. A file that is already in `done` stays there.
  private mutating func fail(_ arrival: NightlyInbox.Arrival, _ reason: String) {
    guard !arrival.isTaken else {
      return problems.add(FunnelError(.unusableInput, "\(reason); it grew after it was ingested, and stays in done/"))
    }
    guard move(arrival, to: .failed) != nil else { return }
    outcome.filesFailed += 1
    problems.add(FunnelError(.unusableInput, "\(reason); it was moved to \(NightlyInbox.Destination.failed.rawValue)/"))
  }

  /// Moves a file. Returns its new path relative to the inbox, or `nil` if it stays in the inbox.
  private mutating func move(_ arrival: NightlyInbox.Arrival, to destination: NightlyInbox.Destination) -> String? {
    do throws(FunnelError) {
      if let place = try inbox.move(arrival, to: destination, at: decoding.now) { return place }
      outcome.left.add(arrival.name, .changed)
      monitor.note(
        "a file changed while it was read, \(arrival.input.path.printable), left for the next run; upload as NAME.part, then rename"
      )
    } catch {
      outcome.left.add(arrival.name, .notMoved)
      problems.add(error)
    }
    hasUnmovedFiles = true
    return nil
  }
}
