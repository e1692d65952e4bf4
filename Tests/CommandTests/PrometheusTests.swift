import Foundation
import FunnelTestSupport
import Testing

/// Prometheus's own tool, which .ci/install-packages unpacks.
private enum Promtool {
  static let path: String? = {
    let fetched = DeployFile.repository.appending(path: ".build/tools/promtool").path
    if FileManager.default.isExecutableFile(atPath: fetched) { return fetched }
    let found = try? FunnelRun(shell: "command -v promtool").output.trimmingCharacters(in: .newlines)
    return found?.isEmpty ?? true ? nil : found
  }()
}

/// Prometheus's own tool on the metrics of a night, and on the rules of `Deploy`.
@Suite(.enabled("promtool is not installed; see .ci/install-packages") { Promtool.path != nil })
struct PrometheusTests {
  private func promtool(_ arguments: String, in directory: URL = DeployFile.folder) throws -> FunnelRun {
    try FunnelRun(shell: "'\(try #require(Promtool.path))' \(arguments)", directory: directory)
  }

  @Test func `the metrics of a night raise no complaint`() throws {
    let place = try NightlyFixture()
    let lines = LogLine.completedRun("s1") + LogLine.completedRun("s2") + "broken\n"
    try place.upload(lines, as: "a.ndjson")
    for now in ["2026-11-21T02:10:00Z", "2026-11-29T02:10:00Z"] {
      #expect(try place.night("--metrics", "funnel.prom", now: now).status == 0)
      let run = try promtool("check metrics <funnel.prom", in: URL(filePath: place.folder.path))
      #expect(run.status == 0 && run.output.isEmpty && run.errors.isEmpty, "\(run.output)\(run.errors)")
    }
    #expect(String(decoding: try place.folder.contents("funnel.prom"), as: UTF8.self).contains("funnel_conversion_ratio{"))
  }

  @Test func `the alarm rules are sound, and do what their tests say`() throws {
    for arguments in ["check rules prometheus.rules.yml", "test rules prometheus.rules.test.yml"] {
      let run = try promtool(arguments)
      #expect(run.status == 0 && run.output.contains("SUCCESS"), "\(run.output)\(run.errors)")
    }
  }

  @Test func `every metric that a rule names is one that a night writes`() throws {
    let place = try NightlyFixture()
    try place.upload(LogLine.completedRun("s1") + "broken\n", as: "a.ndjson")
    #expect(try place.night("--metrics", "funnel.prom", now: "2026-11-29T02:10:00Z").status == 0)
    let written = String(decoding: try place.folder.contents("funnel.prom"), as: UTF8.self)
    for match in try DeployFile.text("prometheus.rules.yml").matches(of: /funnel_[a-z_]+/) {
      #expect(written.contains("# TYPE \(match.output) gauge\n"), "\(match.output)")
    }
  }
}
