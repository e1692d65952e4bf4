import Foundation
import FunnelTestSupport
import Testing

/// `funnel map init`: inputs that it can't draft a mapping for, and the reason that it gives.
@Suite struct MapRefusalTests {
  private static let rows = (0..<30).map { "u\($0 % 10),\(["start", "form", "done"][$0 / 10]),2026-10-0\($0 % 9 + 1) 10:00:00" }

  private static func table(_ header: String, _ row: (Int) -> String) -> String {
    ([header] + (0..<30).map(row)).map { $0 + "\n" }.joined()
  }

  /// A table of which each line is one quoted cell.
  private static let quotedLines = table("user_id,event,time") { rows[$0] }.split(separator: "\n").map { "\"\($0)\"\n" }
    .joined()

  /// A table with a row for each person, and a column for each step.
  private static let wide =
    "user_id,seen_at,joined_at,paid_at\n"
    + (1...4).map { "m\($0),2026-03-0\($0) 10:00:00,2026-03-0\($0) 11:00:00,2026-03-0\($0) 12:00:00\n" }.joined()

  /// A row, whose year is the first of three in the first ten rows, then the second, then the third.
  private static func dated(_ row: Int, _ years: [Int]) -> String {
    "u\(row % 10),\(["start", "done"][row % 2]),\(years[row / 10])-03-01 10:\(row + 10):00"
  }

  /// The texts for thirty minutes from ten on.
  private static func minutes(_ text: (Int) -> String) -> [String] { (10..<40).map(text) }

  @Test(arguments: [
    ("twice.csv", table("user_id,event,time,event") { rows[$0] + ",x" }, "two columns are named event"),
    ("title.csv", "Report of October\n\n" + table("user_id,event,time") { rows[$0] }, "remove the lines before the names"),
    (
      "quoted.csv", quotedLines,
      "each line is one quoted cell, the first is \"user_id,event,time\", quoted.csv, remove the outer quotes of all lines"
    ),
    ("titled.csv", "\"Report, October\"\n" + table("user_id,event,time") { rows[$0] }, "remove the lines before the names"),
    (
      "wide.csv", wide,
      "each user_id has one record with times in seen_at, joined_at, paid_at, wide.csv, a table with a row for each person has to"
    ),
    (
      "future.csv", table("user_id,event,time") { dated($0, [2026, 2026, 2107]) },
      "10 of the 30 times in time are after 2099, and an event can't be, future.csv, correct them in the input"
    ),
    (
      "both.csv", table("user_id,event,time") { dated($0, [2026, 2107, 1999]) },
      "10 of the 30 times in time are before 2007 and 10 after 2099, and an event can't be"
    ),
    (
      "ends.csv",
      "case_id,start_timestamp,end_timestamp,hours\n"
        + (1...4).map { "k\($0),2026-03-0\($0) 10:00:00,2026-03-0\($0) 11:00:00,1.5\n" }.joined(),
      "each case_id has one record with times in start_timestamp, end_timestamp, ends.csv, "
        + "a table with a row for each person has to become one with a row for each event, as by UNPIVOT in DuckDB, the columns"
    ),
    (
      "split.csv", table("Ref,Date,Time,Template") { "R\($0 % 10),2025-05-16,08:00:\($0 + 10),Boot \($0 % 2)" },
      "the times in Date are apart from the times of day in Time, and a mapping reads one column, split.csv, name one with --name; "
        + "name one with --subject; join the two in the input, or accept days without times with --ts Date"
    ),
    (
      "odd.csv", table("user_id,event,time") { "u\($0 % 10),\(["start", "done"][$0 % 2]),31-10-2026_10h\($0 + 10)" },
      "no column has the times of events"
    ),
    (
      "odd2.csv", table("user_id,event,time") { "u\($0 % 10),\(["start", "done"][$0 % 2]),31-10-2026_10/\($0 + 10)" },
      "the values of time, such as \"31-10-2026_10/10\", look like times of no known form, odd2.csv, give the form with --map, "
        + "as in {\"ts\": {\"path\": \"time\", \"format\": \"dd.MM.yyyy HH:mm\"}}"
    ),
    ("events.parquet", "PAR1\u{15}\u{4}PAR1", "it is a Parquet file"),
    ("log.xes", "<?xml version=\"1.0\"?>\n<log><trace/></log>\n", "it is XML"),
    ("dump.sql", "INSERT INTO events VALUES ('u1','start');\n", "it is SQL"),
    ("rows.json", "[[\"user_id\",\"event\"],[\"u1\",\"start\"]]\n", "its records are arrays"),
    ("access.log", "10.0.0.1 - - [01/Oct/2026:10:00:00 +0000] \"GET /\" 200\n", "its lines are neither JSON nor a table"),
    (
      "events.copy", "1\ta\tsign_up\t2026-10-01 10:00:00+00\n2\ta\tpay\t2026-10-01 10:01:00+00\n",
      "its lines look like those of a table with tabs, but its name does not end in .tsv, events.copy, name its columns with --header"
    ),
    (
      "frame.json", #"{"user_id":{"0":"u1","1":"u2"},"event":{"0":"a","1":"b"},"time":{"0":"2026-10-01","1":"2026-10-02"}}"#,
      "the file has one object with the columns"
    ),
    (
      "rounded.csv",
      table("user_id,event,time") { "1.2345\($0 % 7)E+12,\(["start", "done"][$0 % 2]),2026-10-01 10:\($0 + 10):00" },
      "rounded numbers such as 1.23457E+12"
    ),
    (
      "digits.csv",
      table("user_id,event,date,hhmmss") { "u\($0 % 10),\(["start", "done"][$0 % 2]),2026-10-01,0830\($0 + 10)" },
      "the times in date are apart from the times of day in hhmmss"
    ),
    (
      "hours.csv",
      table("user_id,event,date,at") { "u\($0 % 10),\(["start", "done"][$0 % 2]),2026-10-01,10H \($0 + 10)M 5S" },
      "the times in date are apart from the times of day in at"
    ),
  ])
  func `the reason is told, and what to do`(name: String, text: String, reason: String) throws {
    let place = try Workplace()
    try place.write(text, to: name)
    let draft = try place.run("map", "init", name, "--app", "x")
    #expect(draft.status == 65, "\(draft.output)\(draft.errors)")
    #expect(draft.errors.contains(reason), "\(draft.errors)")
  }

