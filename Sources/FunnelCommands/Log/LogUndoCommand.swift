import ArgumentParser
import FunnelIngest
import FunnelMaintenance
import FunnelModel
import FunnelStore

/// The `funnel log undo` command, which takes the events of an ingest out of the store again.
struct LogUndoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Take the events of an ingest out of the store again.",
    discussion: """
      All events and dead letters that the ingest of a commit brought go, in one commit: after it, or after whatever broke it off, the \
      store is as before or as if the ingest had never been. All else stays byte by byte, also after 'funnel log compact'. Unlike what \
      'funnel forget' removes, they may come again: ingest the same file once more. An event that another ingest brought too, as a \
      duplicate, is gone with the first: ingest that file again.

      A retry of dead letters ('funnel rejected retry') counts as an ingest; undoing it takes out the events it made, and their dead letters \
      do not come back.

      EXAMPLE
        funnel log undo --last --dry-run
        funnel log undo 41

      \(ExitStatus.section(.noInput, .cannotCreate, .inputOutput, .locked, special: [.noInput: "no such store, or no such ingest in it"]))
      """)

  @Argument(help: ArgumentHelp("A commit of the ingest; see 'funnel log commits'.", valueName: "commit"))
  var commit: Int?

  @Flag(help: "The last ingest that was not undone, with all its commits.")
  var last = false

  @OptionGroup var store: StoreOption

  @Flag(help: "Say how much would go, and change nothing.")
  var dryRun = false

  @OptionGroup var clock: ClockOption
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var lock: LockOption

  @Option(help: ArgumentHelp("text or json (default: text).", valueName: "format"))
  var format: SummaryFormat = .text

  func validate() throws {
    if commit == nil, !last { throw ValidationError("which ingest? Name one of its commits, or give --last") }
    if commit != nil, last { throw ValidationError("both a commit and --last; give one of them") }
  }

  func run() throws {
    let now = try clock.present()
    let choice = commit.map(IngestUndo.Choice.commit) ?? .last
    try StoreReader.requireStore(store.path)
    let report = dryRun ? try rehearse(choice) : try carryOut(choice, at: now)
    switch format {
    case .text: Console.print(report.text)
    case .json: Console.print(report.json)
    }
  }

  private func rehearse(_ choice: IngestUndo.Choice) throws(FunnelError) -> UndoReport {
    let reader = try StoreReader.open(store.path)
    let undo = try IngestUndo(of: choice, in: reader)
    let findings = try undo.findings(in: reader)
    return UndoReport(
      ingest: undo.commits, findings: findings, commit: nil, eventsInStore: reader.eventCount - findings.events,
      storePath: store.path, isDryRun: true)
  }

  private func carryOut(_ choice: IngestUndo.Choice, at now: Timestamp) throws(FunnelError) -> UndoReport {
    let writer = try StoreWriter.open(store.path, threads: threads.count, lockTimeout: try lock.timeout())
    let undo = try IngestUndo(of: choice, in: writer.reader)
    let findings = try undo.findings(in: writer.reader)
    let outcome = try undo.carryOut(findings, on: writer, at: now, threads: threads.count)
    Console.complain(aboutIndex: outcome.indexProblem)
    return UndoReport(
      ingest: undo.commits, findings: findings, commit: outcome.commit?.number, eventsInStore: writer.reader.eventCount,
      storePath: store.path, isDryRun: false)
  }
}

/// The result of an undoing, as text and as JSON.
struct UndoReport {
  /// The commits of the ingest.
  var ingest: [Commit]
  var findings: IngestUndo.Findings
  var commit: Int?
  var eventsInStore: Int
  var storePath: String
  var isDryRun: Bool

  var json: String {
    "{\"undone\":[\(ingest.map { "\($0.number)" }.joined(separator: ","))],\"events\":\(findings.events),"
      + "\"dead_letters\":\(findings.deadLetters),\"parts\":\(findings.parts.count),\"commit\":\(commit.map(String.init) ?? "null"),"
      + "\"events_in_store\":\(eventsInStore),\"dry_run\":\(isDryRun)}\n"
  }

  var text: String {
    let numbers = ingest.map(\.number)
    let which =
      numbers.count == 1 ? "commit \(numbers[0])" : "commits \(numbers.map(String.init).joined(separator: ", "))"
    let store = "\(storePath.printable) \(isDryRun ? "would hold" : "holds") \(Quantity.counted(eventsInStore, "event"))"
    let end = isDryRun ? "nothing was changed (--dry-run)" : commit.map { "commit \($0)" } ?? "nothing to commit"
    return
      "\(isDryRun ? "would undo" : "undid") \(which), the \(ingest[0].kind) of \(ingest[0].at): \(Quantity.counted(findings.events, "event")) and"
      + " \(Quantity.counted(findings.deadLetters, "dead letter")) \(isDryRun ? "would go" : "gone"),"
      + " \(Quantity.counted(findings.parts.count, "part")) \(isDryRun ? "would be " : "")written anew\n\(end); \(store)\n"
  }
}
