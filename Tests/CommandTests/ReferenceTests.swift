import Foundation
import FunnelTestSupport
import Testing

/// Compares every report with `Tests/Reference`, a second implementation of the specification, over random flows, logs and
/// options. A failure prints the shrunk example with its seed.
@Suite struct ReferenceTests {
  private static let zoneScript = "python3 -c 'import zoneinfo; zoneinfo.ZoneInfo(\"Asia/Kolkata\")'"
  private static let hasPython = (try? FunnelRun(shell: zoneScript))?.status == 0

  private static let reports = [
    "funnel", "grants", "dropoff", "steps", "times", "trend", "outcomes", "breaches", "access", "next", "compare",
    "groups",
  ]

  /// `Tests/Reference/compare.py`.
  private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Reference/compare.py").path

  /// Runs the comparison with `program`, a word of a shell script.
  private func compare(_ program: String, report: String, seeds: Int, directory: URL? = nil) throws -> FunnelRun {
    try FunnelRun(
      shell: "python3 -B '\(Self.script)' --funnel \(program) --report \(report) --seeds 0..\(seeds) --shrink-seconds 10",
      directory: directory)
  }

  @Test(.enabled(if: hasPython, "there is no python3 that knows time zones"), arguments: reports)
  func `a report agrees with the reference`(report: String) throws {
    // A case of groups asks for up to three lists.
    let seeds = Sweeps.count(300, sample: report == "groups" ? 4 : 10)
    let run = try compare("\"$FUNNEL\"", report: report, seeds: seeds)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output == "\(report): \(seeds) cases, 0 differ\n")
  }

  @Test(.enabled(if: hasPython, "there is no python3 that knows time zones"))
  func `the reference agrees with examples counted by hand, published numbers and the laws of every log`() throws {
    let script = URL(filePath: Self.script).deletingLastPathComponent().appending(path: "self_check.py").path
    let run = try FunnelRun(shell: "python3 -B '\(script)'")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
  }

  @Test(.enabled(if: hasPython, "there is no python3 that knows time zones"))
  func `a program that counts one group too many is found out, with the seed and an example`() throws {
    let place = try Workplace()
    try place.write(
      "#!/bin/bash\n'\(FunnelRun.executable.path)' \"$@\" | sed 's/\"entered\":1,/\"entered\":2,/'\n", to: "wrong")
    _ = try FunnelRun(shell: "chmod +x wrong", directory: place.url)
    let run = try compare("\"$PWD/wrong\"", report: "funnel", seeds: 50, directory: place.url)
    #expect(run.status == 1, "\(run.output)\(run.errors)")
    #expect(run.output.contains("/entered: 2 printed, 1 expected"))
    #expect(run.output.contains("funnel, seed "))
    #expect(run.output.contains("\nlog.ndjson:\n{"))
  }
}
