import Foundation
import Testing

/// The mappings that ship with the program, on exports of `SampleLogs/vendors/tables`, which tell one story.
@Suite struct BuiltInMappingTests {
  /// An export of a table.
  struct Export: CustomTestStringConvertible {
    let name: String
    let file: String
    var dropped = 0
    /// The column or the key of the account, or `nil` if the product has none.
    var userColumn: String?
    /// The columns or keys that no mapping names, of which each record has one.
    let leftOut: String

    var testDescription: String { name }
    var path: String { SampleFolder.root.appending(path: "vendors/tables/\(file)").path }
    var options: [String] { ["--map", "builtin:\(name)", "--source-tz", "UTC", "--app", "site", "--now", "2026-11-20"] }
  }

  private static let exports = [
    Export(name: "matomo", file: "matomo.tsv", userColumn: "user_id", leftOut: ""),
    Export(name: "openpanel", file: "openpanel.json", userColumn: "profile_id", leftOut: "session_id"),
    Export(name: "plausible", file: "plausible.csv", dropped: 10, leftOut: "session_id"),
    Export(name: "umami", file: "umami.csv", userColumn: "distinct_id", leftOut: "visit_id"),
  ]

  @Test(arguments: exports) func `an export is read without a rejection, and gives the funnel of its pages`(export: Export)
    throws
  {
    let place = try Workplace()
    let run = try FunnelRun(arguments: ["ingest", export.path, "--format", "json"] + export.options, directory: place.url)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("\"accepted\":42,\"duplicates\":0,\"rejected\":0,"), "\(run.output)")
    #expect(run.output.contains("\"dropped_by_map\":\(export.dropped)}"), "\(run.output)")
    #expect(export.leftOut.isEmpty || run.output.contains("\"\(export.leftOut)\":"), "\(run.output)")
    let events = try place.run("log", "cat").output.split(separator: "\n")
    #expect(events.contains { $0.contains("\"user\":\"") } == (export.userColumn != nil))
    let dry = try FunnelRun(arguments: ["ingest", export.path, "--dry-run"] + export.options, directory: place.url)
    #expect(dry.output.contains("  users       ") == (export.userColumn != nil), "\(dry.output)")
    if let column = export.userColumn { #expect(dry.output.contains("  users       \(column) of "), "\(dry.output)") }
    let steps = ["--steps", "step:pricing,step:sign_up,signed_up"]
    let stored = try place.run("report", "funnel", steps[0], steps[1], "--app", "site", "--now", "2026-11-20")
    #expect(stored.output.contains("10 entered -> 6 completed"), "\(stored.output)\(stored.errors)")
    let direct = try FunnelRun(arguments: ["report", "funnel", export.path] + export.options + steps, directory: place.url)
    #expect(direct.output.contains("10 entered -> 6 completed"), "\(direct.output)\(direct.errors)")
    #expect(direct.output.contains("step:sign_up"), "\(direct.output)")
  }

  @Test func `the list names each mapping, and each is printed as a file that reads the same`() throws {
    let place = try Workplace()
    let list = try place.run("map", "list")
    #expect(list.status == 0 && list.output.hasPrefix("NAME       TABLE"), "\(list.output)")
    let json = try place.run("map", "list", "--format", "json")
    let names = try JSONDecoder().decode(MappingList.self, from: Data(json.output.utf8)).mappings.map(\.name)
    #expect(names == Self.exports.map(\.name))
    for export in Self.exports {
      #expect(list.output.contains("\n\(export.name) "))
      let shown = try place.run("map", "show", export.name)
      #expect(shown.status == 0 && shown.errors.hasPrefix("# builtin:\(export.name) reads "), "\(shown.errors)")
      try place.write(shown.output, to: "\(export.name).json")
      let built = try FunnelRun(arguments: ["report", export.path, "--format", "json"] + export.options, directory: place.url)
      let copied = try FunnelRun(
        arguments: ["report", export.path, "--format", "json", "--map", "\(export.name).json"] + export.options.dropFirst(2),
        directory: place.url)
      #expect(built.status == 0 && built.output == copied.output, "\(built.errors)\(copied.errors)")
    }
  }

  /// The JSON of `funnel map list`.
  private struct MappingList: Decodable {
    struct Entry: Decodable { var name: String }
    var mappings: [Entry]
  }

  @Test func `a built-in mapping reads a table without the columns that only add properties, a copy of it does not`() throws {
    let place = try Workplace()
    try place.write(
      """
      event_id,session_id,created_at,url_path,event_type,event_name
      e1,s1,2026-11-02T09:00:00Z,/pricing,1,
      e2,s1,2026-11-02T09:00:10Z,/pricing,2,Signed Up
      e3,s1,2026-11-02T09:00:20Z,/pricing,5,

      """, to: "events.csv")
    let built = try place.ingest("events.csv", "--map", "builtin:umami", "--app", "site")
    #expect(
      built["accepted"] as? Int == 2 && built["rejected"] as? Int == 0 && built["dropped_by_map"] as? Int == 1, "\(built)")
    try place.write(try place.run("map", "show", "umami").output, to: "site.map.json")
    let copied = try place.ingest("events.csv", "--map", "site.map.json", "--app", "site", "--store", "other")
    #expect(copied["accepted"] as? Int == 0 && copied["rejected"] as? Int == 3, "\(copied)")
  }

  @Test(arguments: [
    (["map", "show", "umani"], "no such built-in mapping, umani, did you mean umami?"),
    (["map", "show", "builtin:x"], "no such built-in mapping, builtin:x, give one of matomo, openpanel, plausible, umami"),
    (["report", "e.csv", "--map", "builtin:Umami"], "no such built-in mapping, builtin:Umami, did you mean umami?"),
    (
      ["ingest", "e.csv", "--map", "builtin:"],
      "no such built-in mapping, builtin:, give one of matomo, openpanel, plausible, umami"
    ),
  ])
  func `an unknown name is told with the nearest, or with all`(arguments: [String], message: String) throws {
    let place = try Workplace()
    try place.write("a,b\n", to: "e.csv")
    let run = try FunnelRun(arguments: arguments, directory: place.url)
    #expect(run.status == 66 && run.output == "" && run.errors == "funnel: \(message)\n", "\(run.errors)")
  }

  @Test func `two built-in mappings of one format are refused like two files`() throws {
    let place = try Workplace()
    try place.write("a,b\n", to: "e.csv")
    let run = try place.run("report", "e.csv", "--map", "builtin:umami", "--map", "builtin:plausible")
    #expect(run.status == 64)
    #expect(run.errors == "funnel: two mappings for csv, --map builtin:umami and builtin:plausible, give one of them\n")
  }
}
