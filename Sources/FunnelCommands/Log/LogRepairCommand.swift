import ArgumentParser
import FunnelIngest
import FunnelStore
import FunnelMaintenance
import FunnelModel

/// The `funnel log repair` command, which keeps the intact data and moves the rest aside.
struct LogRepairCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Keep all of a damaged store that is sound, and move the rest aside into its folder damaged/.",
    discussion: """
      What an unfinished command left behind needs no repair: the next command that writes cuts it off. This is for what a disk or a \
      person damaged, as 'funnel log verify' finds it. Where there is a backup, restore that instead: what is missing here stays \
      missing.

      Sound gzip members are kept byte by byte, and of the others the sound records; records under the wrong day go to their own. The \
      rest is moved into damaged/, named after the part and the offset where it stood. What was done is a commit of kind repair in the \
      journal. Where the journal itself is damaged, or gone, another is made of the sound lines in front of the damage and of \
      what the parts say of themselves; what an unfinished command left in them is then kept too.

      EXAMPLE
        funnel log repair --dry-run
        funnel log repair && funnel log verify

      \(ExitStatus.section(.noInput, .cannotCreate, .inputOutput, .locked, .configuration, special: [.configuration: ExitStatus.newerStore]))
      """)

  @OptionGroup var store: StoreOption
  @OptionGroup var clock: ClockOption
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var lock: LockOption

  @Flag(help: "Only say what would be done.")
  var dryRun = false

  @Option(help: ArgumentHelp("text or json (default: text).", valueName: "format"))
  var format: SummaryFormat = .text

  func run() throws {
    let summary = try StoreRepair.run(
      store.path, checker: StoredRecordChecker(), at: try clock.present(), lockTimeout: try lock.timeout(),
      threads: threads.count, isDryRun: dryRun)
    if let recovery = summary.recovery { Console.complain(recovery) }
    let report = RepairReport(summary: summary, isDryRun: dryRun)
    switch format {
    case .text: Console.print(report.text)
    case .json: Console.print(report.json)
    }
    guard !dryRun, !summary.isEmpty else { return }
    let writer = try StoreWriter.open(store.path, lockTimeout: try lock.timeout())
    Console.complain(aboutIndex: IndexUpkeep.renew(of: writer, threads: threads.count))
  }
}

/// The result of a repair, as text and as JSON.
struct RepairReport {
  var summary: StoreRepair.Summary
  var isDryRun: Bool

  private var lost: Int { max(summary.eventsBefore - summary.eventsAfter, 0) }

  var text: String {
    guard !summary.isEmpty else { return "nothing to do: the store is sound\n" }
    var lines = summary.findings.map { "damaged  \($0)" }
    lines += summary.asides.map {
      "\(isDryRun ? "to move" : "moved  ")  \(Quantity.counted($0.bytes, "byte")) of \($0.path) at byte \($0.offset) to \($0.file): \($0.reason)"
    }
    if summary.isJournalNew {
      lines.append("journal  \(isDryRun ? "would be" : "was") made anew, from its sound lines and from the parts")
    }
    // Nothing else reveals that forgotten subjects may have been restored.
    if summary.isJournalNew {
      lines.append("journal  if 'funnel forget' or 'funnel retain' wrote last, run it again: what it took away may be back")
    }
    if summary.parts.contains(where: { $0.area == .forgotten }) {
      lines.append("tombstones are damaged: an old export may bring back whom they were of, run 'funnel forget' for them again")
    }
    let parts = Quantity.counted(summary.parts.count, "part")
    let counts =
      "\(Quantity.counted(summary.eventsAfter, "event")) \(summary.eventsAfter == 1 ? "is" : "are") left,"
      + " \(Quantity.count(lost)) \(lost == 1 ? "is" : "are") lost"
    let commits = summary.commits.map(String.init).joined(separator: ", ")
    lines.append(
      isDryRun ? "would write \(parts) anew: \(counts)" : "commit \(commits): \(parts) written anew, \(counts)")
    return lines.map { $0.printable + "\n" }.joined()
  }

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
    bytes.append(text: "],\"parts\":[\(summary.parts.map { "\"\($0)\"" }.joined(separator: ","))]")
    bytes.append(text: ",\"journal_rebuilt\":\(summary.isJournalNew),\"events\":\(summary.eventsAfter),\"events_lost\":\(lost)")
    bytes.append(
      text: ",\"commits\":[\(summary.commits.map(String.init).joined(separator: ","))],\"dry_run\":\(isDryRun)}\n")
    return String(decoding: bytes, as: UTF8.self)
  }
}
