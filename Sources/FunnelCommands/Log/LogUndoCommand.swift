import ArgumentParser
import FunnelKit
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
    let operation = UndoOperation(storePath: store.path, choice: choice)
    let outcome =
      dryRun
      ? try operation.preview()
      : try operation.apply(
        at: now, threads: threads.count, lockTimeout: try lock.timeout(), monitor: Console.monitor)
    switch format {
    case .text: Console.print(outcome.text)
    case .json: Console.print(outcome.json)
    }
  }
}

extension UndoOutcome {
  /// The result as a JSON object on one line.
  var json: String {
    "{\"undone\":[\(ingest.map { "\($0.number)" }.joined(separator: ","))],\"events\":\(plan.events),"
      + "\"dead_letters\":\(plan.deadLetters),\"parts\":\(plan.logFiles.count),\"commit\":\(commit.map(String.init) ?? "null"),"
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
      "\(isDryRun ? "would undo" : "undid") \(which), the \(ingest[0].kind) of \(ingest[0].at): \(Quantity.counted(plan.events, "event")) and"
      + " \(Quantity.counted(plan.deadLetters, "dead letter")) \(isDryRun ? "would be " : "")removed,"
      + " \(Quantity.counted(plan.logFiles.count, "part")) \(isDryRun ? "would be " : "")rewritten\n\(end); \(store)\n"
  }
}
