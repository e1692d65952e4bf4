import Foundation
import FunnelTestSupport
import Testing

/// A mistyped or unknown state of `funnel groups`.
@Suite struct GroupStateTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    try place.write(
      #"{"name":"perm_flow_start","app":"cleaner","subject":"ann","ts":"2026-11-10T10:00:00Z"}"# + "\n", to: "failed-not")
    _ = try place.ingest("-")
  }

  private func groups(_ arguments: String...) throws -> FunnelRun {
    try FunnelRun(
      arguments: ["groups", "--flow", "cleaner/permissions_flow", "--now", Workplace.now] + arguments, directory: place.url)
  }

  @Test(arguments: [
    ("failed", "dropped"), ("lost", "dropped"), ("droped", "dropped"), ("Finished", "completed"), ("accepted", "granted"),
    ("declined", "denied"),
  ])
  func `a word that is no state and no file is not taken for a file`(word: String, meant: String) throws {
    for more in [[], ["--step", "photos"]] {
      let run = try FunnelRun(arguments: ["groups", word] + more, directory: place.url)
      #expect(run.status == 64)
      #expect(run.errors == "funnel: no such state, \(word), did you mean \(meant)?\n")
    }
  }

  @Test func `a word that resembles no state is followed by all of them`() throws {
    let run = try groups("xyz")
    #expect(run.status == 64)
    #expect(run.errors.hasPrefix("funnel: no such state, xyz, give one of entered, completed, dropped, "), "\(run.errors)")
  }

  @Test func `a file is a file, whatever it is called`() throws {
    let run = try groups("failed-not", "--step", "start", "--format", "lines")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output == "ann\n")
  }
}
