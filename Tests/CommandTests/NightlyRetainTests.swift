import Foundation
import FunnelTestSupport
import Testing

/// `funnel nightly --retain` drops events that were kept as long as their flow says, after the reports that count them.
@Suite struct NightlyRetainTests {
  private let place: NightlyFixture
  /// The events of 2026-11-18, which the first night drops, and those of 2026-11-20, which it keeps.
  private static let old = NightlyFixture.starts(12, at: "2026-11-18T10:00:00Z", prefix: "old")
  private static let young = NightlyFixture.starts(11, at: "2026-11-20T10:00:00Z")

  /// Fills an inbox, and defines a flow whose events are kept for two days.
  init() throws {
    place = try NightlyFixture()
    let flow = try FunnelRun("schema", "show", "cleaner/permissions_flow").output
    try FileManager.default.createDirectory(atPath: place.folder.path("flows"), withIntermediateDirectories: true)
    try place.folder.write(
      Array(("{\"retention\":{\"events\":\"2d\",\"snapshots\":\"30d\"}," + flow.drop { $0 != "{" }.dropFirst()).utf8),
      to: "flows/flow.json")
    try place.upload(Self.old + Self.young, as: "a.ndjson")
  }

  private func run(_ arguments: String...) throws -> FunnelRun {
    try FunnelRun(arguments: arguments + ["--store", "store"], directory: URL(filePath: place.folder.path))
  }

