import ArgumentParser
import FunnelKit
import FunnelModel
import FunnelStore

/// The `funnel log commits` command: lists the commits of the store.
struct LogCommitsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "commits",
    abstract: "List the commits: what changed the store, when, and how many of its events are left.",
    discussion: """
      'left' is how many of the events that a commit added are still in the store: none once it is undone, fewer once subjects are \
      forgotten or days are dropped. Use the number of a commit with 'funnel log undo' and '--as-of'.

      EXAMPLE
        funnel log commits --limit 10

      \(ExitStatus.section(.noInput, .inputOutput, .configuration, special: [.configuration: ExitStatus.newerStore]))
      """)

  @OptionGroup var store: StoreOption

  @Option(help: ArgumentHelp("List only this many, the newest.", valueName: "n"))
  var limit: Int?

  @Option(help: ArgumentHelp("text or json (default: text).", valueName: "format"))
  var format: SummaryFormat = .text

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit \(limit): give 1 or more") }
  }

  func run() throws {
    let reader = try StoreReader.open(store.path)
    let commits = reader.commits.suffix(limit ?? .max)
    let left = reader.eventsLeft
    switch format {
    case .text:
      var table = TextTable(["commit", "kind", "at", "events", "left", "rejected"], numberColumns: 3...)
      for commit in commits {
        table.add([
          "\(commit.number)", "\(commit.kind)", "\(commit.at)", Self.count(commit, commit.events),
          Self.count(commit, left[commit.number] ?? 0),
          Quantity.count(commit.rejected),
        ])
      }
      Console.print(table.text)
    case .json:
      let lines = commits.map { commit in
        "{\"commit\":\(commit.number),\"kind\":\"\(commit.kind)\",\"at\":\"\(commit.at)\","
          + "\"continues\":\(commit.continues.map(String.init) ?? "null"),\"events\":\(commit.bringsEvents ? commit.events : 0),"
          + "\"events_left\":\(left[commit.number] ?? 0),\"rejected\":\(commit.bringsEvents ? commit.rejected : 0)}"
      }
      Console.print("{\"commits\":[\(lines.joined(separator: ",\n  "))]}\n")
    }
  }

  /// Returns a count as text, empty for a commit that only rewrites existing events.
  private static func count(_ commit: Commit, _ number: Int) -> String { commit.bringsEvents ? Quantity.count(number) : "" }
}
