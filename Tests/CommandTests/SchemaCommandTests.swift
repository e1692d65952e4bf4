import Foundation
import FunnelModel
import FunnelSchemas
import Testing

@Suite final class SchemaCommandTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "schema-command-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: folder.appending(path: name))
  }

  private func flow(_ app: String, version: Int = 1) -> String {
    "{\"app\":\"\(app)\",\"flow\":\"f\",\"version\":\(version),\"title\":\"T\\u001b\",\"steps\":[{\"id\":\"s\",\"asks\":[\"p\"]},{\"id\":\"o\",\"optional\":true}]}"
  }

  @Test func `a list has a line for each flow version, aligned`() throws {
    try write("a.json", flow("aa"))
    let run = try FunnelRun("schema", "list", "--schemas", ".", directory: folder)
    #expect(run.status == 0)
    #expect(run.errors == "")
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == BuiltInSchemas.flows.count + 2)
    #expect(
      lines[0].split(separator: " ", maxSplits: 3) == [
        "APP", "FLOW", "VERSION", lines[0].split(separator: " ", maxSplits: 3)[3],
      ])
    #expect(lines[1].hasPrefix("aa         f                    1        T\\u{1b}"))
    #expect(lines[1].hasSuffix("2 (1 optional)  p                                            7d      person    ./a.json"))
    #expect(lines.contains { $0.hasPrefix("cleaner") && $0.hasSuffix("7d      person    built-in") })
  }

  @Test func `a list as JSON is one document with the same flows`() throws {
    try write("a.json", flow("aa"))
    let run = try FunnelRun("schema", "list", "--format", "json", "--schemas", ".", directory: folder)
    #expect(run.status == 0)
    let document = try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: [[String: Any]]])
    let flows = try #require(document["flows"])
    #expect(flows.count == BuiltInSchemas.flows.count + 1)
    #expect(flows[0]["title"] as? String == "T\u{1B}")
    #expect(flows[0]["steps"] as? [String] == ["s", "o"])
    #expect(flows[0]["required_steps"] as? [String] == ["s"])
    #expect(flows[0]["permissions"] as? [String] == ["p"])
    #expect(flows[0]["window_ms"] as? Int == 604_800_000)
    #expect(flows[0]["source"] as? String == "./a.json")
    #expect(flows[1]["source"] as? String == "built-in")
  }

  @Test func `a flow is shown as its file has it, the newest version unless one is named`() throws {
    for file in BuiltInSchemas.flowFiles {
      let run = try FunnelRun("schema", "show", file.definition.reference)
      #expect(run.status == 0)
      #expect(Array(run.output.utf8) == file.bytes)
    }
    let newest = try FunnelRun("schema", "show", "clarity/onboarding")
    #expect(newest.output == (try FunnelRun("schema", "show", "clarity/onboarding@2")).output)
    try write("a.json", flow("aa"))
    #expect(try FunnelRun("schema", "show", "aa/f", "--schemas", folder.path).output == flow("aa") + "\n")
  }

  @Test(arguments: [
    (
      "cleaner/permission_flow",
      "there is no flow cleaner/permission_flow, did you mean cleaner/permissions_flow? 'funnel schema list' has them all"
    ),
    (
      "clarity/onboarding@7",
      "there is no flow clarity/onboarding@7, did you mean clarity/onboarding@2? 'funnel schema list' has them all"
    ),
    ("x/y", "there is no flow x/y, 'funnel schema list' has them all"),
    ("cleaner", "\"cleaner\" does not name a flow, write APP/FLOW or APP/FLOW@VERSION"),
  ])
  func `a flow that is not there is a usage error with what was meant`(reference: String, message: String) throws {
    let run = try FunnelRun("schema", "show", reference)
    #expect(run.status == 64)
    #expect(run.output == "")
    #expect(run.errors == "funnel: \(message)\n")
  }

  @Test func `sound files are reported ok`() throws {
    try write("a.json", flow("aa"))
    try write("b.json", flow("aa", version: 2))
    let run = try FunnelRun("schema", "check", "a.json", "b.json", directory: folder)
    #expect(run.status == 0)
    #expect(run.output == "ok a.json aa/f@1\nok b.json aa/f@2\n")
    #expect(run.errors == "")
  }

  @Test func `every mistake of every file is reported with its place, and the exit code is 78`() throws {
    try write("a.json", flow("aa"))
    try write("b.json", "{\"app\":\"b\",\n\"flow\":\"f\",\"version\":0,\n\"steps\":[{\"id\":\"s\",\"ask\":[\"p\"]}]}")
    try write("c.json", flow("aa"))
    let run = try FunnelRun("schema", "check", ".", directory: folder)
    #expect(run.status == 78)
    #expect(
      run.output == """
        ok ./a.json aa/f@1
        ./b.json:2:22: $.version: a whole number from 1 is needed, not 0
        ./b.json:3:20: $.steps[0].ask: unknown key "ask", did you mean "asks"? allowed: asks, entered_by, id, label, min_gap, optional, permission, progress, props, required, window
        ./c.json:1:1: $: aa/f@1 is also defined by ./a.json, remove one of the files

        """)
    #expect(run.errors == "funnel: 3 problems in 2 of 3 files, fix the problems above and run it again\n")
  }

  @Test func `mistakes in rules are found with their place`() throws {
    try write(
      "a.json",
      """
      {"app":"aa","flow":"f","version":1,"steps":[{"id":"s","asks":["p"]}],"rules":[
       {"rule":"infer_skp"},
       {"rule":"skip_delay","milliseconds":"soon","permissions":["p"]}]}
      """)
    let run = try FunnelRun("schema", "check", "a.json", directory: folder)
    #expect(run.status == 78)
    let kinds = FlowRule.Kind.allCases.map(\.rawValue).joined(separator: ", ")
    #expect(
      run.output == """
        a.json:2:10: $.rules[0].rule: "infer_skp" is unknown here, did you mean "infer_skip"? allowed: \(kinds)
        a.json:3:38: $.rules[1].milliseconds: a whole number from 0 is needed, not a string

        """)
    #expect(run.errors == "funnel: 2 problems in 1 of 1 file, fix the problems above and run it again\n")
  }

  @Test func `a strict check lists events that two flows share, and steps nobody can enter`() throws {
    try write("a.json", #"{"app":"aa","flow":"f","version":1,"steps":[{"id":"s","entered_by":["started"]}]}"#)
    try write(
      "b.json",
      #"{"app":"aa","flow":"g","version":1,"steps":[{"id":"t","entered_by":["started"]},{"id":"u","entered_by":[{"event":"x","where":{"step":1}}]}]}"#
    )
    let lenient = try FunnelRun("schema", "check", ".", directory: folder)
    #expect(lenient.status == 0 && lenient.output == "ok ./a.json aa/f@1\nok ./b.json aa/g@1\n")
    let run = try FunnelRun("schema", "check", "--strict", ".", directory: folder)
    #expect(run.status == 78)
    #expect(
      run.output == """
        ok ./a.json aa/f@1
        ./b.json:1:69: $.steps[0].entered_by[0]: "started" is declared by aa/f too (./a.json), so that both count an event without "flow": rename it in one of them, or say "from_flows": ["f"] if both should count it
        ./b.json:1:105: $.steps[1].entered_by[0]: nobody can enter the step: a step id is a string, not 1

        """)
    #expect(run.errors == "funnel: 2 findings in 1 of 2 files, fix the problems above, or run it without --strict\n")
  }

  @Test func `a strict check looks at the built-in flows of the app too, and counts findings beside mistakes`() throws {
    try write("a.json", #"{"app":"cleaner","flow":"mine","version":1,"steps":[{"id":"s","entered_by":["perm_flow_start"]}]}"#)
    try write("b.json", #"{"app":"b","flow":"f","version":0,"steps":[{"id":"s"}]}"#)
    let run = try FunnelRun("schema", "check", "--strict", "a.json", "b.json", directory: folder)
    #expect(run.status == 78)
    #expect(
      run.output == """
        a.json:1:77: $.steps[0].entered_by[0]: "perm_flow_start" is declared by cleaner/permissions_flow too (built-in), so that both count an event without "flow": rename it in one of them, or say "from_flows": ["permissions_flow"] if both should count it
        b.json:1:33: $.version: a whole number from 1 is needed, not 0

        """)
    #expect(run.errors == "funnel: 1 problem and 1 finding in 2 of 2 files, fix the problems above and run it again\n")
  }

  @Test func `the definitions that come with the tool pass a strict check`() throws {
    for file in BuiltInSchemas.flowFiles {
      try Data(file.bytes).write(
        to: folder.appending(path: "\(file.definition.flow)\(file.definition.app)\(file.definition.version).json"))
    }
    let run = try FunnelRun("schema", "check", "--strict", ".", directory: folder)
    #expect(run.status == 0 && run.errors == "", "\(run.output)")
    #expect(run.output.split(separator: "\n").count == BuiltInSchemas.flows.count)
  }

  @Test func `a file that is not there ends a check with 66, after the others were checked`() throws {
    try write("a.json", flow("aa"))
    let run = try FunnelRun("schema", "check", "none.json", "a.json", directory: folder)
    #expect(run.status == 66)
    #expect(run.output == "ok a.json aa/f@1\n")
    #expect(run.errors == "funnel: none.json: no such file or directory, check the path\n")
  }

  @Test func `a broken definition among --schemas stops a command with 78 and its place`() throws {
    try write("a.json", "{\"app\":\"aa\",\"flow\":\"f\",\"version\":1,\"steps\":[]}")
    let run = try FunnelRun("schema", "list", "--schemas", ".", directory: folder)
    #expect(run.status == 78)
    #expect(run.errors == "funnel: ./a.json:1:44: $.steps: a flow needs steps, at least one of them required\n")
  }

  @Test(arguments: [["schema"], ["schema", "list"], ["schema", "show"], ["schema", "check"]])
  func `every command has help with an example`(command: [String]) throws {
    let run = try FunnelRun(arguments: command + ["--help"])
    #expect(run.status == 0)
    #expect(run.output.contains("EXAMPLE\n  funnel schema "))
    #expect(run.errors == "")
  }

  @Test func `a folder without a definition is no sound one`() throws {
    try FileManager.default.createDirectory(at: folder.appending(path: "none"), withIntermediateDirectories: true)
    let run = try FunnelRun("schema", "check", "none", directory: folder)
    #expect(
      run.status == 66 && run.errors == "funnel: no flow definition, none, name a folder that has *.json, or a file\n",
      "\(run.errors)")
  }
}
