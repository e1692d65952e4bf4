import Testing

/// The user of events, as commands show it.
@Suite struct UserTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    try place.write(
      LogLine.event("perm_flow_start", "inst_1", at: 0) + LogLine.event("user_linked", "inst_1", at: 1, #""user":"account_1""#)
        + LogLine.event("signed_in", "inst_1", at: 2, #""user":"account_1""#),
      to: "a.ndjson")
  }

  @Test func `the log keeps the user after the subject, and a link is not unclaimed`() throws {
    let summary = try place.ingest("a.ndjson")
    #expect(summary["accepted"] as? Int == 3 && summary["unclaimed"] as? Int == 1)
    let record = try place.run("log", "cat", "--name", "user_linked").output
    let head = #"{"name":"user_linked","ts":"2026-11-20T10:00:01.000Z","subject":"inst_1","user":"account_1","app":"cleaner","#
    #expect(record.hasPrefix(head), "\(record)")
    #expect(try place.run("log", "verify").status == 0)
  }

  @Test(arguments: ["person", "entry", "subject", "attempt"])
  func `a stream is counted as its file is`(unit: String) throws {
    let log =
      LogLine.event("start", "phone", at: 0) + LogLine.event("login", "phone", at: 1, #""user":"ann""#)
      + LogLine.event("start", "tablet", at: 2, #""user":"ann""#) + LogLine.event("start", "other", at: 3)
      + LogLine.event("paid", "ann", at: 4)
    try place.write(log, to: "log.ndjson")
    let options = ["--steps", "start,paid", "--count-by", unit, "--now", Workplace.now, "--format", "json"]
    let file = try FunnelRun(arguments: ["report", "funnel", "log.ndjson"] + options, directory: place.url)
    let stream = try FunnelRun(arguments: ["report", "funnel", "-"] + options, directory: place.url, input: log)
    let entered = ["person", "entry"].contains(unit) ? 2 : 3
    #expect(stream.output == file.output && file.output.contains("\"entered\":\(entered)"), "\(stream.output)\(file.output)")
  }

  /// Returns an event of an app without definitions.
  private static func line(_ app: String, _ name: String, _ subject: String, at second: Int, user: String? = nil) -> String {
    let user = user.map { #","user":"\#($0)""# } ?? ""
    return
      #"{"app":"\#(app)","name":"\#(name)","subject":"\#(subject)"\#(user),"ts":"2026-11-20T10:00:\#(String(second + 10))Z"}"#
      + "\n"
  }

  @Test func `a login that is no step links persons of an app without definitions`() throws {
    let log =
      Self.line("q", "x1", "phone", at: 0) + Self.line("q", "login", "phone", at: 1, user: "ann")
      + Self.line("q", "x2", "ann", at: 2)
    try place.write(log, to: "log.ndjson")
    let options = ["--steps", "x1,x2", "--now", Workplace.now, "--format", "json"]
    let outputs = [
      try FunnelRun(arguments: ["report", "funnel", "log.ndjson"] + options, directory: place.url).output,
      try FunnelRun(arguments: ["report", "funnel", "log.ndjson", "--app", "q"] + options, directory: place.url).output,
      try FunnelRun(arguments: ["report", "funnel", "-"] + options, directory: place.url, input: log).output,
    ]
    for output in outputs { #expect(output.contains(#""entered":1,"completed":1"#), "\(output)") }
  }

  @Test func `of two copies in one ingest the smaller record stays in either order, whichever has the account`() throws {
    // Of equal times the bytes of the records decide: "app" comes before "user".
    let plain = LogLine.event("x1", "phone", at: 0, #""id":"1""#)
    let signedIn = LogLine.event("x1", "phone", at: 0, #""id":"1","user":"ann""#)
    let earlier = LogLine.event("x2", "phone", at: 1, #""id":"2","user":"ann""#)
    let later = LogLine.event("x2", "phone", at: 2, #""id":"2""#)
    for (store, log) in [("one", plain + signedIn + earlier + later), ("two", later + earlier + signedIn + plain)] {
      try place.write(log, to: "copies.ndjson")
      let summary = try place.ingest("copies.ndjson", "--store", store)
      #expect(summary["accepted"] as? Int == 2 && summary["duplicates"] as? Int == 2, "\(summary)")
      let events = try place.run("log", "cat", "--store", store).output.split(separator: "\n")
      #expect(events.map { $0.contains(#""user":"ann""#) } == [false, true], "\(events)")
    }
  }

  @Test func `a login of another app does not name a person`() throws {
    try place.write(
      Self.line("q", "x1", "phone", at: 0) + Self.line("other", "login", "phone", at: 1, user: "ann"), to: "log.ndjson")
    _ = try place.ingest("log.ndjson")
    let options = ["groups", "entered", "--steps", "x1,x2", "--app", "q", "--now", Workplace.now, "--format", "lines"]
    for input in [[], ["log.ndjson"]] {
      let run = try FunnelRun(arguments: options + input, directory: place.url)
      #expect(run.output.split(separator: "\n") == ["phone"], "\(run.output)\(run.errors)")
    }
  }

  @Test func `an id of a thousand subjects is not erased as a person`() throws {
    let log = (0...1000).map { Self.line("q", "x1", "phone\($0)", at: 0, user: "demo") }.joined()
    try place.write(log, to: "log.ndjson")
    _ = try place.ingest("log.ndjson")
    let run = try place.run("forget", "--person", "demo", "--dry-run")
    #expect(run.status == 65)
    #expect(
      run.errors
        == "funnel: demo is not one person, 1001 subjects name it, erase subjects by name: funnel forget SUBJECT\n",
      "\(run.errors)")
  }

  private static func call(_ type: String, _ ids: String, _ number: Int) -> String {
    #"{"type":"\#(type)","event":"Opened","messageId":"m\#(number)","timestamp":"2026-11-20T10:00:0\#(number)Z",\#(ids)}"#
      + "\n"
  }

  @Test func `an import tells where users come from, and keeps ids that are addresses out`() throws {
    try place.write(
      Self.call("track", #""anonymousId":"d1""#, 1) + Self.call("identify", #""anonymousId":"d1","userId":"u1""#, 2)
        + Self.call("track", #""userId":"u1""#, 3) + Self.call("track", #""anonymousId":"d2","userId":"anonymous""#, 4)
        + Self.call("track", #""anonymousId":"d2","userId":"ann@example.org""#, 5),
      to: "export.json")
    let run = try place.run("ingest", "export.json", "--app", "notes", "--now", Workplace.now)
    #expect(run.output.contains("  users       userId of 3 records\n"), "\(run.output)")
    #expect(run.output.contains("1 personal_data"), "\(run.output)")
    #expect(run.output.contains("1 × identify → user_linked"), "\(run.output)")
    let events = try place.run("log", "cat").output.split(separator: "\n")
    #expect(events.count == 4)
    #expect(
      events[1].contains(#"{"name":"user_linked","ts":"2026-11-20T10:00:02.000Z","subject":"d1","user":"u1","app":"notes""#))
    #expect(events[2].contains(#""subject":"u1","user":"u1""#) && !events[3].contains("user"))
    let letters = try place.run("rejected", "ls", "--format", "json").output
    #expect(!letters.contains("ann@") && letters.contains("user is an e-mail address; "), "\(letters)")
    try place.write(#"{"user":null}"#, to: "map.json")
    let without = try place.ingest("export.json", "--app", "notes", "--map", "map.json", "--store", "other")
    #expect(without["accepted"] as? Int == 5)
    let hidden = try place.ingest("export.json", "--app", "notes", "--pseudonymize", "--store", "third")
    #expect(hidden["accepted"] as? Int == 5)
    #expect(try !place.run("log", "cat", "--store", "third").output.contains("ann@"))
  }

  @Test func `drafts name the account beside the device, and say how many accounts there are`() throws {
    let rows = (0..<20).map { number in
      "d\(number % 6),\(number % 2 == 0 ? "u\(number % 4)" : ""),2026-11-20T10:00:\(10 + number)Z,\(number % 3 == 0 ? "Opened" : "Done")\n"
    }
    try place.write("device_id,user_id,at,event\n" + rows.joined(), to: "t.csv")
    let draft = try place.run("map", "init", "t.csv", "--app", "notes")
    #expect(draft.status == 0 && draft.output.contains("\"user\": \"user_id\""), "\(draft.output)\(draft.errors)")
    #expect(draft.errors.contains("subject is device_id, user (the account) is user_id, ts is at"), "\(draft.errors)")
    let sentence = "50 % of records have an account; 2 accounts were seen on more than one device"
    #expect(draft.errors.contains(sentence), "\(draft.errors)")
    try place.write(draft.output, to: "map.json")
    let flow = try place.run("schema", "infer", "t.csv", "--map", "map.json", "--now", Workplace.now)
    #expect(flow.errors.contains(sentence), "\(flow.errors)")
    #expect(flow.errors.contains("# the numbers of a draft are of subjects; a report counts"), "\(flow.errors)")
    // Beside the id of an account, another column is none.
    try place.write("user_id,account,at,event\n" + rows.joined(), to: "u.csv")
    let other = try place.run("map", "init", "u.csv", "--app", "notes")
    #expect(!other.output.contains("\"user\":"), "\(other.output)")
  }

  @Test func `a draft of a vendor's export keeps its links`() throws {
    try place.write(
      Self.call("track", #""anonymousId":"d1""#, 1) + Self.call("identify", #""anonymousId":"d1","userId":"u1""#, 2),
      to: "export.json")
    try place.write(#"{"other_events":"drop"}"#, to: "drop.json")
    for options in [[], ["--map", "drop.json"]] {
      let draft = try FunnelRun(
        arguments: ["map", "init", "export.json", "--app", "notes"] + options, directory: place.url)
      #expect(draft.output.contains(#""identify": {"name": "user_linked"}"#), "\(draft.output)")
      #expect(draft.errors.contains("1 × identify: links two ids of one person"), "\(draft.errors)")
      try place.write(draft.output, to: "map.json")
      let ingest = try place.ingest(
        "export.json", "--map", "map.json", "--store", "s\(options.count)")
      #expect(ingest["accepted"] as? Int == (options.isEmpty ? 2 : 1), "\(ingest)")
    }
  }

  @Test func `a trace shows the user of events that have one`() throws {
    _ = try place.ingest("a.ndjson")
    let lines = try place.run("trace", "inst_1", "--now", Workplace.now, "--format", "json").output.split(separator: "\n")
    #expect(lines.map { $0.contains(#","user":"account_1","#) } == [false, true, true])
    #expect(lines.map { $0.contains(#""unclaimed":true"#) } == [false, false, true])
    let table = try place.run("trace", "inst_1", "--now", Workplace.now).output.split(separator: "\n")
    #expect(table[1].hasSuffix("user_linked      links the user account_1"), "\(table)")
    #expect(table[2].hasSuffix("signed_in        unclaimed: no flow declares it"), "\(table)")
  }
}
