import ArgumentParser
import FunnelKit
import FunnelModel

/// The `funnel log verify` command: checks every byte of the log against the journal.
struct LogVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check every byte of the log: hashes, checksums, counts, record format, days, unique ids.",
    discussion: """
      Reports check only what they read, and with an intact index they don't read the log at all. This command reads everything: the \
      journal's hash chain, the SHA-256 of all appended data, the checksum, length and line count of each gzip member, and each record: \
      whether it has exactly the bytes funnel would write, is filed under the UTC day of its time, and occurs in the log only once.

      Exits 0 if all is intact, 74 if anything is damaged, with one line of standard output per damage. 'funnel log repair' keeps what \
      is intact.

      EXAMPLE
        funnel log verify --store funnel-store
        funnel log verify --format json | jq .findings

      \(ExitStatus.section(.noInput, .inputOutput, .configuration, special: [.configuration: ExitStatus.newerStore]))
      """)

  @OptionGroup var store: StoreOption
  @OptionGroup var threads: ThreadsOption

  @Option(help: ArgumentHelp("text or json (default: text).", valueName: "format"))
  var format: SummaryFormat = .text

  func run() throws {
    let outcome = try VerificationOperation(storePath: store.path, threads: threads.count).run(monitor: Console.monitor)
    let damage = outcome.damage
    switch format {
    case .json: Console.print(json(outcome))
    case .text: printText(outcome)
    }
    guard damage.isEmpty else {
      throw FunnelError(
        .inputOutput,
        "the store is damaged, \(store.path.printable), see the \(damage.count == 1 ? "line" : "\(damage.count) lines")"
          + " above; restore it from a backup, or keep what is intact with 'funnel log repair'")
    }
  }

  private func printText(_ outcome: VerificationOperation.Outcome) {
    for finding in outcome.damage { Console.print("\(finding)".printable + "\n") }
    guard outcome.damage.isEmpty else { return }
    Console.print(
      "ok: \(Quantity.counted(outcome.commitCount, "commit")), \(Quantity.counted(outcome.eventCount, "event")),"
        + " every byte matches the journal\n")
  }

  private func json(_ outcome: VerificationOperation.Outcome) -> String {
    var bytes: [UInt8] = []
    bytes.append(
      text:
        "{\"ok\":\(outcome.damage.isEmpty),\"commits\":\(outcome.commitCount),\"events\":\(outcome.eventCount),\"findings\":[")
    for (index, finding) in outcome.damage.enumerated() {
      bytes.append(text: index > 0 ? ",\n  {\"path\":" : "\n  {\"path\":")
      bytes.appendJSONString(finding.path)
      bytes.append(text: ",\"offset\":\(finding.offset.map(String.init) ?? "null")")
      bytes.append(text: ",\"record\":\(finding.record.map(String.init) ?? "null"),\"reason\":")
      bytes.appendJSONString(finding.reason)
      bytes.append(text: "}")
    }
    bytes.append(text: outcome.damage.isEmpty ? "]}\n" : "\n]}\n")
    return String(decoding: bytes, as: UTF8.self)
  }
}
