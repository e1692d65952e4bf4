import Foundation
import Testing

/// Flows that share events, in the sample of an app that has two of them.
@Suite struct SharedEventsTests {
  private let workspace: SampleWorkspace
  private let definitions: URL

  init() throws {
    workspace = try SampleWorkspace(.sharedEvents)
    definitions = SampleFolder.root.deletingLastPathComponent().appending(path: "Examples/shared_events")
  }

  /// Returns the rows of a report that uses only the named definitions, as lines of CSV by flow version.
  private func rows(_ report: String, _ names: String..., from arguments: [String]) throws -> [String: [String]] {
    let folder = workspace.url.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in names {
      try FileManager.default.copyItem(
        at: definitions.appending(path: "todo.\(name).json"), to: folder.appending(path: "todo.\(name).json"))
    }
    let run = try workspace.run(["report", report] + arguments + ["--schemas", folder.path, "--format", "csv"])
    #expect(run.status == 0)
    let lines = run.output.split(separator: "\n").dropFirst().map(String.init)
    return Dictionary(grouping: lines) { $0.split(separator: ",").prefix(3).joined(separator: " ") }
  }

  @Test(arguments: ["funnel", "grants", "dropoff"])
  func `a flow that is added changes nothing that another one counts`(report: String) throws {
    try #require(workspace.run(["ingest", "shared_events"]).status == 0)
    for arguments in [[workspace.sample.name], []] {
      let all = try rows(report, "onboarding.v1", "onboarding.v2", "activation.v1", from: arguments)
      let onboarding = try rows(report, "onboarding.v1", "onboarding.v2", from: arguments)
      let activation = try rows(report, "activation.v1", from: arguments)
      #expect(all == onboarding.merging(activation) { first, _ in first })
      #expect(onboarding.keys.sorted() == ["todo onboarding 1", "todo onboarding 2"])
      #expect(activation.keys.sorted() == (report == "grants" ? [] : ["todo activation 1"]))
    }
  }

  @Test func `the store remembers the definitions an ingest was given, and only those`() throws {
    let ingest = try workspace.ingest()
    #expect(ingest.status == 0)
    #expect(ingest.output.contains("todo/activation@1, todo/onboarding@1, todo/onboarding@2"))
    let names = try FileManager.default.contentsOfDirectory(atPath: workspace.url.appending(path: "funnel-store/schemas").path)
    #expect(names.sorted() == ["todo.activation.v1.json", "todo.onboarding.v1.json", "todo.onboarding.v2.json"])
  }
}