  @Test func `a spreadsheet is told as one`() throws {
    let place = try Workplace()
    let zipped =
      "import zipfile; z = zipfile.ZipFile('book.xlsx', 'w'); z.writestr('xl/workbook.xml', '<workbook/>'); z.close()"
    #expect(try FunnelRun(shell: "python3 -c \"\(zipped)\"", directory: place.url).status == 0)
    let draft = try place.run("map", "init", "book.xlsx")
    #expect(draft.status == 66)
    #expect(draft.errors.contains("it is a spreadsheet, save the sheet with the events as CSV"), "\(draft.errors)")
  }

  @Test(arguments: [
    ("shift_jis", String.Encoding.shiftJIS, ["申込", "審査", "完了"]),
    ("windows-1251", .windowsCP1251, ["регистрация", "проверка", "готово"]),
  ])
  func `an encoding that is not recognized is told with what it reads, and can be named`(
    name: String, encoding: String.Encoding, events: [String]
  ) throws {
    let place = try Workplace()
    let text = Self.table("user_id,event,time") { "u\($0 % 10),\(events[$0 / 10]),2026-10-01T10:\($0 + 10):00Z" }
    let data = try #require(text.data(using: encoding))
    try data.write(to: place.url.appending(path: "log.csv"))
    let refused = try place.run("map", "init", "log.csv", "--app", "x")
    #expect(refused.status == 65, "\(refused.output)")
    #expect(refused.errors.contains("the text is not UTF-8, log.csv, "), "\(refused.errors)")
    #expect(refused.errors.contains("\(name) reads \(events[0])"), "\(refused.errors)")

    let draft = try place.run("map", "init", "log.csv", "--app", "x", "--encoding", name)
    #expect(draft.status == 0, "\(draft.errors)")
    for event in events { #expect(draft.output.contains("\"\(event)\"")) }
    try place.write(draft.output, to: "map.json")
    let steps = "--steps=" + (0..<3).map { "e\($0)" }.joined(separator: ",")
    let run = try place.run("report", "log.csv", "--map", "map.json", steps, "--format", "json")
    #expect(!run.errors.contains("rejected"), "\(run.errors)")
  }

  @Test func `an unknown encoding is refused with the nearest`() throws {
    let place = try Workplace()
    try place.write("user_id\n", to: "log.csv")
    let run = try place.run("map", "init", "log.csv", "--encoding", "windows-1215")
    #expect(
      run.status == 64 && run.errors.contains("unknown encoding, windows-1215, did you mean windows-125"), "\(run.errors)")
  }

