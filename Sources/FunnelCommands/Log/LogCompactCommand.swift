import ArgumentParser
import FunnelKit
import FunnelMaintenance
import FunnelStore
import FunnelModel

/// The `funnel log compact` command: rewrites finished days of the log as fewer, larger gzip members.
struct LogCompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Rewrite finished days of the log as fewer, larger and better compressed gzip members.",
    discussion: """
      Each ingest appends its own gzip members: a day that arrived in a thousand files has thousands of them, and they compress badly. \
      This command rewrites them as members of 1 MiB, with zlib -9. Records, their order and all reports stay the same, and the index \
      stays valid. The new members are read back and compared with the old ones before they replace them, in one commit. \
      The store is locked meanwhile, for about ten seconds per million events on one core.

      Days that are already compact are skipped. 'funnel nightly' does the same each night.

      EXAMPLE
        funnel log compact
        funnel log compact --older-than 7d --dry-run

      \(ExitStatus.section(.noInput, .cannotCreate, .inputOutput, .locked, .configuration, special: [.configuration: ExitStatus.newerStore]))
      """)

  @OptionGroup var store: StoreOption

  @Option(
    help: ArgumentHelp(
      "Only days that ended at least this long ago (default: 2d), as late events may still arrive.", valueName: "span"))
  var olderThan: String?

  @OptionGroup var clock: ClockOption
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var lock: LockOption

  @Flag(help: "Show what would be done, but change nothing.")
  var dryRun = false

  @Option(help: ArgumentHelp("text or json (default: text).", valueName: "format"))
  var format: SummaryFormat = .text

  func run() throws {
    let now = try clock.present()
    let compaction = LogCompaction(threads: threads.count, now: now, age: try age())
    let summary =
      dryRun
      ? try compaction.preview(ofStoreAt: store.path)
      : try compaction.apply(
        to: store.path, threads: threads.count, lockTimeout: try lock.timeout(), monitor: Console.monitor)
    let report = CompactionReport(summary: summary, isDryRun: dryRun)
    switch format {
    case .text: Console.print(report.text)
    case .json: Console.print(report.json)
    }
  }

  /// Returns the value of `--older-than`, or the default.
  private func age() throws(FunnelError) -> TimeSpan {
    guard let olderThan else { return LogCompaction.ageDefault }
    if let span = TimeSpan(olderThan) { return span }
    throw FunnelError(
      .usage, "not a time span, --older-than \(olderThan.printable), write it as 48h, 2d or 1w, at most \(TimeSpan.longest)")
  }
}

/// The result of a compaction, as text and as JSON.
struct CompactionReport {
  var summary: StoreCompaction.Summary
  var isDryRun: Bool

  /// The result as a table of days.
  var text: String {
    let compact = "\(Quantity.count(summary.compactDays)) \(summary.compactDays == 1 ? "day is" : "days are") already compact"
    guard !summary.days.isEmpty else { return "nothing to do: \(compact)\n" }
    var table = TextTable(["day", "members", isDryRun ? "" : "now", "size", isDryRun ? "" : "now"], numberColumns: 1...)
    for day in summary.days { table.add(row("\(day.day)", [day])) }
    if summary.days.count > 1 { table.add(row("\(Quantity.count(summary.days.count)) days", summary.days)) }
    let commits = summary.commits.map(String.init).joined(separator: ", ")
    let end =
      isDryRun
      ? "would be compacted; \(compact)"
      : "commit \(commits)\(summary.compactDays > 0 ? "; \(compact)" : "")"
    return table.text + end + "\n"
  }

  /// The result as a JSON object on one line.
  var json: String {
    let days = summary.days.map { day in
      "{\"day\":\"\(day.day)\",\"members_before\":\(day.membersBefore),\"members_after\":\(number(day.membersAfter)),"
        + "\"bytes_before\":\(day.bytesBefore),\"bytes_after\":\(number(day.bytesAfter))}"
    }
    return "{\"days\":[\(days.joined(separator: ","))],\"compact_days\":\(summary.compactDays),"
      + "\"commits\":[\(summary.commits.map(String.init).joined(separator: ","))],\"dry_run\":\(isDryRun)}\n"
  }

  private func row(_ name: String, _ days: [StoreCompaction.Day]) -> [String] {
    func sum(_ value: (StoreCompaction.Day) -> Int?) -> Int { days.reduce(0) { $0 + (value($1) ?? 0) } }
    return [
      name, Quantity.count(sum(\.membersBefore)), isDryRun ? "" : Quantity.count(sum(\.membersAfter)),
      Quantity.bytes(sum(\.bytesBefore)), isDryRun ? "" : Quantity.bytes(sum(\.bytesAfter)),
    ]
  }

  /// Returns a number as JSON. A dry run has no sizes after the compaction, which become `null`.
  private func number(_ value: Int?) -> String { value.map(String.init) ?? "null" }
}
