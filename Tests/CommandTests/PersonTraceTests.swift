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

  @Test func `each event of a shared device names its person, and each person has effects of its own`() throws {
    let json = try trace("tablet-1", "--format", "json").output.split(separator: "\n")
    let persons = json.map { $0.firstMatch(of: #/"person":"(\w+)"/#).map { String($0.1) } }
    #expect(persons == ["ann", "ann", "bob", "bob"])
    #expect(json.map { $0.contains(#""anchor":true"#) } == [false, false, true, false])
    let table = try trace("tablet-1").output.split(separator: "\n")
    #expect(table.map { $0.contains("  ann  ") } == [true, true, false, false], "\(table)")
    #expect(table.map { $0.contains("  bob  ") } == [false, false, true, true], "\(table)")
    #expect(try !trace("phone-1", "--format", "json").output.contains(#""person""#))
    // Both start on the device: two anchors, but one where subjects are counted.
    try place.write(
      LogLine.event("perm_flow_start", "pad", at: 0) + LogLine.event("signed_in", "pad", at: 1, #""user":"ann""#)
        + LogLine.event("perm_flow_start", "pad", at: 2) + LogLine.event("signed_in", "pad", at: 3, #""user":"bob""#),
      to: "pad.ndjson")
    for (unit, count) in [("person", 2), ("entry", 2), ("subject", 1)] {
      let run = try trace("pad", "pad.ndjson", "--count-by", unit, "--format", "json")
      #expect(run.output.ranges(of: #""anchor":true"#).count == count, "\(unit): \(run.output)")
    }
  }

  @Test func `a user of too many subjects is told with advice that works`() throws {
    let log = (1...4).map { LogLine.event("perm_flow_start", "d\($0)", at: $0, #""user":"demo""#) }.joined()
    try place.write(log, to: "crowd.ndjson")
    _ = try place.ingest("crowd.ndjson")
    let sentence =
      "demo is not one person, 4 subjects name it and the limit is 3, merge them with --merge-limit 4, "
      + "or show one of them with funnel trace d1"
    let limit = ["--merge-limit", "3", "--now", Workplace.now]
    for inputs in [[], ["crowd.ndjson"]] {
      let person = try FunnelRun(arguments: ["trace", "--person", "demo"] + inputs + limit, directory: place.url)
      #expect(person.status == 66 && person.errors == "funnel: \(sentence)\n", "\(person.errors)")
      let subject = try FunnelRun(arguments: ["trace", "d1"] + inputs + limit, directory: place.url)
      #expect(subject.status == 0 && subject.errors == "funnel: \(sentence)\n", "\(subject.errors)")
      let alone = try FunnelRun(arguments: ["trace"] + inputs + ["--person", "d1"] + limit, directory: place.url)
      #expect(alone.status == 0 && alone.output.split(separator: "\n").count == 1, "\(alone.errors)")
      let merged = try FunnelRun(
        arguments: ["trace"] + inputs + ["--person", "demo", "--merge-limit", "4", "--now", Workplace.now], directory: place.url
      )
      #expect(merged.output.split(separator: "\n").count == 4, "\(merged.errors)")
    }
  }

  @Test func `two persons are refused`() throws {
    let run = try trace("--person", "ann", "--person", "bob")
    #expect(run.status == 64 && run.errors.contains("--person is given 2 times; trace one person at a time"), "\(run.errors)")
  }

  @Test func `a store of pseudonyms takes raw ids and pseudonyms`() throws {
    let store = ["--store", "hidden", "--now", Workplace.now]
    _ = try FunnelRun(arguments: ["ingest", "a.ndjson", "--pseudonymize"] + store, directory: place.url)
    func count(_ arguments: String...) throws -> Int {
      let run = try FunnelRun(arguments: ["trace"] + arguments + store, directory: place.url)
      return run.output.split(separator: "\n").count
    }
    #expect(try count("tablet-1") == 4)
    #expect(try count("--person", "ann") == 5)
    #expect(try count("--person", "bob") == 2)
    let hidden = try FunnelRun(arguments: ["trace", "phone-1", "--format", "json"] + store, directory: place.url)
    let user = try #require(hidden.output.firstMatch(of: #/"user":"(ps_[0-9a-f]{32})"/#)).1
    #expect(try count("--person", String(user)) == 5)
    try FileManager.default.moveItem(
      at: place.url.appending(path: "hidden/key"), to: place.url.appending(path: "elsewhere.key"))
    let without = try FunnelRun(arguments: ["trace", "phone-1"] + store, directory: place.url)
    #expect(without.status == 78 && without.errors.contains("give --key-file"), "\(without.errors)")
    #expect(try count("phone-1", "--key-file", "elsewhere.key") == 2)
    #expect(try count("--person", String(user)) == 5)
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