  @Test func `days with a decimal comma are read as spreadsheets write them`() throws {
    let place = try Workplace()
    let rows = (0..<20).map { "u\($0 % 5);\(["start", "done"][$0 / 10]);\(46_300 + $0 % 5),\(4 + $0 / 10)5\n" }
    try place.write("user_id;event;time\n" + rows.joined(), to: "days.csv")
    let draft = try place.run("map", "init", "days.csv", "--app", "x")
    #expect(draft.status == 0 && draft.output.contains("\"excel\""), "\(draft.output)\(draft.errors)")
  }

  @Test func `other columns of ids are told with their numbers, and so are days without times`() throws {
    let place = try Workplace()
    let text = Self.table("user_id,order_no,event,date") {
      "clerk\($0 % 5),A-\($0 % 12),\(["start", "form", "done"][$0 / 10]),2026-10-0\($0 / 10 + 1)"
    }
    try place.write(text, to: "orders.csv")
    let draft = try place.run("map", "init", "orders.csv", "--app", "x")
    #expect(draft.status == 65 && draft.errors.contains("the records are of user_id (5 ids) or of order_no (12 ids)"))
    #expect(
      draft.errors.contains("# subject: user_id (5 ids); order_no (12 ids) would do too: --subject order_no\n"),
      "\(draft.errors)")
    #expect(draft.errors.contains("# times in date are days: "), "\(draft.errors)")
  }

  @Test(arguments: [
    ("dd/MMM/yyyy:HH:mm:ss Z", minutes { "01/Oct/2026:10:\($0):00 +0200" }),
    ("[dd/MMM/yyyy:HH:mm:ss Z]", minutes { "[01/Oct/2026:10:\($0):00 -0330]" }),
    ("d MMMM yyyy HH:mm", minutes { "\($0 % 9 + 1) September 2026 10:\($0)" }),
    ("MMMM d, yyyy HH:mm:ss", minutes { "\(["June", "May", "July"][$0 % 3]) \($0 % 20 + 1), 2026 10:\($0):00" }),
    ("dd-MM-yyyy:HH.mm", minutes { "30-12-2025:11.\($0)" }),
    ("yyyy/MM/dd HH.mm.ss", minutes { "2025/12/30 11.\($0).02" }),
    ("yyyy MMMM d HH:mm", minutes { "2026 \(["March", "May", "August"][$0 % 3]) \($0 % 20 + 1) 10:\($0)" }),
  ])
  func `times with full names of months, and those of web servers, are recognized`(form: String, times: [String]) throws {
    let place = try Workplace()
    var text = "user_id;event;time\n"
    for (index, time) in times.enumerated() { text += "u\(index % 6);\(index < 15 ? "start" : "done");\"\(time)\"\n" }
    try place.write(text, to: "t.csv")
    let draft = try place.run("map", "init", "t.csv", "--app", "x")
    #expect(draft.status == 0 && draft.output.contains("\"format\": \"\(form)\""), "\(draft.output)\(draft.errors)")
    try place.write(draft.output, to: "map.json")
    let run = try place.run(
      "report", "funnel", "t.csv", "--map", "map.json", "--source-tz", "UTC", "--steps", "start,done", "--now", Workplace.now)
    #expect(run.status == 0 && run.output.contains("6 entered"), "\(run.output)\(run.errors)")
  }
}
