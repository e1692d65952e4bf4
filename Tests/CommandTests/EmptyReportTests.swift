import Foundation
import FunnelTestSupport
import Testing

/// A report that finds nothing says what the log has instead.
@Suite struct EmptyReportTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  /// Returns what a report says of a log on standard error, which must be the same from files and from a store, with and
  /// without an index.
  private func said(of log: String, _ options: String...) throws -> [String] {
    try place.write(log, to: "log.ndjson")
    let arguments =
      ["report", "funnel", "--format", "csv"] + (options.contains("--now") ? [] : ["--now", Workplace.now]) + options
    func lines(_ more: [String]) throws -> [String] {
      let run = try FunnelRun(arguments: arguments + more, directory: place.url)
      #expect(run.status == 0, "\(run)")
      return run.errors.split(separator: "\n").map(String.init)
    }
    try? FileManager.default.removeItem(atPath: place.folder.path("s"))
    #expect(try place.run("ingest", "log.ndjson", "--store", "s", "--now", Workplace.now).status == 0)
    let ofFiles = try lines(["log.ndjson"])
    #expect(try lines(["--store", "s"]) == ofFiles)
    try? FileManager.default.removeItem(atPath: place.folder.path("s/index"))
    #expect(try lines(["--store", "s"]) == ofFiles)
    return ofFiles
  }

  private static let span = "funnel: they happened from 2026-11-20T10:00:00.000Z to 2026-11-20T10:00:05.000Z"

  @Test func `of an app without definitions the events are counted`() throws {
    let log = (0...5).map { LogLine.event("opened", at: $0).replacingOccurrences(of: "cleaner", with: "todo") }.joined()
    #expect(
      try said(of: log) == [
        "funnel: nothing matched: 6 events of app todo, which has no flow definition: give one with --schemas", Self.span,
      ])
    let table = try place.run("report", "log.ndjson", "--now", Workplace.now)
    #expect(table.errors == "")
    #expect(
      table.output.contains(
        """
        Nothing matched: nobody entered a flow.
        What the log has:
          - 6 events of app todo, which has no flow definition: give one with --schemas
          - they happened from 2026-11-20T10:00:00.000Z to 2026-11-20T10:00:05.000Z
        What to check:
          - --now: events after 2026-11-21 12:00 UTC are ignored

        """), "\(table.output)")
  }

  @Test(arguments: [1, 2, 40]) func `an event that was sent several times is counted once, of files, of a store and of states`(
    times: Int
  ) throws {
    let opened = LogLine.event("opened", at: 0, #""id":"1""#).replacingOccurrences(of: "cleaner", with: "todo")
    // The first of two with one id counts, so that the other ends no span.
    let later = LogLine.event("opened", at: 9, #""id":"1""#).replacingOccurrences(of: "cleaner", with: "todo")
    let closed = LogLine.event("closed", at: 5, #""id":"1""#).replacingOccurrences(of: "cleaner", with: "todo")
    let log = String(repeating: opened, count: times) + (times > 1 ? later : "") + closed
    #expect(
      try said(of: log) == [
        "funnel: nothing matched: 2 events of app todo, which has no flow definition: give one with --schemas", Self.span,
      ])
    #expect(try place.run("fold", "log.ndjson", "--state", "log.state", "--now", Workplace.now).status == 0)
    let merged = try place.run("merge", "log.state", "funnel", "--format", "csv")
    #expect(merged.errors.hasPrefix("funnel: nothing matched: 2 events of app todo, "), "\(merged.errors)")
    let piped = try place.run("report", "funnel", "-", "--format", "csv", "--now", Workplace.now, input: log)
    #expect(piped.errors.hasPrefix("funnel: nothing matched: 2 events of app todo, "), "\(piped.errors)")
  }

  @Test func `what lots of names hold is the same at each run, however many threads read`() throws {
    let apps = ["todo", "notes", "done"]
    let log = (0..<12_000).map { number in
      LogLine.event("n\(number)", at: number % 6).replacingOccurrences(of: "cleaner", with: apps[number % 3])
    }
    try place.write(log.joined() + log.prefix(5_000).joined(), to: "log.ndjson")
    func said(_ threads: String, _ name: String) throws -> String {
      let run = try place.run(
        "report", "funnel", name, "--format", "csv", "--now", Workplace.now, "--threads", threads)
      return run.errors
    }
    let first = try said("1", "log.ndjson")
    #expect(first.contains("at least ") && first.contains(" of app todo"), "\(first)")
    for threads in ["2", "4", "7"] { #expect(try said(threads, "log.ndjson") == first) }
    try place.write(log.reversed().joined(), to: "reversed.ndjson")
    #expect(try said("3", "reversed.ndjson") == first)
    for (number, part) in [log.prefix(7_000), log.dropFirst(7_000)].enumerated() {
      try place.write(part.joined(), to: "\(number).ndjson")
    }
    #expect(
      try place.run("fold", "0.ndjson", "1.ndjson", "--state", "all.state", "--now", Workplace.now).status == 0)
    let merged = try place.run("merge", "all.state", "funnel", "--format", "csv")
    #expect(merged.errors == first)
  }

  @Test func `an app that is misspelt is pointed out, and only the largest five are named`() throws {
    let apps = ["claener", "b", "c", "d", "e", "f", "g"]
    let log = apps.enumerated().map { place, app in
      (0...(place == 0 ? 5 : 0)).map { LogLine.event("opened", at: $0).replacingOccurrences(of: "cleaner", with: app) }.joined()
    }.joined()
    let lines = try said(of: log)
    #expect(
      lines.first
        == "funnel: nothing matched: 6 events of app claener, which has no flow definition: give one with --schemas, or did you mean the app cleaner?"
    )
    #expect(lines[5...] == ["funnel: and events of 2 more apps", Self.span])
  }

  @Test func `of a known app the flows are named that have events, and which of them nobody began`() throws {
    let log = (0...4).map { LogLine.event("perm_photos_granted", at: $0) }.joined() + LogLine.event("zzz", at: 5)
    #expect(
      try said(of: log) == [
        "funnel: nothing matched: 6 events of app cleaner: 5 of permissions_flow, 1 that no flow declares", Self.span,
        "funnel: no event of cleaner/permissions_flow@1 enters its first step, start",
      ])
    #expect(
      try said(of: LogLine.event("zzz") + LogLine.event("zzz", at: 5)).first
        == "funnel: nothing matched: 2 events of app cleaner, none of them declared by its flows: 'funnel ingest --dry-run' suggests the names that were probably meant"
    )
  }

  @Test func `a time or a flow that leaves everything out is named`() throws {
    let log = LogLine.completedRun("s1")
    let first = "funnel: nothing matched: 6 events of app cleaner: 6 of permissions_flow"
    #expect(
      try said(of: log, "--since", "2026-11-21") == [
        first, Self.span, "funnel: --since 2026-11-21T00:00:00.000Z is after the last event",
      ])
    #expect(
      try said(of: log, "--until", "2026-11-20").last
        == "funnel: --until 2026-11-20T00:00:00.000Z is not after the first event")
    #expect(
      try said(of: log, "--flow", "clarity/paywall") == ["\(first) (left out by --flow)", Self.span])
    let early = try place.run("report", "funnel", "log.ndjson", "--format", "csv", "--now", "2026-11-19T12:00:00Z")
    #expect(early.errors.contains("funnel: --now 2026-11-19T12:00:00.000Z is before the first event\n"), "\(early)")
  }

  @Test func `of flows without a permission the grants say so`() throws {
    let log = LogLine.event("step_viewed", at: 0, #""step":"welcome","flow":"onboarding""#).replacingOccurrences(
      of: "cleaner", with: "smilepile")
    let run = try place.run("report", "grants", "-", "--format", "csv", "--now", Workplace.now, input: log)
    #expect(
      run.errors == """
        funnel: nothing matched: 1 event of app smilepile: 1 of onboarding
        funnel: they happened from 2026-11-20T10:00:00.000Z to 2026-11-20T10:00:00.000Z
        funnel: none of these flows asks for a permission

        """, "\(run)")
  }

  @Test func `a log without events has nothing to be said of`() throws {
    #expect(try said(of: "") == ["funnel: nothing matched: there is no event up to 2026-11-21T12:00:00.000Z"])
  }
}
