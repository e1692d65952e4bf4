import Foundation
import Testing

/// `funnel trace --person` shows the events of all subjects of a person.
@Suite struct PersonTraceTests {
  private let place: Workplace

  /// Ann has a phone, and the tablet until Bob logs in there. The server knows only her account.
  private static let log =
    LogLine.event("perm_flow_start", "phone-1", at: 0)
    + LogLine.event("signed_in", "phone-1", at: 10, #""user":"ann""#)
    + LogLine.event("perm_photos_pre_prompt_shown", "tablet-1", at: 20)
    + LogLine.event("user_linked", "tablet-1", at: 30, #""user":"ann""#)
    + LogLine.event("perm_flow_start", "tablet-1", at: 40)
    + LogLine.event("signed_in", "tablet-1", at: 50, #""user":"bob""#)
    + LogLine.event("perm_photos_granted", "ann", at: 60)
    + LogLine.event("perm_flow_start", "null", at: 70, #""user":"ann""#)

  init() throws {
    place = try Workplace()
    try place.write(Self.log, to: "a.ndjson")
    _ = try place.ingest("a.ndjson")
  }

  private func trace(_ arguments: String..., input: String = "") throws -> FunnelRun {
    try FunnelRun(arguments: ["trace", "--now", Workplace.now] + arguments, directory: place.url, input: input)
  }

  /// The times in seconds and the subjects of a trace in JSON.
  private func events(_ run: FunnelRun) -> [String] {
    run.output.split(separator: "\n").compactMap { line in
      let event = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return (event?["ts"] as? String).map { "\($0.dropFirst(17).prefix(2)) \(event?["subject"] ?? "")" }
    }
  }

  @Test func `a person has the events of its subjects in order, from the store, from files and from a stream`() throws {
    let expected = ["00 phone-1", "10 phone-1", "20 tablet-1", "30 tablet-1", "00 ann"]
    let arguments = ["--person", "ann", "--format", "json"]
    let stored = try FunnelRun(arguments: ["trace", "--now", Workplace.now] + arguments, directory: place.url)
    #expect(events(stored) == expected, "\(stored.output)\(stored.errors)")
    for input in ["a.ndjson", "-"] {
      let run = try trace(input, "--person", "ann", "--format", "json", input: Self.log)
      #expect(run.output == stored.output, "\(run.errors)")
    }
    // Without the index the log is read.
    try FileManager.default.removeItem(at: place.url.appending(path: "funnel-store/index"))
    #expect(try trace("--person", "ann", "--format", "json").output == stored.output)
    #expect(try events(trace("--person", "bob", "--format", "json")) == ["40 tablet-1", "50 tablet-1"])
  }

  @Test func `the effects are those of the person, and the table shows other subjects`() throws {
    let lines = try trace("--person", "ann").output.split(separator: "\n")
    #expect(lines.count == 5)
    #expect(lines[2].contains("  tablet-1  ") && lines[3].contains("  tablet-1  links the user ann"), "\(lines)")
    #expect(lines[4].contains("photos is granted") && !lines[4].contains("tablet-1"), "\(lines)")
    let bySubject = try trace("--person", "ann", "--count-by", "subject")
    #expect(!bySubject.output.contains("granted ") && bySubject.errors.contains("counts by subject"), "\(bySubject.errors)")
  }

  @Test func `a subject of others is a sentence that names them, and a trace of it says to whom its events belong`() throws {
    let run = try trace("--person", "phone-1")
    #expect(run.status == 66)
    #expect(run.errors.contains("phone-1 belongs to ann, show a person with funnel trace --person ann"), "\(run.errors)")
    #expect(try trace("--person", "tablet-1").errors.contains("tablet-1 belongs to ann and bob, "))
    #expect(try trace("--person", "nobody").errors.contains("no event of this person, nobody, "))
    let plain = try trace("tablet-1", "--format", "json")
    #expect(events(plain).count == 4 && !plain.output.contains("\"subject\""))
    #expect(plain.errors.contains("these events belong to ann and bob; funnel trace --person ann shows all of ann"))
    #expect(try !trace("ann").errors.contains("belong"))
    #expect(try trace().status == 64)
  }

  @Test func `a link counts from the commit that brought it, and not once it is undone`() throws {
    try place.write(LogLine.event("perm_flow_start", "laptop", at: 5), to: "b.ndjson")
    try place.write(LogLine.event("signed_in", "laptop", at: 8, #""user":"ann""#), to: "c.ndjson")
    _ = try place.ingest("b.ndjson")
    #expect(try events(trace("--person", "ann", "--format", "json")).count == 5)
    _ = try place.ingest("c.ndjson")
    #expect(try events(trace("--person", "ann", "--format", "json")).count == 7)
    #expect(try events(trace("--person", "ann", "--format", "json", "--as-of", "2")).count == 5)
    #expect(try events(trace("--person", "laptop", "--format", "json", "--as-of", "2")).count == 1)
    #expect(try place.run("log", "undo", "--last", "--now", Workplace.now).status == 0)
    #expect(try events(trace("--person", "ann", "--format", "json")).count == 5)
    #expect(try trace("--person", "ann", "--merge-limit", "1").errors.contains("raise --merge-limit") == false)
  }
}
