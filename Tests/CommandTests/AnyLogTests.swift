import Foundation
import FunnelTestSupport
import Testing

/// Files of shapes that no format describes come to a funnel by a drafted mapping, or stop with the decision that they need.
@Suite struct AnyLogTests {
  let place: Workplace

  init() throws { place = try Workplace() }

  /// A file with three events: ann opens and is done, bob opens.
  struct Log: CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var options: [String] = []

    init(_ name: String, _ text: String, as encoding: String.Encoding = .utf8, mark: [UInt8] = [], _ options: [String] = []) {
      self.name = name
      bytes = mark + [UInt8](text.data(using: encoding) ?? Data())
      self.options = options
    }

    var testDescription: String { name }
  }

  /// Returns three rows with a separator, given a line before them and the times.
  private static func rows(
    _ header: String, _ separator: String = ",",
    times: [String] = ["2026-11-20T10:00:00Z", "2026-11-20T10:01:00Z", "2026-11-20T11:00:00Z"]
  ) -> String {
    let people = ["ann", "ann", "bob"]
    let names = ["Open", "Done", "Open"]
    let lines = (0..<3).map { [people[$0], names[$0], times[$0]].joined(separator: separator) }
    return ([header] + lines).joined(separator: "\n") + "\n"
  }

  private static func objects(_ separator: String, _ record: (String, String, String) -> String) -> String {
    [
      record("ann", "Open", "2026-11-20T10:00:00Z"), record("ann", "Done", "2026-11-20T10:01:00Z"),
      record("bob", "Open", "2026-11-20T11:00:00Z"),
    ].joined(separator: separator)
  }

  private static func own(_ who: String, _ what: String, _ when: String) -> String {
    #"{"user_id":"\#(who)","event":"\#(what)","timestamp":"\#(when)","details":{"plan":"free"}}"#
  }

  static let logs = [
    Log("comma.csv", rows("user_id,event,time")),
    Log("semicolon.csv", rows("user_id;event;time", ";")),
    Log("tab.tsv", rows("user_id\tevent\ttime", "\t")),
    Log("excel.csv", "sep=;\n" + rows("user_id;event;time", ";")),
    Log("little.csv", rows("user_id,event,time"), as: .utf16LittleEndian, mark: [0xFF, 0xFE]),
    Log("big.csv", rows("user_id,event,time"), as: .utf16BigEndian, mark: [0xFE, 0xFF]),
    Log("unmarked.csv", rows("user_id,event,time"), as: .utf16LittleEndian),
    Log("western.csv", rows("user_id,event,time") + "zoë,Größe,2026-11-20T12:00:00Z\n", as: .windowsCP1252),
    Log(
      "german.csv",
      rows("Nutzer;Ereignis;Zeitpunkt", ";", times: ["20.11.2026 10:00", "20.11.2026 10:01", "20.11.2026 11:00"]),
      ["--source-tz", "UTC"]),
    Log(
      "american.csv",
      rows("user_id,event,time", times: ["11/20/2026 10:00 AM", "11/20/2026 10:01 AM", "11/20/2026 11:00 AM"]),
      ["--source-tz", "UTC"]),
    Log(
      "serial.csv", rows("user_id,event,time", times: ["46346.4167", "46346.4174", "46346.4583"]), ["--source-tz", "UTC"]),
    Log("lines.ndjson", objects("\n", own)),
    Log("spaced.json", objects(" ", own)),
    Log("joined.log", objects("", own)),
    Log("later.ndjson", own("ann", "Open", "2026-11-20T10:00:00Z") + "\n" + objects("", own)),
    Log("page.json", #"{"next":null,"results":["# + objects(",", own) + "]}"),
    Log(
      "cells.csv",
      "who;what;at;more\n"
        + objects("\n") { "\($0);\($1);\($2);\"{\"\"plan\"\":\"\"free\"\"}\"" } + "\n"),
    Log("zeros.ndjson", "\0\0\0\0" + objects("\n", own)),
    Log(
      "faulty.csv",
      rows("user_id,event,time") + (1...30).map { "u\($0),Other,2026-11-19T10:00:00Z\n" }.joined() + "eve,Open,N/A\n"),
  ]

  @Test(arguments: logs) func `a log comes to its funnel in two commands`(log: Log) throws {
    try place.folder.write(log.bytes, to: log.name)
    let draft = try place.run("map", "init", log.name, "--app", "x")
    #expect(draft.status == 0, "\(draft.errors)")
    try place.write(draft.output, to: "m.json")
    let run = try FunnelRun(
      arguments: ["report", "funnel", log.name, "--map", "m.json", "--steps", "open,done", "--now", Workplace.now]
        + log.options,
      directory: place.url)
    #expect(run.output.contains("2 entered -> 1 completed"), "\(run.output)\(run.errors)\(draft.output)\(draft.errors)")
  }

  @Test(arguments: [
    ("days.csv", rows("user_id,event,time", times: ["01/02/2026", "02/02/2026", "03/04/2026"]), "dd/MM/yyyy or MM/dd/yyyy"),
    (
      "apart.csv", "user_id,event,date,time\nann,Open,20.11.2026,10:00\nann,Done,20.11.2026,10:05\n",
      "join the two in the input"
    ),
    (
      "wide.csv",
      "user_id,event,signed_up_at,paid_at,left_at\n"
        + (1...6).map { "u\($0),x,2026-11-0\($0)T10:00:00Z,2026-11-0\($0)T11:00:00Z,2026-11-0\($0)T12:00:00Z\n" }.joined(),
      "has to become one with a row for each event"
    ),
    (
      "account.csv",
      "account_id,event,time\n" + (10...40).map { "acme,Open,2026-11-20T10:\($0):00Z\n" }.joined(), "name one with --subject"
    ),
    ("name.csv", "user_id,time\nann,2026-11-20T10:00:00Z\n", "name one with --name"),
    ("who.csv", "event,time\nOpen,2026-11-20T10:00:00Z\n", "name one with --subject"),
    ("when.csv", "user_id,event\nann,Open\n", "name one with --ts"),
    ("header.csv", "ann,Open,2026-11-20T10:00:00Z\nann,Done,2026-11-20T10:01:00Z\n", "give the names with --header"),
  ])
  func `a log that needs a decision is told which`(name: String, text: String, decision: String) throws {
    try place.write(text, to: name)
    let draft = try place.run("map", "init", name, "--app", "x")
    #expect(draft.status == 65 && draft.errors.contains(decision), "\(draft.output)\(draft.errors)")
  }

  @Test func `a later value decides between day and month`() throws {
    let days = (0..<300).map { "u\($0),Open,0\($0 % 9 + 1)/02/2026 10:00\n" }.joined()
    try place.write("user_id,event,time\n" + days + "ann,Open,25/02/2026 10:00\n", to: "t.csv")
    let draft = try place.run("map", "init", "t.csv", "--app", "x")
    #expect(draft.status == 0 && draft.output.contains(#"{"path": "time", "format": "dd/MM/yyyy HH:mm"}"#), "\(draft.output)")
  }

  @Test func `a mapping reads what stands around the records, and names their array`() throws {
    try place.write(
      #"{"meta":{"device":"ann"},"sent":"2026-11-20","rows_of_events":[{"what":"Open","when":"2026-11-20T10:00:00Z"},"#
        + #"{"what":"Done","when":"2026-11-20T10:01:00Z"}]}"#, to: "page.json")
    try place.write(
      #"{"from":"json","app":"x","records":"rows_of_events","subject":"$envelope.meta.device","ts":"when","name":"what","#
        + #""props":{"sent":"$envelope.sent"}}"#, to: "m.json")
    let run = try place.run(
      "report", "funnel", "page.json", "--map", "m.json", "--steps", "open,done", "--where", "props.sent=2026-11-20", "--now",
      Workplace.now)
    #expect(run.output.contains("1 entered -> 1 completed"), "\(run.output)\(run.errors)")
  }

  @Test func `a path goes on through a cell, and a number stays a text where the mapping says so`() throws {
    try place.write(
      "who;what;when;zip;code;more\nann;Open;2026-11-20T10:00:00Z;7;8;\"{\"\"os\"\":{\"\"name\"\":\"\"iOS\"\"}}\"\n",
      to: "t.csv")
    try place.write(
      #"{"from":"csv","app":"x","subject":"who","ts":"when","name":"what","#
        + #""props":{"os":"more.os.name","zip":{"path":"zip","type":"text"},"code":"code"}}"#, to: "m.json")
    #expect(try place.ingest("t.csv", "--map", "m.json")["accepted"] as? Int == 1)
    let log = try FunnelRun(shell: "zcat funnel-store/log/dt=*/*.gz", directory: place.url).output
    #expect(log.contains(#""props":{"code":8,"os":"iOS","zip":"7"}"#), "\(log)")
  }

  @Test func `a table without a header has the names of its mapping`() throws {
    try place.write("ann,Open,2026-11-20T10:00:00Z\nann,Done,2026-11-20T10:01:00Z\n", to: "t.csv")
    try place.write(
      #"{"from":"csv","app":"x","header":["who","what","when"],"subject":"who","name":"what","ts":"when"}"#, to: "m.json")
    let run = try place.run("report", "funnel", "t.csv", "--map", "m.json", "--steps", "open,done", "--now", Workplace.now)
    #expect(run.output.contains("1 entered -> 1 completed"), "\(run.output)\(run.errors)")
  }

  @Test func `columns and a header can be given, and another one is told`() throws {
    try place.write("7,ok,1,2026-11-20T10:00:00Z\n7,sent,2,2026-11-20T10:01:00Z\n", to: "t.csv")
    let draft = try place.run(
      "map", "init", "t.csv", "--app", "x", "--header", "txn,status,code,at", "--subject", "txn", "--name", "status")
    #expect(
      draft.output.hasPrefix(
        """
        {
          "from": "csv",
          "header": ["txn", "status", "code", "at"],
          "app": "x",
          "subject": "txn",
          "ts": "at",
          "name": "status",
          "props": {"code": "code"},
        """), "\(draft.output)\(draft.errors)")
    let other = try place.run("map", "init", "t.csv", "--header", "txn,status,code,at", "--name", "state")
    #expect(
      other.status == 65
        && other.errors
          == "funnel: there is no column state, given with --name, t.csv, name one of them, the columns are: txn, status, code, at\n",
      "\(other.errors)")
  }

  @Test func `a draft keeps the order of records at one time, and says what the window leaves out`() throws {
    let rows = (0..<20).map { number in
      "u\(number),Signup,2026-10-0\(number % 9 + 1)\nu\(number),Activated,2026-10-0\(number % 9 + 1)\n"
        + (number < 8 ? "u\(number),Paid,2026-10-28\n" : "")
    }.joined()
    try place.write("user_id,event,time\n" + rows, to: "t.csv")
    let draft = try place.run("map", "init", "t.csv", "--app", "x")
    try place.write(draft.output, to: "m.json")
    let flow = try place.run("schema", "infer", "t.csv", "--map", "m.json", "--source-tz", "UTC")
    #expect(
      flow.output.contains(
        """
         "steps":[{"id":"signup","label":"Signup","entered_by":["signup"]},
                  {"id":"activated","label":"Activated","entered_by":["activated"]},
                  {"id":"paid","label":"Paid","entered_by":["paid"]}]
        """), "\(flow.output)\(flow.errors)\(draft.errors)")
    #expect(flow.output.contains(#""window":"30d""#))
    #expect(
      flow.errors.contains("# window 30d: 8 of 8 subjects who reach paid do so more than 7 days after signup"), "\(flow.errors)"
    )
  }

  @Test func `what is approved or accepted is no permission unless one is named`() throws {
    let names = ["kyc_approved", "kyc_rejected", "Push Policy Accepted", "Push Policy Decline"]
    let rows = names.enumerated().map { "u\($0),\($1),2026-11-20T10:00:00Z\n" }.joined()
    try place.write("user_id,event,time\n" + rows, to: "t.csv")
    let draft = try place.run("map", "init", "t.csv", "--app", "x")
    #expect(draft.output.contains(#""kyc_approved": {"name": "kyc_approved"}"#), "\(draft.output)")
    #expect(draft.output.contains(#""Push Policy Decline": {"name": "perm_push_policy_denied"}"#), "\(draft.output)")
    #expect(
      draft.errors.contains("# kyc_approved, kyc_rejected look like answers to a prompt, but no permission is named"),
      "\(draft.errors)")
  }

  @Test func `events without an order are no funnel, and the draft says so`() throws {
    func line(_ name: String, _ minute: Int, _ number: Int) -> String {
      #"{"name":"\#(name)","ts":"2026-11-20T10:0\#(minute):00Z","subject":"u\#(number)","app":"x"}"#
    }
    let pages = ["home", "search", "play", "settings"]
    let lines = (0..<40).flatMap { number in
      (0..<3).map { line(pages[($0 + number) % pages.count], $0, number) } + (number < 3 ? [line("cancel", 5, number)] : [])
    }
    try place.write(lines.joined(separator: "\n") + "\n", to: "t.ndjson")
    let flow = try place.run("schema", "infer", "t.ndjson")
    #expect(
      flow.status == 65 && flow.errors.contains("is optional, so whoever enters completes"),
      "\(flow.errors)"
    )
  }

  @Test func `the newest file of a rotated log is read, and files that are no logs are named`() throws {
    func line(_ name: String) -> String { #"{"name":"\#(name)","ts":"2026-11-20T10:00:00Z","subject":"ann","app":"x"}"# + "\n" }
    try place.write(line("open"), to: "logs/app.log.1.json")
    try place.write(line("done").replacing("10:00", with: "10:01"), to: "logs/app.log")
    try place.write("[2026-11-20 10:00:00] Read me first.\nThen the logs.\n", to: "logs/readme.txt")
    try place.write("x", to: "logs/chart.png")
    for threads in ["1", "2"] {
      let run = try place.run(
        "report", "funnel", "logs", "--steps", "open,done", "--app", "x", "--now", Workplace.now, "--threads", threads)
      #expect(run.output.contains("1 entered -> 1 completed"), "\(run.output)")
      #expect(
        run.errors == "funnel: not read, because they do not look like logs: logs/chart.png and logs/readme.txt\n",
        "\(run.errors)")
    }
    let only = try place.run("ingest", "logs/readme.txt", "--now", Workplace.now)
    #expect(only.status == 65, "a file that the user names is read")
  }

  @Test func `a draft tells what was not read, how files were read, and what is damaged`() throws {
    try place.write("Read me first.\n", to: "prose/readme.txt")
    try place.write("Then the logs.\n", to: "prose/more.txt")
    let nothing = try place.run("map", "init", "prose")
    #expect(
      nothing.errors == "funnel: no record in the input, prose/more.txt does not look like a log, name a file that has some\n",
      "\(nothing.errors)")
    try place.folder.write(Self.logs[4].bytes, to: "t.csv")
    let other = try place.run("map", "init", "t.csv", "--app", "x")
    #expect(other.status == 0 && other.errors.contains("reading t.csv as utf-16le, which it seems to be"), "\(other.errors)")
    try place.write((0..<3000).map { Self.own("u\($0)", "Open", "2026-11-20T10:00:00Z") + "\n" }.joined(), to: "l.ndjson")
    #expect(try FunnelRun(shell: "gzip -c l.ndjson | head -c 4000 >cut.ndjson.gz", directory: place.url).status == 0)
    let cut = try place.run("map", "init", "cut.ndjson.gz", "--app", "x")
    #expect(cut.errors.contains("cut.ndjson.gz is damaged: the file ends inside a gzip member"), "\(cut.errors)")
    #expect(cut.errors.contains("the draft is made of the records before it"), "\(cut.errors)")
  }

  @Test func `a draft in which everybody completes says so`() throws {
    let rows = (0..<20).map { number in
      "u\(number),Start,2026-11-20T10:00:00Z\n" + (number < 5 ? "u\(number),Task,2026-11-20T10:01:00Z\n" : "")
        + "u\(number),End,2026-11-20T10:02:00Z\n"
    }.joined()
    try place.write("user_id,event,time\n" + rows, to: "t.csv")
    let draft = try place.run("map", "init", "t.csv", "--app", "x")
    try place.write(draft.output, to: "m.json")
    let flow = try place.run("schema", "infer", "t.csv", "--map", "m.json")
    #expect(
      flow.errors.contains(
        "all 20 subjects who have start reach end, so the draft converts 100 %: are optional steps such as task"),
      "\(flow.errors)")
  }

  @Test func `a folder whose only file is prose is told so`() throws {
    try place.write("Read me first.\n", to: "logs/readme.txt")
    let run = try place.run("report", "logs", "--now", Workplace.now)
    #expect(
      run.status == 66 && run.errors == "funnel: nothing to read, logs/readme.txt, it does not look like a log\n",
      "\(run.errors)")
  }

  @Test func `a name without a Latin letter is told with its hash, and stays the label`() throws {
    try place.write("who,what,when\nann,首次打开,2026-11-20T10:00:00Z\nann,Done,2026-11-20T10:01:00Z\n", to: "t.csv")
    let draft = try place.run("map", "init", "t.csv", "--app", "x")
    #expect(draft.errors.contains("# 1 × 首次打开: becomes e_057cf346, because its letters can't be kept\n"), "\(draft.errors)")
    try place.write(draft.output, to: "m.json")
    let flow = try place.run("schema", "infer", "t.csv", "--map", "m.json")
    #expect(flow.output.contains(#"{"id":"e_057cf346","label":"首次打开","#), "\(flow.output)")
    #expect(flow.errors.contains(#""首次打开" became e_057cf346; a mapping can give it another name"#), "\(flow.errors)")
  }

  @Test func `an e-mail address is a subject and an id where only pseudonyms are kept`() throws {
    let lines = [("Open", 0), ("Done", 1)].map { name, minute in
      #"{"name":"\#(name.lowercased())","ts":"2026-11-20T10:0\#(minute):00Z","subject":"ann@example.org","id":"bob@example.org-\#(minute)","app":"x"}"#
        + "\n"
    }.joined()
    try place.write(lines, to: "t.ndjson")
    let refused = try place.run("ingest", "t.ndjson", "--store", "plain", "--now", Workplace.now)
    #expect(refused.status == 65)
    let letters = try place.run("rejected", "ls", "--store", "plain")
    #expect(letters.output.contains("keep pseudonyms alone with --pseudonymize"), "\(letters.output)")
    #expect(try place.ingest("t.ndjson", "--pseudonymize")["accepted"] as? Int == 2)
    #expect(try place.ingest("t.ndjson", "--pseudonymize")["duplicates"] as? Int == 2)
    let log = try FunnelRun(shell: "zcat funnel-store/log/dt=*/*.gz", directory: place.url).output
    #expect(!log.contains("@") && log.contains(#""name":"open""#), "\(log)")
  }

  @Test func `a project on local time is told, with counts`() throws {
    let records = (0..<20).map { number in
      #"{"type":"track","event":"Open","anonymousId":"u\#(number)","messageId":"m\#(number)","timestamp":"2026-11-20T12:\#(10 + number):00Z","receivedAt":"2026-11-20T10:\#(10 + number):04Z"}"#
        + "\n"
    }.joined()
    try place.write(records, to: "segment.json")
    let run = try place.run("ingest", "segment.json", "--app", "x", "--dry-run", "--now", Workplace.now)
    #expect(run.errors.contains("20 of 20 records are dated 2 h after their receipt"), "\(run.errors)")
  }

  @Test func `a definition that misleads is found by its check against the log`() throws {
    var lines = ""
    for number in 0..<20 {
      let names = ["open", "perm_push_yes"] + (number < 5 ? ["done"] : []) + (number == 0 ? ["extra"] : [])
      for (minute, name) in names.enumerated() {
        lines += #"{"name":"\#(name)","ts":"2026-11-20T10:0\#(minute):00Z","subject":"u\#(number)","app":"x"}"# + "\n"
      }
    }
    try place.write(lines, to: "t.ndjson")
    try place.write(
      """
      {"app":"x","flow":"f","version":1,"title":"F","window":"7d","steps":[
        {"id":"open","label":"Open","entered_by":["open"]},
        {"id":"push","label":"Push","permission":"push","optional":true},
        {"id":"extra","label":"Extra","entered_by":["extra"]},
        {"id":"done","label":"Done","entered_by":["done"],"optional":true}],
       "upcasts":[{"from":"perm_push_yes","to":{"name":"perm_push_granted"}}]}
      """, to: "flows/f.json")
    let check = try place.run("schema", "check", "flows", "--against", "t.ndjson", "--now", Workplace.now)
    #expect(check.status == 65)
    for sentence in [
      "step extra: 4 of 5 subjects who reach a later step never enter it; is it optional?",
      "step done: the last step is optional, so whoever reaches extra counts as completed; make the goal the last required step",
      "permission push: the events have grants but no denials, so its rate says nothing; which event is the other answer?",
    ] { #expect(check.output.contains(sentence), "\(check.output)\(check.errors)") }
  }
}
