import ArgumentParser
import FunnelKit
import FunnelStore
import FunnelModel

/// The `funnel log repair` command: keeps the intact data of a damaged store and moves the remainder to `damaged/`.
struct LogRepairCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Keep all intact data of a damaged store, and move the rest to its folder damaged/.",
    discussion: """
      An interrupted command needs no repair: the next command that writes removes what it left behind. This command is for damage done \
      by a disk or a person, as 'funnel log verify' finds it. If you have a backup, restore it instead: a repair can't bring back \
      missing data.

      Intact gzip members are kept byte for byte; of damaged ones the intact records are kept. Records filed under the wrong day are \
      moved to the right one. The rest is moved to damaged/, in files named after the part and the offset it came from. The journal \
      gets a commit of kind repair. If the journal itself is damaged or missing, a new one is made from its intact lines before the \
      damage and from the headers of the parts; anything that an interrupted command left in the parts is then kept too.

      EXAMPLE
        funnel log repair --dry-run
        funnel log repair && funnel log verify

      \(ExitStatus.section(.noInput, .cannotCreate, .inputOutput, .locked, .configuration, special: [.configuration: ExitStatus.newerStore]))
      """)

  @OptionGroup var store: StoreOption
  @OptionGroup var clock: ClockOption
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var lock: LockOption

  @Flag(help: "Show what would be done, but change nothing.")
  var dryRun = false

  @Option(help: ArgumentHelp("text or json (default: text).", valueName: "format"))
  var format: SummaryFormat = .text

  func run() throws {
    let now = try clock.present()
    let repair = RepairOperation(storePath: store.path, threads: threads.count, lockTimeout: try lock.timeout())
    let summary = try repair.run(at: now, isDryRun: dryRun, monitor: Console.monitor)
    let report = RepairReport(summary: summary, isDryRun: dryRun)
    switch format {
    case .text: Console.print(report.text)
    case .json: Console.print(report.json)
    }
    guard !dryRun, !summary.isEmpty else { return }
    try repair.renewIndex(monitor: Console.monitor)
  }
}

/// The result of a repair, as text and as JSON.
struct RepairReport {
  var summary: StoreRepair.Summary
  var isDryRun: Bool

  /// The number of lost events.
  private var lost: Int { max(summary.eventsBefore - summary.eventsAfter, 0) }

  /// The result as lines of text.
  var text: String {
    guard !summary.isEmpty else { return "nothing to do: the store is intact\n" }
    var lines = summary.findings.map { "damaged  \($0)" }
    lines += summary.asides.map {
      "\(isDryRun ? "to move" : "moved  ")  \(Quantity.counted($0.bytes, "byte")) of \($0.path) at byte \($0.offset) to \($0.file): \($0.reason)"
    }
    if summary.isJournalNew {
      lines.append("journal  \(isDryRun ? "would be" : "was") rebuilt from its intact lines and from the parts")
      // The rebuilt journal does not record that deleted data may have returned, so the user must be informed here.
      lines.append(
        "journal  if the last command that wrote was 'funnel forget' or 'funnel retain', run it again: what it deleted may be back"
      )
    }
    if summary.logFiles.contains(where: { $0.area == .forgotten }) {
      lines.append(
        "tombstones are damaged: an old export may bring forgotten subjects back, run 'funnel forget' for them again")
    }
    let parts = Quantity.counted(summary.logFiles.count, "part")
    let counts =
      "\(Quantity.counted(summary.eventsAfter, "event")) \(summary.eventsAfter == 1 ? "is" : "are") left,"
      + " \(Quantity.count(lost)) \(lost == 1 ? "is" : "are") lost"
    let commits = summary.commits.map(String.init).joined(separator: ", ")
    lines.append(
      isDryRun ? "would rewrite \(parts): \(counts)" : "commit \(commits): \(parts) rewritten, \(counts)")
    return lines.map { $0.printable + "\n" }.joined()
  }

  /// The result as a JSON object on one line.
  var json: String {
    var bytes: [UInt8] = []
    bytes.append(text: "{\"findings\":\(summary.findings.count),\"moved\":[")
    for (index, aside) in summary.asides.enumerated() {
      bytes.append(text: index > 0 ? ",{\"path\":" : "{\"path\":")
      bytes.appendJSONString(aside.path)
      bytes.append(text: ",\"offset\":\(aside.offset),\"bytes\":\(aside.bytes),\"to\":")
      bytes.appendJSONString(aside.file)
      bytes.append(text: ",\"reason\":")
      bytes.appendJSONString(aside.reason)
      bytes.append(text: "}")
    }
    bytes.append(text: "],\"parts\":[\(summary.logFiles.map { "\"\($0)\"" }.joined(separator: ","))]")
    bytes.append(text: ",\"journal_rebuilt\":\(summary.isJournalNew),\"events\":\(summary.eventsAfter),\"events_lost\":\(lost)")
    bytes.append(
      text: ",\"commits\":[\(summary.commits.map(String.init).joined(separator: ","))],\"dry_run\":\(isDryRun)}\n")
    return String(decoding: bytes, as: UTF8.self)
  }
}
