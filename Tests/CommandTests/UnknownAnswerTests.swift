import Foundation
import FunnelTestSupport
import Testing

/// Permission events with an unknown ending count in no rate, so a message names them.
@Suite struct UnknownAnswerTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  private static let log =
    LogLine.completedRun("s1") + LogLine.event("perm_photos_authorized", "s2", at: 1)
    + LogLine.event("perm_photos_authorized", "s3", at: 1)
    + LogLine.event("perm_photos_restricted", "s2", at: 2) + LogLine.event("perm_fotos_granted", "s2", at: 3)

  private static let told = """
    funnel: 3 permission events in the log have names that no flow declares; they count as no answer, so people with such an event may count as unanswered, skipped or denied
    funnel:   2 × cleaner: perm_photos_authorized, did you mean perm_photos_granted?
    funnel:   1 × cleaner: perm_photos_restricted, restricted is not an answer: a profile or parental controls decided, nobody was asked

    """

  @Test func `an ingest tells them with the nearest known, or that they are no answer`() throws {
    let run = try place.run("ingest", "-", "--now", Workplace.now, input: Self.log)
    #expect(
      run.output.contains(
        """
          unclaimed   4: no flow declares these events; they are kept
                      2 × cleaner: perm_photos_authorized, did you mean perm_photos_granted?
                      1 × cleaner: perm_fotos_granted, did you mean perm_photos_granted?
                      1 × cleaner: perm_photos_restricted, restricted is not an answer: a profile or parental controls decided, nobody was asked

        """), "\(run.output)")
  }

  @Test func `an ingest tells them on standard error where its summary is JSON`() throws {
    let run = try place.run("ingest", "-", "--format", "json", "--now", Workplace.now, input: Self.log)
    #expect(
      run.errors == """
        funnel: 4 events of 10 that no flow declares, kept all the same:
        funnel:   2 × cleaner: perm_photos_authorized, did you mean perm_photos_granted?
        funnel:   1 × cleaner: perm_fotos_granted, did you mean perm_photos_granted?
        funnel:   1 × cleaner: perm_photos_restricted, restricted is not an answer: a profile or parental controls decided, nobody was asked

        """)
    #expect(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) is [String: Any])
  }

  @Test func `an event that was sent twice is told once, of files as of a store`() throws {
    let event = LogLine.event("perm_photos_authorized", "s2", at: 1)
    try place.write(LogLine.completedRun("s1") + event + event, to: "log.ndjson")
    let arguments = ["report", "grants", "--format", "csv", "--now", Workplace.now]
    let ofFiles = try FunnelRun(arguments: arguments + ["log.ndjson"], directory: place.url).errors
    #expect(ofFiles.contains("1 × cleaner: perm_photos_authorized, did you mean perm_photos_granted?"), "\(ofFiles)")
    _ = try place.ingest("log.ndjson")
    #expect(try FunnelRun(arguments: arguments, directory: place.url).errors == ofFiles)
  }

  @Test func `a report tells those of its flows once, of files and of a store, with an index and without`() throws {
    try place.write(Self.log, to: "log.ndjson")
    func errors(_ arguments: String...) throws -> String {
      let run = try FunnelRun(
        arguments: ["report", "grants", "--format", "csv", "--now", Workplace.now] + arguments, directory: place.url)
      #expect(run.status == 0)
      return run.errors
    }
    #expect(try errors("log.ndjson") == Self.told)
    #expect(try errors("log.ndjson", "--flow", "clarity/onboarding").hasPrefix("funnel: nothing matched: "))
    #expect(try place.run("ingest", "log.ndjson", "--now", Workplace.now).status == 0)
    #expect(try errors() == Self.told)
    #expect(try place.run("ingest", "-", "--now", Workplace.now, input: LogLine.event("perm_push_x", at: 9)).status == 0)
    let more = Self.told.replacingOccurrences(of: "funnel: 3", with: "funnel: 4") + "funnel:   1 × cleaner: perm_push_x\n"
    #expect(try errors().split(separator: "\n").sorted() == more.split(separator: "\n").sorted())
    try FileManager.default.removeItem(atPath: place.folder.path("funnel-store/index"))
    #expect(try errors().split(separator: "\n").sorted() == more.split(separator: "\n").sorted())
  }

  @Test func `only the five most frequent are named`() throws {
    let log = (0..<7).map { LogLine.event("perm_photos_x\($0)x", at: $0) }.joined() + LogLine.completedRun("s1")
    let errors = try place.run("report", "grants", "-", "--format", "csv", "--now", Workplace.now, input: log).errors
    #expect(errors.split(separator: "\n").count == 7 && errors.hasSuffix("funnel:   and 2 more names\n"), "\(errors)")
    let one = try place.run(
      "report", "grants", "-", "--format", "csv", "--now", Workplace.now,
      input: LogLine.event("perm_photos_qqqq") + LogLine.completedRun("s1"))
    #expect(
      one.errors == """
        funnel: 1 permission event in the log has a name that no flow declares; it counts as no answer, so people with such an event may count as unanswered, skipped or denied
        funnel:   1 × cleaner: perm_photos_qqqq

        """, "\(one.errors)")
  }
}