  private func json(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test func `the reports of the night count what goes, and those of the next do not`() throws {
    let night = try place.night("--retain", "--schemas", "flows")
    #expect(night.status == 0 && night.errors == "", "\(night.errors)")
    #expect(
      night.output == "nightly 2026-11-21T02:10:00.000Z: 1 file done, 0 failed; 23 events accepted, 0 duplicates, 0 rejected,"
        + " 0 unclaimed; the store remembers cleaner/permissions_flow@1, so its reports need no --schemas; reports up to 2026-11-20 in out/2026-11-20; dropped 12 events of 1 day, 2026-11-18\n"
    )
    #expect(try place.entered("latest/7d.json") == 23)
    #expect(try run("log", "cat").output.split(separator: "\n").count == 11)
    let snapshots = try run("snapshots").output
    #expect(snapshots.contains("\"entered\":12,") && snapshots.split(separator: "\n").count == 1)
    #expect(try run("log", "verify").status == 0)

    let next = try place.night("--retain", "--schemas", "flows")
    #expect(next.status == 0 && next.output.hasSuffix("; no event was dropped: none is old enough\n"), "\(next.output)")
    #expect(try place.entered("latest/7d.json") == 11)
    // Later the other day is dropped, and the snapshot expires. Flows of clarity declare the longest span for snapshots.
    let later = try place.night("--retain", "--schemas", "flows", now: "2027-02-21T02:10:00Z")
    #expect(
      later.output.hasSuffix("; dropped 11 events of 1 day, 2026-11-20; 1 snapshot expired; 1 file removed from done/\n"),
      "\(later.output)")
  }

  @Test func `the summary for programs has what funnel retain says`() throws {
    let night = try json(place.night("--retain", "--schemas", "flows", "--format", "json").output)
    let retention = try #require(night["retention"] as? [String: Any])
    #expect(retention["events"] as? Int == 12 && retention["snapshots"] as? Int == 1)
    #expect(retention["first_day"] as? String == "2026-11-18" && retention["dry_run"] as? Bool == false)
    #expect(night["events_in_store"] as? Int == 11 && night["accepted"] as? Int == 23)
  }

  @Test func `unless it is asked for nothing goes, whatever the flows say`() throws {
    let night = try place.night("--schemas", "flows", "--format", "json")
    #expect(night.status == 0 && night.output.contains(",\"retention\":null,"))
    #expect(try json(night.output)["events_in_store"] as? Int == 23)
    #expect(try !place.night("--schemas", "flows").output.contains("dropped"))
  }

  @Test func `what can't be dropped changes how the night ends, and nothing else`() throws {
    #expect(try place.night("--schemas", "flows").status == 0)
    let part = try #require(try place.folder.files().first { $0.hasPrefix("store/log/dt=2026-11-18/") })
    var bytes = try place.folder.contents(part)
    bytes[bytes.count - 6] ^= 1
    try place.folder.write(bytes, to: part)
    try place.upload(NightlyFixture.starts(3, at: "2026-11-20T11:00:00Z", prefix: "b"), as: "b.ndjson")
    let night = try place.night("--retain", "--schemas", "flows")
    #expect(night.status == 74)
    #expect(
      night.output.contains("1 file done, 0 failed; 3 events accepted,")
        && night.output.hasSuffix(" in out/2026-11-20; failed: retention\n"),
      "\(night.output)")
    let complaint = "funnel: some old events were not dropped, the next run tries again: \(part) is damaged at "
    #expect(night.errors.split(separator: "\n").last?.hasPrefix(complaint) == true, "\(night.errors)")
    #expect(try place.entered("latest/7d.json") == 26 && place.inbox() == ["done/a.ndjson", "done/b.ndjson"])
    #expect(try place.folder.contents(part) == bytes)
  }

  @Test func `nothing goes that no report has counted`() throws {
    try FileManager.default.createDirectory(atPath: place.folder.path("out"), withIntermediateDirectories: true)
    try place.folder.write([], to: "out/2026-11-20")
    let night = try place.night("--retain", "--schemas", "flows")
    #expect(night.status == 73 && night.output.hasSuffix("; no reports were written; failed: report\n"))
    #expect(
      night.errors.hasSuffix(
        "funnel: no event was dropped because the reports that should count its events were not written; the next run tries again\n"
      ))
    #expect(try run("log", "cat").output.split(separator: "\n").count == 23)
  }

  @Test func `where no flow says how long its events stay that is a mistake, said before anything is taken`() throws {
    // The built-in flows are replaced by copies without `retention`.
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Schemas/flows").standardized
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      try place.folder.write(Array(text.replacing(/,\s*"retention": *\{[^}]*\}/, with: "").utf8), to: "flows/\(name)")
    }
    try place.folder.remove("flows/flow.json")
    let night = try place.night("--retain", "--schemas", "flows")
    #expect(night.status == 64 && night.output == "")
    #expect(
      night.errors
        == "funnel: no flow says how long its events are kept, --retain, add \"retention\" to a flow's definition"
        + " or use 'funnel retain'\n")
    #expect(try place.inbox() == ["a.ndjson"])
  }

  @Test func `nothing goes as long as a file that was taken in lies in the inbox, so that it is never counted twice`() throws {
    try place.folder.write([], to: "inbox/done")
    for _ in 0..<2 {
      let night = try place.night("--retain", "--schemas", "flows")
      #expect(night.status == 73, "\(night.errors)")
      #expect(night.errors.contains("funnel: no event was dropped because some ingested files are still in the inbox;"))
      #expect(try run("snapshots").output == "")
    }
    try place.folder.remove("inbox/done")
    #expect(try place.night("--retain", "--schemas", "flows").status == 0)
    let snapshots = try run("snapshots").output
    #expect(snapshots.contains("\"entered\":12,") && snapshots.split(separator: "\n").count == 1)
  }

  @Test func `what was taken in leaves done when no flow wants its events any more, and nothing else does`() throws {
    try place.upload(NightlyFixture.starts(1, at: "2026-11-20T12:00:00Z", prefix: "n"), as: "phone/7/b.ndjson")
    #expect(try place.night("--retain", "--schemas", "flows", now: "2026-11-21T02:10:00Z").status == 0)
    // Files stay in done for the longest span of any flow, which is the thirty days of clarity's challenges.
    let others = ["inbox/done/notes.md", "inbox/done/.hidden.ndjson", "inbox/failed/c.ndjson", "inbox/done/phone/d.ndjson"]
    try FileManager.default.createDirectory(atPath: place.folder.path("inbox/failed"), withIntermediateDirectories: true)
    for name in others { try place.folder.write(Array("{}\n".utf8), to: name) }
    try FileManager.default.createSymbolicLink(
      atPath: place.folder.path("inbox/done/link.ndjson"), withDestinationPath: place.folder.path("inbox/failed/c.ndjson"))
    try FileManager.default.createSymbolicLink(
      atPath: place.folder.path("inbox/done/folder"), withDestinationPath: place.folder.path("inbox/failed"))
    for name in others { try Self.date(place.folder.path(name), "2020-01-01T00:00:00Z") }
    try Self.date(place.folder.path("inbox/done/phone/d.ndjson"), "2026-12-20T00:00:00Z")
    let kept = try json(place.night("--retain", "--schemas", "flows", "--format", "json", now: "2026-12-21T23:59:00Z").output)
    #expect(kept["done_removed"] as? Int == 0)
    let late = try place.night("--retain", "--schemas", "flows", now: "2026-12-22T00:00:00Z")
    #expect(
      late.output.hasSuffix("; no event was dropped: none is old enough; 2 files removed from done/\n"),
      "\(late.output)\(late.errors)")
    #expect(
      try place.inbox() == [
        "done/.hidden.ndjson", "done/link.ndjson", "done/notes.md", "done/phone/d.ndjson", "failed/c.ndjson",
      ])
    let without = try json(place.night("--schemas", "flows", "--format", "json", now: "2027-12-22T00:00:00Z").output)
    #expect(without["done_removed"] is NSNull)
  }

  @Test func `the date of a file in done is that of the night that moved it`() throws {
    try Self.date(place.folder.path("inbox/a.ndjson"), "2020-01-01T00:00:00Z")
    #expect(try place.night("--schemas", "flows").status == 0)
    let attributes = try FileManager.default.attributesOfItem(atPath: place.folder.path("inbox/done/a.ndjson"))
    #expect((attributes[.modificationDate] as? Date) == (try Date("2026-11-21T02:10:00Z", strategy: .iso8601)))
  }

  @Test func `nothing is removed through a link in the place of done`() throws {
    #expect(try place.night("--schemas", "flows").status == 0)
    let done = place.folder.path("inbox/done")
    try FileManager.default.removeItem(atPath: done)
    try FileManager.default.createSymbolicLink(atPath: done, withDestinationPath: place.folder.path("store"))
    let night = try place.night("--retain", "--schemas", "flows", now: "2027-02-21T02:10:00Z")
    // The command does not follow a link in place of done, so it removes nothing.
    #expect(night.status == 0 && !night.output.contains("removed from done/"), "\(night.errors)")
    #expect(try run("log", "verify").status == 0)
  }

  private static func date(_ path: String, _ time: String) throws {
    let date = try Date(time, strategy: .iso8601)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
  }
}
