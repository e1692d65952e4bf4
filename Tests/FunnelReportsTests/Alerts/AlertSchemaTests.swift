import Foundation
import FunnelModel
import Testing

/// `Schemas/alerts.v1.schema.json` describes the file of `--alerts`.
@Suite struct AlertSchemaTests {
  private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private func check() throws -> SchemaCheck {
    try SchemaCheck(schema: Array(Data(contentsOf: root.appending(path: "Schemas/alerts.v1.schema.json"))))
  }

  @Test func `the rules of the manual are valid, for the schema and for the program`() throws {
    let manual = try String(contentsOf: root.appending(path: "Documentation/NIGHTLY.md"), encoding: .utf8)
    let example = try #require(manual.components(separatedBy: "```json\n").dropFirst().first { $0.contains("\"rules\"") })
    let rules = Array(example.components(separatedBy: "```")[0].utf8)
    #expect(try check().problems(in: rules) == [])
    #expect(try AlertRules(parsing: rules, source: "NIGHTLY.md").rules.count == 3)
  }

  @Test(arguments: [
    #"{"rules":[{"flow":"a/b"}]}"#, #"{"rules":[{"flow":"a","metric":"conversion","min":0.1}]}"#, #"{"alphas":1,"rules":[]}"#,
    #"{"rules":[{"flow":"a/b","metric":"conversion","min":2}]}"#, "{}",
  ])
  func `what the program refuses, the schema refuses`(text: String) throws {
    #expect(try !check().problems(in: Array(text.utf8)).isEmpty)
    #expect(throws: FunnelError.self) { try AlertRules(parsing: Array(text.utf8), source: "rules.json") }
  }
}
