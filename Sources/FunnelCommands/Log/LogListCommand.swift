import ArgumentParser
import FunnelKit
import FunnelStore
import FunnelModel

/// The `funnel log ls` command: lists the days of the log.
struct LogListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls",
    abstract: "List the days of the log with their parts, events and sizes.",
    discussion: """
      EXAMPLE
        funnel log ls
        funnel log ls --format json

      \(ExitStatus.section(.noInput, .inputOutput, .configuration, special: [.configuration: ExitStatus.newerStore]))
      """)

  @OptionGroup var store: StoreOption

  @Option(help: ArgumentHelp("text or json (default: text).", valueName: "format"))
  var format: SummaryFormat = .text

  func run() throws {
    let reader = try StoreReader.open(store.path)
    let days = Dictionary(grouping: reader.logFiles(of: .log), by: \.name.day).sorted { $0.key < $1.key }
      .map { LogDay(day: $0.key, parts: $0.value) }
    switch format {
    case .json:
      for day in days {
        Console.print(
          "{\"day\":\"\(day.day)\",\"parts\":\(day.parts.count),\"events\":\(day.events),\"bytes\":\(day.bytes),\"raw_bytes\":\(day.rawBytes)}\n"
        )
      }
    case .text:
      var table = TextTable(["day", "parts", "events", "size", "inflated"], numberColumns: 1...)
      for day in days {
        table.add([
          "\(day.day)", "\(day.parts.count)", Quantity.count(day.events), Quantity.bytes(day.bytes),
          Quantity.bytes(day.rawBytes),
        ])
      }
      if days.count != 1 {
        table.add([
          "\(Quantity.count(days.count)) days", Quantity.count(days.reduce(0) { $0 + $1.parts.count }),
          Quantity.count(days.reduce(0) { $0 + $1.events }),
          Quantity.bytes(days.reduce(0) { $0 + $1.bytes }), Quantity.bytes(days.reduce(0) { $0 + $1.rawBytes }),
        ])
      }
      Console.print(table.text)
    }
  }
}

/// One day of the log with its log files.
private struct LogDay {
  var day: CivilDate
  var parts: [CoveredLogFile]

  var events: Int { parts.reduce(0) { $0 + $1.records } }
  var bytes: Int { parts.reduce(0) { $0 + $1.bytes } }
  var rawBytes: Int { parts.reduce(0) { $0 + $1.extents.reduce(0) { $0 + $1.extent.rawBytes } } }
}

/// The `funnel log info` command: shows the sizes and the state of the store.
struct LogInfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Show a store's commits, events, days and sizes.",
    discussion: """
      EXAMPLE
        funnel log info --store funnel-store

      \(ExitStatus.section(.noInput, .inputOutput, .configuration, special: [.configuration: ExitStatus.newerStore]))
      """)

  @OptionGroup var store: StoreOption

  @Option(help: ArgumentHelp("text or json (default: text).", valueName: "format"))
  var format: SummaryFormat = .text

  func run() throws {
    let reader = try StoreReader.open(store.path)
    let parts = reader.logFiles(of: .log)
    let days = Set(parts.map(\.name.day)).sorted()
    let bytes = parts.reduce(0) { $0 + $1.bytes }
    let last = reader.commits.last
    let pseudonyms = try reader.holdsPseudonyms()
    switch format {
    case .json:
      let first = days.first.map { "\"\($0)\"" } ?? "null"
      let final = days.last.map { "\"\($0)\"" } ?? "null"
      let at = last.map { "\"\($0.at)\"" } ?? "null"
      Console.print(
        "{\"commits\":\(reader.commits.count),\"events\":\(reader.eventCount),\"dead_letters\":\(reader.deadLetterCount),"
          + "\"days\":\(days.count),\"first_day\":\(first),\"last_day\":\(final),\"parts\":\(parts.count),\"bytes\":\(bytes),"
          + "\"last_commit_at\":\(at),\"hash\":\"\(reader.hash)\",\"forgotten\":\(reader.forgottenCount),\"pseudonyms\":\(pseudonyms)}\n"
      )
    case .text:
      let range = days.first.map { "\($0) to \(days.last ?? $0)" } ?? "none"
      Console.print(
        """
        store         \(reader.path.printable)
        events        \(Quantity.count(reader.eventCount))
        days          \(days.count) (\(range))
        parts         \(parts.count), \(Quantity.bytes(bytes))
        dead letters  \(Quantity.count(reader.deadLetterCount))
        forgotten     \(Quantity.count(reader.forgottenCount))
        subjects      \(pseudonyms ? "pseudonyms" : "as they came")
        commits       \(reader.commits.count)\(last.map { ", the last one at \($0.at)" } ?? "")
        hash          \(reader.hash)

        """)
    }
  }
}
