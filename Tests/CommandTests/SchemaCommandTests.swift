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
    #expect(lines[1].hasSuffix("2 (1 optional)  p                                            7d      subject   ./a.json"))
    #expect(lines.contains { $0.hasPrefix("cleaner") && $0.hasSuffix("7d      subject   built-in") })
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
        ./b.json:3:20: $.steps[0].ask: unknown key "ask", did you mean "asks"? allowed: asks, entered_by, id, label, optional, permission, progress
        ./c.json:1:1: $: aa/f@1 is also defined by ./a.json, remove one of the files

        """)
    #expect(run.errors == "funnel: 3 problems in 2 of 3 files, mend what is listed and check again\n")
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
