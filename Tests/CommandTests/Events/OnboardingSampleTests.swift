import Foundation
import FunnelTestSupport
import Testing

@Suite struct OnboardingSampleTests {
  private static let executable = FunnelRun.executable.deletingLastPathComponent().appending(path: "OnboardingSample").path

  @Test func `the sample's page shows what its commands print`() throws {
    let place = try Workplace()
    let blocks = try ConsoleBlock.blocks(of: "Examples/OnboardingApp/README.md")
    #expect(blocks.flatMap(\.commands).count >= 3)
    for command in blocks.flatMap(\.commands) {
      let script =
        "funnel() { \"$FUNNEL\" \"$@\"; }; swift() { shift 2; '\(Self.executable)' \"$@\"; }; exec 2>&1; LC_ALL=C; \(command.line)"
      #expect(try FunnelRun(shell: script, directory: place.url).output == command.output, "\(command.line)")
    }
  }

  @Test func `the sample's types are those that the command prints`() throws {
    let place = try Workplace()
    let path = "Examples/OnboardingApp/CleanerPermissionsFlow.swift"
    try place.write("", to: path)
    let run = try place.run("schema", "generate", "swift", "cleaner/permissions_flow@1", "--output", path)
    #expect(run.status == 0 && run.output.isEmpty && run.errors.isEmpty)
    let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .deletingLastPathComponent()
    #expect(try place.text(path) == String(contentsOf: repository.appending(path: path), encoding: .utf8))
  }

  @Test(arguments: Sweeps.seeds(40, sample: 4))
  func `whenever the sample is killed, its files hold whole events and at most one torn line`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let place = try Workplace()
    let delay = Double.random(in: 0.01...0.3, using: &random)
    _ = try FunnelRun(
      shell: "'\(Self.executable)' events 100000 & sleep \(delay); kill -9 $!; wait $! 2>/dev/null; true", directory: place.url)
    guard FileManager.default.fileExists(atPath: place.folder.path("events/phones")) else { return }
    try place.write("", to: "events/phones/none.ndjson")
    let summary = try place.ingest("events/phones")
    #expect((summary["rejected"] as? Int ?? 2) <= 1, "seed \(seed)")
    #expect(Set((summary["rejected_by_reason"] as? [String: Int] ?? [:]).keys).isSubset(of: ["invalid_json"]), "seed \(seed)")
  }
}
