import Foundation

/// A folder of `SampleLogs/`, with the reports whose output it holds.
struct SampleFolder: Hashable, Sendable, CustomStringConvertible {
  /// The arguments of a report, and the file of the folder that holds the expected output.
  struct Question: Hashable, Sendable, CustomStringConvertible {
    var file: String
    var arguments: [String]

    var description: String { file }
  }

  var name: String
  /// The options that segment its reports.
  var segmentation: [String] = []
  /// The reports it has besides those of every folder.
  var furtherReports: [Question] = []
  /// Whether some of its lines are rejected.
  var isRefusedInPart = false
  /// The folder in `Examples/` with the flow definitions for `--schemas`, or nil if the built-in ones are enough.
  var definitions: String?

  var description: String { name }

  static let cleaner = SampleFolder(name: "cleaner", furtherReports: answers("steps", "breaches", "access"))
  static let trendy = SampleFolder(name: "trendy", furtherReports: answers("times", "breaches"))
  static let clarity = SampleFolder(name: "clarity", furtherReports: answers("outcomes", "breaches", "trend"))
  static let smilepile = SampleFolder(name: "smilepile", furtherReports: answers("steps", "breaches"))

  /// Returns reports that the other files do not have, as a table and as JSON.
  private static func answers(_ names: String...) -> [Question] {
    names.flatMap { name in
      [
        Question(file: "\(name).txt", arguments: [name]),
        Question(file: "\(name).json", arguments: [name, "--format", "json"]),
      ]
    }
  }

  static let damaged = SampleFolder(name: "damaged", isRefusedInPart: true)
  static let hostile = SampleFolder(
    name: "hostile", segmentation: ["--by", "ctx.variant"],
    furtherReports: [
      Question(file: "keys.txt", arguments: ["--flow", "cleaner/permissions_flow", "--by", "ctx.\(hostileKey)"]),
      Question(
        file: "keys.md", arguments: ["--flow", "cleaner/permissions_flow", "--by", "ctx.\(hostileKey)", "--format", "markdown"]),
      Question(
        file: "keys.csv",
        arguments: ["funnel", "--flow", "cleaner/permissions_flow", "--by", "ctx.\(hostileKey)", "--format", "csv"]),
    ], isRefusedInPart: true)

  /// An app with two flows that share events, in two versions that are told apart by builds.
  static let sharedEvents = SampleFolder(
    name: "shared_events",
    furtherReports: [
      Question(file: "mature.txt", arguments: ["funnel", "--mature", "--by", "week", "--by", "ctx.country"]),
      Question(
        file: "steps.json",
        arguments: [
          "grants", "--by", "step.first_task.ctx.app_version", "--where", "ctx.app_version >= 1.10", "--where",
          "ctx.country!=CH",
          "--format", "json",
        ]),
    ], definitions: "shared_events")

  /// The folders of the four apps, which `SampleLogs/make` makes.
  static let simulated = [cleaner, trendy, clarity, smilepile]
  static let all = simulated + [damaged, hostile, sharedEvents]

  /// A key of `ctx` in the hostile log.
  static let hostileKey = "\u{1B}[31m|<b>=1+1\u{202E}"

  /// The current time in all expected outputs.
  static let now = "2026-11-20T12:00:00Z"

  /// All reports, with arguments that do not name the input.
  var reports: [Question] {
    let formats = [("report.txt", "table"), ("report.json", "json"), ("report.md", "markdown")].map {
      Question(file: $0, arguments: segmentation + ["--format", $1])
    }
    let tables = ["funnel", "grants", "dropoff"].map {
      Question(file: "\($0).csv", arguments: [$0] + segmentation + ["--format", "csv"])
    }
    return formats + tables + furtherReports
  }

  /// The folder in the repository.
  var url: URL { Self.root.appending(path: name) }

  /// The options that give the definitions.
  var schemas: [String] {
    definitions.map { ["--schemas", Self.root.deletingLastPathComponent().appending(path: "Examples/\($0)").path] } ?? []
  }

  /// `SampleLogs/`.
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "SampleLogs")
}
