import Foundation
import Testing

/// `funnel forget --person` erases all subjects of a person, and keeps the person out.
@Suite struct PersonForgetTests {
  /// Ann has a phone and shares a tablet with Bob. The server knows her account alone, and one event has no device.
  private static let ofAnn = [
    LogLine.event("perm_flow_start", "phone-1", at: 0),
    LogLine.event("signed_in", "phone-1", at: 10, #""user":"ann-0001""#),
    LogLine.event("signed_in", "tablet-1", at: 20, #""user":"ann-0001""#),
    LogLine.event("perm_photos_granted", "ann-0001", at: 30),
    LogLine.event("signed_in", "null", at: 40, #""user":"ann-0001""#),
  ]
  private static let ofBob = [
    LogLine.event("perm_flow_start", "tablet-1", at: 50), LogLine.event("signed_in", "tablet-1", at: 60, #""user":"bob""#),
  ]
  private static let others = LogLine.completedRun("phone-2", at: 5) + LogLine.event("opened", "null", at: 80)

  private let place: Workplace

  init() throws {
    place = try Workplace()
    try place.write((Self.ofAnn + Self.ofBob).joined() + Self.others, to: "a.ndjson")
    try place.write(Self.others, to: "others.ndjson")
  }

  private func forget(_ arguments: String..., input: String = "") throws -> FunnelRun {
    try FunnelRun(arguments: ["forget", "--now", Workplace.now] + arguments, directory: place.url, input: input)
  }

  @Test func `all subjects of a person are erased, those that others use too are named first`() throws {
    _ = try place.ingest("a.ndjson")
    _ = try place.ingest("others.ndjson", "--store", "never")
    let preview = try forget("--person", "ann-0001", "--dry-run")
    #expect(preview.errors.contains("tablet-1 is also used by bob: its 3 events are erased too"), "\(preview.errors)")
    #expect(preview.output.hasPrefix("would forget 1 person with 3 subjects: 7 events and "), "\(preview.output)")
    #expect(!preview.output.contains("not found"))
    let run = try forget("--person", "ann-0001", "--format", "json")
    #expect(run.status == 0 && run.errors.contains("tablet-1 is also used by bob"), "\(run.errors)")
    #expect(run.output.contains(#""subjects":3,"found":3,"#) && run.output.contains(#""events":7,"#), "\(run.output)")
    #expect(run.output.contains(#","persons":1}"#) && run.output.contains(#""tombstones":3,"#), "\(run.output)")
    #expect(try place.run("log", "cat").output == place.run("log", "cat", "--store", "never").output)
    #expect(try place.report() == place.report("--store", "never"))
    #expect(try place.run("log", "verify").status == 0)
  }

  @Test func `events of the person's user and subjects stay out`() throws {
    _ = try place.ingest("a.ndjson")
    _ = try forget("--person", "ann-0001")
    try place.write(LogLine.event("opened", "laptop", at: 70, #""user":"ann-0001""#), to: "later.ndjson")
    let later = try place.ingest("later.ndjson")
    #expect((later["rejected_by_reason"] as? [String: Int])?["forgotten"] == 1, "\(later)")
    let again = try place.ingest("a.ndjson")
    #expect((again["rejected_by_reason"] as? [String: Int])?["forgotten"] == 7, "\(again)")
    #expect(try !place.run("log", "cat").output.contains("ann-0001"))
  }

  @Test func `a list names persons, also one whose device belongs to nobody else`() throws {
    _ = try place.ingest("a.ndjson")
    let run = try forget("--person", "--from", "-", input: "bob\nnobody\n")
    #expect(run.output.hasPrefix("forgot 2 persons with 3 subjects: 3 events and "), "\(run.output)")
    #expect(run.errors.contains("tablet-1 is also used by ann-0001: its 3 events are erased too"), "\(run.errors)")
    #expect(run.output.contains("not found   1: "), "\(run.output)")
    let both = try place.copy()
    #expect(try both.run("forget", "--person", "ann-0001", "--now", Workplace.now).errors.contains("also used") == false)
  }

  @Test(arguments: [[], ["--pseudonymize"]])
  func `a subject of one user names the person as the user does`(options: [String]) throws {
    // In a store of pseudonyms a placeholder takes no user, so its event is left out here.
    try place.write(Self.ofAnn.prefix(4).joined() + LogLine.event("opened", "phone-2", at: 5), to: "b.ndjson")
    let ingest = ["ingest", "b.ndjson", "--now", Workplace.now] + options
    #expect(try FunnelRun(arguments: ingest, directory: place.url).status == 0)
    let other = try place.copy()
    _ = try FunnelRun(arguments: ["forget", "--person", "ann-0001", "--now", Workplace.now], directory: other.url)
    let expected = try other.run("log", "cat").output
    #expect(expected.split(separator: "\n").count == 1)
    let preview = try forget("--person", "phone-1", "--dry-run")
    #expect(preview.output.hasPrefix("would forget 1 person with 3 subjects: 4 events and "), "\(preview.output)")
    let user = options.isEmpty ? "ann-0001" : "ps_"
    #expect(preview.errors.contains("phone-1 belongs to \(user)"), "\(preview.errors)")
    #expect(preview.errors.contains(", who is erased with all subjects") && !preview.errors.contains("also"))
    // The user and two of its subjects are one person.
    let run = try forget("--person", "phone-1", "ann-0001", "tablet-1")
    #expect(run.output.hasPrefix("forgot 1 person with 3 subjects: 4 events and "), "\(run.output)")
    #expect(try place.run("log", "cat").output == expected)
    let again = try FunnelRun(arguments: ingest + ["--format", "json"], directory: place.url)
    #expect(again.output.contains(#""accepted":0,"duplicates":1,"rejected":4,"#), "\(again.output)")
  }

  @Test func `a subject of several users names no person, and nothing is erased`() throws {
    _ = try place.ingest("a.ndjson")
    let before = try place.storeBytes()
    let run = try forget("--person", "phone-2", "tablet-1")
    #expect(run.status == 65)
    #expect(
      run.errors
        == "funnel: tablet-1 belongs to ann-0001 and bob, name one of them: funnel forget --person ann-0001; "
        + "or erase only this subject: funnel forget tablet-1\n", "\(run.errors)")
    #expect(try place.storeBytes() == before)
  }

  @Test func `a subject of a user of too many subjects is a person of its own`() throws {
    let crowd = (0...1000).map { LogLine.event("opened", "d\($0)", at: $0, #""user":"demo""#) }.joined()
    try place.write(crowd, to: "crowd.ndjson")
    _ = try place.ingest("crowd.ndjson")
    let run = try forget("--person", "d7")
    #expect(run.output.hasPrefix("forgot 1 person with 1 subject: 1 event and "), "\(run.output)\(run.errors)")
    #expect(!run.errors.contains("belongs to"), "\(run.errors)")
  }

  @Test func `a subject that is a person itself is not named as its own other`() throws {
    try place.write(
      LogLine.event("signed_in", "ann-old", at: 0, #""user":"ann-new""#)
        + LogLine.event("signed_in", "ann-old", at: 10, #""user":"ann-old""#)
        + LogLine.event("signed_in", "phone-9", at: 20, #""user":"ann-old""#) + LogLine.event("opened", "phone-9", at: 30),
      to: "old.ndjson")
    _ = try place.ingest("old.ndjson")
    let preview = try forget("--person", "ann-new", "--dry-run")
    #expect(
      preview.errors.contains(
        "ann-old is also a person of its own: its 2 events are erased too, and later events of it are rejected; "
          + "name it as well to erase its other subjects"), "\(preview.errors)")
    #expect(!preview.errors.contains("used by ann-old"), "\(preview.errors)")
    let both = try forget("--person", "ann-new", "ann-old")
    #expect(both.output.hasPrefix("forgot 2 persons with 3 subjects: 4 events and "), "\(both.output)")
    #expect(!both.errors.contains("also"), "\(both.errors)")
  }

  @Test func `a subject alone leaves the events of its user`() throws {
    _ = try place.ingest("a.ndjson")
    _ = try forget("ann-0001")
    let left = try place.run("log", "cat").output
    #expect(left.contains(#""user":"ann-0001""#) && !left.contains(#""subject":"ann-0001""#))
  }

  @Test func `a store of pseudonyms takes the raw id of the person`() throws {
    _ = try place.ingest("a.ndjson", "--pseudonymize")
    let run = try forget("--person", "ann-0001")
    #expect(run.output.hasPrefix("forgot 1 person with 3 subjects: "), "\(run.output)")
    let again = try place.ingest("a.ndjson", "--pseudonymize")
    #expect(again["accepted"] as? Int == 0, "\(again)")
  }
}
