import Foundation
import Testing

/// A log from which links were removed gives the reports of the events that remain.
@Suite struct LinkRemovalTests {
  private static let day = 24 * 60 * 60
  /// The options of the reports that are compared.
  private static let questions = [
    ["report"], ["report", "--count-by", "entry"], ["report", "--count-by", "subject"], ["report", "--by", "day"],
    ["groups", "entered", "--flow", "cleaner/permissions_flow"],
  ]

  private let place: Workplace

  init() throws { place = try Workplace() }

  /// A phone and a tablet on which people start, and two accounts with which they complete the flow.
  private static let events =
    LogLine.event("perm_flow_start", "phone-1", at: 0) + LogLine.event("perm_photos_pre_prompt_shown", "phone-1", at: 5)
    + LogLine.event("perm_photos_granted", "tablet-1", at: 20) + LogLine.event("perm_flow_start", "tablet-1", at: 30)
    + LogLine.completedRun("ann", at: 40) + LogLine.completedRun("bob", at: 60) + LogLine.completedRun("phone-2", at: 80)

  /// Logins on the phone and on the tablet, which make three persons of five subjects.
  private static func links(at second: Int) -> String {
    LogLine.event("signed_in", "phone-1", at: second, #""user":"ann""#)
      + LogLine.event("user_linked", "tablet-1", at: second + 1, #""user":"ann""#)
      + LogLine.event("signed_in", "tablet-1", at: second + 35, #""user":"bob""#)
  }

  /// Returns the output of each question.
  private func answers(_ store: String = "funnel-store") throws -> [String] {
    try Self.questions.map { question in
      let arguments = question + ["--store", store, "--now", Workplace.now, "--format", "json"]
      let run = try FunnelRun(arguments: arguments, directory: place.url)
      #expect(run.status == 0, "\(question): \(run.errors)")
      return run.output
    }
  }

  @Test(arguments: [false, true])
  func `an undone ingest of links leaves the reports from before`(isCompacted: Bool) throws {
    try place.write(Self.events, to: "events.ndjson")
    try place.write(Self.links(at: 10), to: "links.ndjson")
    _ = try place.ingest("events.ndjson")
    let before = try answers()
    _ = try place.ingest("links.ndjson")
    let linked = try answers()
    #expect(
      before[0] != linked[0] && before[0].contains(#""entered":5"#) && linked[0].contains(#""entered":3"#), "\(linked[0])")
    if isCompacted { #expect(try place.run("log", "compact", "--now", "2026-12-31T00:00:00Z").status == 0) }
    #expect(try place.run("log", "undo", "2", "--now", Workplace.now).status == 0)
    #expect(try answers() == before)
    // Without the index the log is read.
    try FileManager.default.removeItem(at: place.url.appending(path: "funnel-store/index"))
    #expect(try answers() == before)
    _ = try place.ingest("links.ndjson")
    #expect(try answers() == linked)
  }

  @Test func `once old links are dropped, reports are those of the events that remain`() throws {
    try place.write(Self.links(at: -3 * Self.day) + Self.events, to: "all.ndjson")
    _ = try place.ingest("all.ndjson")
    let linked = try answers()
    #expect(try place.run("retain", "--events", "2d", "--now", Workplace.now).status == 0)
    let remaining = try place.run("log", "cat").output
    #expect(!remaining.contains("user") && remaining.contains("tablet-1"), "\(remaining)")
    try place.write(remaining, to: "remaining.ndjson")
    _ = try place.ingest("remaining.ndjson", "--store", "fresh")
    let left = try answers()
    #expect(left[0] != linked[0] && left[0].contains(#""entered":5"#) && linked[0].contains(#""entered":3"#), "\(linked[0])")
    #expect(try left == answers("fresh"))
    try FileManager.default.removeItem(at: place.url.appending(path: "funnel-store/index"))
    #expect(try answers() == left)
  }
}
