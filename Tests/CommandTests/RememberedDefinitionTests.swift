import Foundation
import FunnelTestSupport
import Testing

/// Flow definitions of the user: given to one command, put into the store's folder, or remembered by an ingest.
@Suite struct RememberedDefinitionTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    try place.write(Self.definition("First"), to: "flows/mine.json")
    try place.write(#"{"name":"opened","ts":1795168800000,"subject":"s","app":"todo"}"#, to: "log.ndjson")
  }

  private static func definition(_ title: String, flow: String = "onboarding") -> String {
    #"{"app":"todo","flow":"\#(flow)","version":1,"title":"\#(title)","steps":[{"id":"start","entered_by":["opened"]}]}"# + "\n"
  }

  private static let named = "funnel-store/schemas/todo.onboarding.v1.json"

  private func ingest(_ more: String...) throws -> FunnelRun {
    try FunnelRun(arguments: ["ingest", "log.ndjson", "--now", Workplace.now] + more, directory: place.url)
  }

  private func schemaFiles() throws -> [String] { try place.folder.files().filter { $0.contains("store/schemas/") } }

  @Test func `an ingest remembers the definitions it was given, and says so once`() throws {
    let run = try ingest("--schemas", "flows")
    #expect(
      run.output.contains("\n  definitions the store remembers todo/onboarding@1, so its reports need no --schemas\n"), "\(run)"
    )
    #expect(try schemaFiles() == [Self.named])
    #expect(try place.text(Self.named) == Self.definition("First"))
    let report = try place.run("report", "funnel", "--format", "csv", "--now", Workplace.now)
    #expect(report.output.contains("\ntodo,onboarding,1,") && report.errors == "", "\(report)")
    #expect(try !ingest("--schemas", "flows").output.contains("remembers"))
    let json = try ingest("--schemas", "flows", "--store", "other", "--format", "json").output
    #expect(json.contains(#""dry_run":false,"remembered":["todo/onboarding@1"],"formats":"#), "\(json)")
  }

  @Test func `a store has no copies of the definitions that come with the tool`() throws {
    _ = try ingest()
    #expect(try schemaFiles() == [])
    let shipped = try place.run("schema", "show", "cleaner/permissions_flow").output
    try place.write(shipped, to: "flows/copy.json")
    let run = try ingest("--schemas", "flows")
    #expect(run.output.contains("remembers todo/onboarding@1, so"))
    #expect(try schemaFiles() == [Self.named])
    // A definition in the store that overrides a built-in one is removed if the built-in one is given.
    try place.write(shipped.replacingOccurrences(of: "\"7d\"", with: "\"8d\""), to: "funnel-store/schemas/cleaner.json")
    #expect(try ingest("--schemas", "flows").output.contains("remembers cleaner/permissions_flow@1, so"))
    #expect(try schemaFiles() == [Self.named])
  }

  @Test func `a later definition replaces the earlier one, whatever its file is called`() throws {
    _ = try ingest()
    try place.write(Self.definition("Old"), to: "funnel-store/schemas/flows/older.json")
    #expect(try ingest("--schemas", "flows").output.contains("remembers todo/onboarding@1, so"))
    #expect(try schemaFiles() == [Self.named])
    #expect(try place.text(Self.named) == Self.definition("First"))
    try place.write(Self.definition("Other", flow: "paywall"), to: Self.named)
    #expect(try ingest("--schemas", "flows").output.contains("remembers todo/onboarding@1, so"))
    #expect(try schemaFiles() == ["funnel-store/schemas/todo.onboarding.v1.2.json", Self.named])
    #expect(try place.text(Self.named) == Self.definition("Other", flow: "paywall"))
  }

  @Test func `a dry run, and a strict ingest that refuses a line, remember nothing`() throws {
    let dry = try ingest("--schemas", "flows", "--dry-run")
    #expect(dry.status == 0 && !dry.output.contains("remembers"))
    try place.write("{\n", to: "log.ndjson")
    #expect(try ingest("--schemas", "flows", "--strict").status == 65)
    #expect(try schemaFiles() == [])
  }

  @Test func `a night and a retry remember too`() throws {
    let fixture = try NightlyFixture()
    try fixture.folder.write(Array(Self.definition("First").utf8), to: "mine.json")
    let night = try fixture.night("--schemas", "mine.json")
    #expect(night.errors == "")
    #expect(
      night.output.contains("; the store remembers todo/onboarding@1, so its reports need no --schemas; reports up to "),
      "\(night)")
    _ = try ingest()
    let retry = try place.run("rejected", "retry", "--schemas", "flows", "--now", Workplace.now)
    #expect(retry.output.hasSuffix("\nthe store remembers todo/onboarding@1, so its reports need no --schemas\n"), "\(retry)")
  }

  @Test func `the variable FUNNEL_SCHEMAS names folders as --schemas does, and --schemas comes before it`() throws {
    try place.write(Self.definition("Second"), to: "more/mine.json")
    try place.write(Self.definition("Other", flow: "paywall"), to: "paywall/mine.json")
    func title(_ arguments: String..., folders: String) throws -> String {
      let run = try FunnelRun(
        arguments: ["schema", "show", "todo/onboarding"] + arguments, directory: place.url,
        environment: ["FUNNEL_SCHEMAS": folders])
      return run.output
    }
    #expect(try title(folders: "paywall::flows:") == Self.definition("First"))
    #expect(try title("--schemas", "more", folders: "flows") == Self.definition("Second"))
    let report = try place.run(
      "report", "funnel", "log.ndjson", "--format", "csv", "--now", Workplace.now, environment: ["FUNNEL_SCHEMAS": "flows"])
    #expect(report.output.contains("\ntodo,onboarding,1,"))
    let missing = try place.run("schema", "list", environment: ["FUNNEL_SCHEMAS": "flows:none"])
    #expect(missing.status == 66)
    #expect(missing.errors == "funnel: none: no such file or directory, check the path; $FUNNEL_SCHEMAS names it\n")
    let twice = try place.run("schema", "list", environment: ["FUNNEL_SCHEMAS": "flows:more"])
    #expect(twice.status == 78)
    #expect(
      twice.errors == "funnel: more/mine.json: todo/onboarding@1 is also defined by flows/mine.json, remove one of the files\n")
  }

  @Test func `the list says where each definition comes from`() throws {
    _ = try ingest("--schemas", "flows")
    try place.write(Self.definition("Other", flow: "paywall"), to: "paywall/mine.json")
    for arguments in [["--store", "funnel-store"], []] {
      let run = try FunnelRun(
        arguments: ["schema", "list", "--schemas", "paywall"] + arguments, directory: place.url,
        environment: ["FUNNEL_STORE": ""])
      let lines = run.output.split(separator: "\n").map(String.init)
      #expect(
        lines.contains { $0.hasPrefix("todo ") && $0.hasSuffix("  store funnel-store/schemas/todo.onboarding.v1.json") },
        "\(run)")
      #expect(lines.contains { $0.hasPrefix("todo ") && $0.hasSuffix("  paywall/mine.json") })
      #expect(lines.contains { $0.hasPrefix("cleaner ") && $0.hasSuffix("  built-in") })
    }
    let json = try place.run("schema", "list", "--format", "json", "--schemas", "paywall").output
    #expect(json.contains(#""source":"funnel-store/schemas/todo.onboarding.v1.json","origin":"store"}"#))
    #expect(json.contains(#""source":"paywall/mine.json","origin":"folder"}"#))
    #expect(json.contains(#""source":"built-in","origin":"built_in"}"#))
    let shown = try place.run("schema", "show", "todo/onboarding", "--store", "funnel-store")
    #expect(shown.output == Self.definition("First"))
    #expect(shown.errors == "funnel: todo/onboarding@1 comes from the store, funnel-store/schemas/todo.onboarding.v1.json\n")
    let added = try place.run("schema", "show", "todo/paywall", "--schemas", "paywall")
    #expect(added.errors == "funnel: todo/paywall@1 comes from a file, paywall/mine.json\n")
    let none = try place.run("schema", "list", "--store", "none")
    #expect(none.status == 66 && none.errors.hasPrefix("funnel: there is no store at none, "), "\(none)")
  }
}
