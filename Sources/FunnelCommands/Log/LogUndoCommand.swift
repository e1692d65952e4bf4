import ArgumentParser
import FunnelIngest
import FunnelMaintenance
import FunnelModel
import FunnelStore

/// The `funnel log undo` command: removes the events of an ingest from the store.
struct LogUndoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Remove the events of an ingest from the store.",
    discussion: """
      Removes all events and dead letters that the ingest of a commit added, in one commit. If the command is interrupted, either nothing \
      or everything was removed. All other data stays the same, byte for byte, also after 'funnel log compact'. Unlike forgotten events, \
      these can be ingested again from the same file. If another file had the same event, it was skipped as a duplicate: ingest that \
      file again.

      A retry of dead letters ('funnel rejected retry') counts as an ingest. Undoing it removes the events it added, but does not \
      restore the dead letters.

      EXAMPLE
        funnel log undo --last --dry-run
        funnel log undo 41

      \(ExitStatus.section(.noInput, .cannotCreate, .inputOutput, .locked, special: [.noInput: "no such store, or no such ingest in it"]))
      """)

  @Argument(help: ArgumentHelp("A commit of the ingest, see 'funnel log commits'.", valueName: "commit"))
  var commit: Int?

  @Flag(help: "Undo the last ingest that is not undone yet, with all its commits.")
  var last = false

  @OptionGroup var store: StoreOption

  @Flag(help: "Show how much would be removed, but change nothing.")
  var dryRun = false

  @OptionGroup var clock: ClockOption
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var lock: LockOption

  @Option(help: ArgumentHelp("text or json (default: text).", valueName: "format"))
  var format: SummaryFormat = .text

  func validate() throws {
    if commit == nil, !last { throw ValidationError("no ingest given; name one of its commits, or give --last") }
    if commit != nil, last { throw ValidationError("both a commit and --last; give one of them") }
  }

  func run() throws {
    let now = try clock.present()
    let choice = commit.map(IngestUndo.Choice.commit) ?? .last
    try StoreReader.requireStore(store.path)
    let report = dryRun ? try rehearse(choice) : try apply(choice, at: now)
    switch format {
    case .text: Console.print(report.text)
    case .json: Console.print(report.json)
    }
  }

  /// Returns what an undo would remove. Neither locks nor changes the store.
  private func rehearse(_ choice: IngestUndo.Choice) throws(FunnelError) -> UndoReport {
    let reader = try StoreReader.open(store.path)
    let undo = try IngestUndo(of: choice, in: reader)
    let findings = try undo.findings(in: reader)
    return UndoReport(
      ingest: undo.commits, findings: findings, commit: nil, eventsInStore: reader.eventCount - findings.events,
      storePath: store.path, isDryRun: true)
  }

  /// Removes the events in one commit.
  private func apply(_ choice: IngestUndo.Choice, at now: Timestamp) throws(FunnelError) -> UndoReport {
    let writer = try StoreWriter.open(store.path, threads: threads.count, lockTimeout: try lock.timeout())
    let undo = try IngestUndo(of: choice, in: writer.reader)
    let findings = try undo.findings(in: writer.reader)
    let outcome = try undo.apply(findings, on: writer, at: now, threads: threads.count)
    Console.complain(aboutIndex: outcome.indexProblem)
    return UndoReport(
      ingest: undo.commits, findings: findings, commit: outcome.commit?.number, eventsInStore: writer.reader.eventCount,
      storePath: store.path, isDryRun: false)
  }
}

/// The result of an undo, as text and as JSON.
struct UndoReport {
  /// The commits of the ingest. Never empty.
  var ingest: [Commit]
  /// The data that the undo removes.
  var findings: IngestUndo.Findings
  /// The number of the commit, or `nil` if there was nothing to commit or it is a dry run.
  var commit: Int?
  /// The number of events in the store after the undo.
  var eventsInStore: Int
  var storePath: String
  var isDryRun: Bool

  /// The result as a JSON object on one line.
  var json: String {
    "{\"undone\":[\(ingest.map { "\($0.number)" }.joined(separator: ","))],\"events\":\(findings.events),"
      + "\"dead_letters\":\(findings.deadLetters),\"parts\":\(findings.parts.count),\"commit\":\(commit.map(String.init) ?? "null"),"
      + "\"events_in_store\":\(eventsInStore),\"dry_run\":\(isDryRun)}\n"
  }

  /// The result as two lines of text.
  var text: String {
    let numbers = ingest.map(\.number)
    let which =
      numbers.count == 1 ? "commit \(numbers[0])" : "commits \(numbers.map(String.init).joined(separator: ", "))"
    let store = "\(storePath.printable) \(isDryRun ? "would hold" : "holds") \(Quantity.counted(eventsInStore, "event"))"
    let end = isDryRun ? "nothing was changed (--dry-run)" : commit.map { "commit \($0)" } ?? "nothing to commit"
    return
      "\(isDryRun ? "would undo" : "undid") \(which), the \(ingest[0].kind) of \(ingest[0].at): \(Quantity.counted(findings.events, "event")) and"
      + " \(Quantity.counted(findings.deadLetters, "dead letter")) \(isDryRun ? "would be " : "")removed,"
      + " \(Quantity.counted(findings.parts.count, "part")) \(isDryRun ? "would be " : "")rewritten\n\(end); \(store)\n"
  }
}
