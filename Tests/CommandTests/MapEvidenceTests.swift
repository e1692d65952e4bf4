import Foundation
import Testing

/// `funnel map init`: what it says of columns that would do too, and of values that will not do.
@Suite struct MapEvidenceTests {
  let place: Workplace

  init() throws { place = try Workplace() }

  private func draft(_ text: String) throws -> FunnelRun {
    try place.write(text, to: "t.csv")
    return try place.run("map", "init", "t.csv", "--app", "x")
  }

  @Test func `another column that names events in order is told`() throws {
    let phases = ["intake", "review", "decision", "payout"]
    let rows = (0..<20).flatMap { number in
      phases.enumerated().map { index, phase in
        "c\(number),act\((number * 5 + index * 7) % 12),\(phase),\(["de", "at"][number % 2]),2026-10-\(number + 10)T1\(index):00:00Z\n"
      }
    }
    let draft = try draft("case_id,action,phase,land,time\n" + rows.joined())
    #expect(
      draft.errors.contains("# name: action (12 names); phase (4 names) would do too: --name phase\n"), "\(draft.errors)")
  }

  @Test func `times before 2007 are told as such`() throws {
    let early = try draft(
      "user_id,event,time\nann,Open,2005-03-01 10:00\nann,Done,2005-03-01 10:05\nbob,Open,2008-03-02 10:05\n")
    #expect(
      early.status == 65
        && early.errors.contains("2 of the 3 times in time are before 2007, and an event can't be"), "\(early.errors)")
    let formed = try draft("user_id,event,time\nann,Open,01.03.2005 10:00\nann,Done,14.03.2005 10:05\n")
    #expect(formed.errors.contains("2 of the 2 times in time are before 2007"), "\(formed.errors)")
    let none = try draft("user_id,event,time\nann,Open,soon\nann,Done,later\n")
    #expect(none.errors.contains("no column has the times of events"), "\(none.errors)")
  }

  @Test func `other columns with times are told, with and without a form`() throws {
    let draft = try draft(
      "user_id,event,time,due,changed,note\n"
        + (10..<30).map { "u\($0 % 7),Open,2026-10-\($0)T10:00:00Z,\($0).11.2026,2026-10-\($0)T11:00:00Z,see page \($0)\n" }
        .joined())
    #expect(draft.errors.contains("# due, changed have times too; --ts chooses another column\n"), "\(draft.errors)")
  }

  @Test func `records without a person are told, with the other columns that have one`() throws {
    let rows = (10..<40).map { number in
      "\(number % 3 == 0 ? "NA" : number % 5 == 0 ? "??" : "u\(number)"),Open,2026-10-20T10:\(number):00Z"
    }
    let only = try draft("user_id,event,time\n" + rows.map { $0 + "\n" }.joined())
    #expect(
      only.errors.contains(
        "# subject: 10 of 30 records have NA as user_id, and will be rejected; no other column identifies people\n"),
      "\(only.errors)")
    #expect(
      only.errors.contains("# subject: 4 of 30 records have ?? as user_id, and will count as one person for each;"),
      "\(only.errors)")
    let both = try draft(
      "user_id,event,time,device_id\n" + rows.enumerated().map { "\($1),d\($0)\n" }.joined())
    #expect(
      both.errors.contains("columns: subject is device_id")
        || both.errors.contains("--subject chooses another column: device_id"),
      "\(both.errors)")
  }

  @Test(arguments: [
    ("0", ["1", "2", "3", "4"], "1 and 2"), ("NA", ["DE", "FR", "US", "NO"], "DE and FR"),
    ("NAN", ["SUV", "AKL", "SYD", "FRA"], "AKL and FRA"),
  ])
  func `a rare placeholder that looks like the other ids is told as one`(id: String, others: [String], shown: String) throws {
    var rows = ["\(id),Open,2026-10-20T10:00:00Z\n"]
    for number in 0..<400 {
      let other = others[number % 4] + (shown == "1 and 2" && number >= 100 ? "\(number)" : "")
      rows.append("\(other),Open,2026-10-20T\(number % 10 + 10):\(number % 50 + 10):00Z\n")
    }
    let run = try draft("user_id,event,time\n" + rows.joined())
    #expect(
      run.errors.contains("# subject: 1 of 401 records have \(id) as user_id, and will be rejected; no other column"),
      "\(run.errors)")
    #expect(
      run.errors.contains(
        "# subject: \(id) is likely an id, as \(shown) are: write another text for it in user_id, such as id-\(id), to keep its records\n"
      ), "\(run.errors)")
  }

  @Test func `a rare placeholder that does not look like the other ids is not told`() throws {
    for id in ["nan", "NA", "0"] {
      let rows = (0..<400).map { "u\($0 % 90),Open,2026-10-20T\($0 % 10 + 10):\($0 % 50 + 10):00Z\n" }
      let run = try draft("user_id,event,time\n\(id),Open,2026-10-20T10:00:00Z\n" + rows.joined())
      #expect(!run.errors.contains("# subject: "), "\(run.errors)")
    }
  }

  @Test func `single times of years that events can't have are told as such`() throws {
    let rows = (0..<60).map { "u\($0 % 9),Open,2026-10-20T10:\($0 % 50 + 10):00Z\n" }
    let odd = ["2107-01-01T10:00:00Z", "2107-01-02T10:00:00Z", "1999-01-01T10:00:00Z", "soon"].map { "u1,Open,\($0)\n" }
    let run = try draft("user_id,event,time\n" + (rows + odd.dropFirst(2)).joined())
    #expect(
      run.errors.contains(
        """
        # 1 values of time are not such times; their records will be rejected
        # 1 values of time lie before 2007; their records will be rejected

        """), "\(run.errors)")
    let late = try draft("user_id,event,time\n" + (rows + odd.prefix(2)).joined())
    #expect(late.errors.contains("# 2 values of time lie after 2099; their records will be rejected\n"), "\(late.errors)")
  }

  @Test func `the numbers of ids say of how many records they are`() throws {
    let padding = String(repeating: "x", count: 400)
    let rows = (0..<9_000).map {
      "C\($0 / 3),\(["Open", "Check", "Done"][$0 % 3]),K\($0 / 30),2026-10-01T10:00:\($0 % 3 + 10)Z,\(padding)\n"
    }
    let run = try draft("case_id,activity,customer,time,note\n" + rows.joined())
    let line = run.errors.split(separator: "\n").first { $0.contains("would do too") } ?? ""
    #expect(line.contains(" ids in the first ") && line.contains(" records); customer ("), "\(run.errors)")
  }

  /// A table of three parcels whose two columns of times have some names: the first is the same in all records of a parcel.
  private static func parcels(_ first: String, _ second: String) -> String {
    var text = "order_id,\(first),status,\(second)\n"
    for parcel in 1...3 {
      for (index, status) in ["Registered", "Packed", "Handed over"].prefix(parcel == 2 ? 2 : 3).enumerated() {
        text += "p\(parcel),2026-05-0\(parcel) 09:00:00,\(status),2026-05-\(parcel + 10 + index * 3) 09:00:00\n"
      }
    }
    return text
  }

  @Test(arguments: [
    ("order_date", "status_date"), ("created_at", "changed_at"), ("created_at", "updated_at"),
    ("application_date", "stage_date"),
    ("opened_at", "updated_at"), ("admission_date", "procedure_date"), ("date_created", "date_changed"), ("start", "modified"),
  ])
  func `a time that is the same in all records of a subject is not that of the events`(first: String, second: String) throws {
    let run = try draft(Self.parcels(first, second))
    #expect(run.status == 0 && run.errors.contains("ts is \(second), name is status"), "\(run.errors)")
    #expect(
      run.errors.contains("# ts: \(first) is the same in all records of each order_id, so \(second) is chosen\n"),
      "\(run.errors)")
    #expect(run.errors.contains("# \(first) has times too; --ts chooses another column\n"), "\(run.errors)")
  }

  @Test func `days of birth are not the times of events, whether or not they vary`() throws {
    let rows = [
      "A1,2011-04-02,Call,2026-03-01", "A1,2011-04-02,Visit,2026-03-20", "A1,2011-04-02,Care,2026-05-20",
      "A2,2012-02-01,Visit,2026-03-09", "A2,2012-02-01,Call,2026-03-02", "A3,2013-02-01,Call,2026-03-03",
    ]
    let run = try draft("patient_id,birth_date,event,seen_on\n" + rows.map { $0 + "\n" }.joined())
    #expect(run.errors.contains("ts is seen_on, name is event"), "\(run.errors)")
    #expect(!run.errors.contains("--name"), "a column of times names no events: \(run.errors)")
  }

  @Test func `a deadline is not the time of an event`() throws {
    let rows = [
      "1,call,2026-03-10T10:00:00Z,2026-03-02T10:00:00Z", "1,offer,2026-03-05T10:00:00Z,2026-03-04T10:00:00Z",
      "2,call,2026-03-11T10:00:00Z,2026-03-03T10:00:00Z", "2,offer,2026-03-06T10:00:00Z,2026-03-05T10:00:00Z",
    ]
    let run = try draft("case_id,activity_type,deadline_at,finished_at\n" + rows.map { $0 + "\n" }.joined())
    #expect(run.errors.contains("ts is finished_at, name is activity_type"), "\(run.errors)")
  }

  @Test func `times that do not vary within subjects are told if no others do`() throws {
    let rows = (1...4).flatMap { number in ["open", "pay"].map { "u\(number),\($0),2026-03-0\(number)T10:00:00Z\n" } }
    let run = try draft("user_id,event,time\n" + rows.joined())
    #expect(
      run.errors.contains(
        "# times in time are the same in all records of each user_id: the events keep the order of the records"),
      "\(run.errors)")
  }

  /// A table of four cases with a further column.
  private static func cases(_ id: String, _ other: String, _ value: (Int) -> String) -> String {
    var text = "\(id),\(other),activity,at\n"
    for number in 1...4 {
      for (index, name) in ["Sorted", "Loaded", "Closed"].prefix(number == 2 ? 2 : 3).enumerated() {
        text += "\(number + 700),\(value(number)),\(name),2026-05-0\(number)T1\(index):00:00Z\n"
      }
    }
    return text
  }

  @Test(arguments: ["ticket_id", "case_id", "mail_id", "Issue key", "incident_id", "conversation_id"])
  func `a subject beside the id of a case is its title`(id: String) throws {
    let run = try draft(Self.cases(id, "subject") { $0 < 3 ? "Broken door" : "Lost key" })
    #expect(run.status == 0 && run.errors.contains("columns: subject is \(id), ts is at"), "\(run.errors)")
    #expect(run.errors.contains("subject (2 ids) would do too: --subject subject"), "\(run.errors)")
    let alone = try draft(Self.cases("colour", "subject") { "s\($0)" })
    #expect(alone.errors.contains("columns: subject is subject, ts is at"), "\(alone.errors)")
  }

  @Test(arguments: [
    "deal_id", "opportunity_id", "incident_id", "issue_key", "issue_number", "shipment_id", "batch_id", "transaction_id",
    "claim_id",
    "rider_id", "passenger_id", "participant", "conversation_id", "sender_id", "run_id", "build_id", "invoice_id", "TID",
  ])
  func `the id of a case is the subject, also beside an account`(id: String) throws {
    let run = try draft(Self.cases(id, "ToAccountId") { "a\($0 % 2)" })
    #expect(run.status == 0 && run.errors.contains("columns: subject is \(id), ts is at"), "\(run.errors)")
  }

  @Test func `an account beside the ids of unknown cases needs a decision`() throws {
    let run = try draft(Self.cases("docket_no", "ToAccountId") { "a\($0 % 2)" })
    #expect(
      run.status == 65
        && run.errors.contains(
          "the records are of ToAccountId (2 ids) or of docket_no (4 ids), which are many more: name the one that goes through the steps"
        ), "\(run.errors)")
    let named = try place.run("map", "init", "t.csv", "--app", "x", "--subject", "ToAccountId")
    #expect(named.status == 0, "\(named.errors)")
  }

  @Test func `an id of its own in each record is no case`() throws {
    let rows = (10..<40).map { "t\($0),p\($0 % 6),\(["Bid", "Win"][$0 % 2]),2026-05-01T10:\($0):00Z\n" }
    let run = try draft("transaction_id,player_id,event,time\n" + rows.joined())
    #expect(run.errors.contains("columns: subject is player_id"), "\(run.errors)")
  }

  @Test(arguments: ["Event name", "event", "activity", "Action"])
  func `a column that is named after events wins, even if one of its values is a sentence`(header: String) throws {
    let names = ["Page read", "Test begun", "The result of the test has been seen by the tutor"]
    let rows = (0..<12).map { "m\($0 % 4),\(names[$0 / 4]),\(["draft", "public"][$0 % 2]),2026-05-01T10:\($0 + 10):00Z\n" }
    let run = try draft("member_id,\(header),status,time\n" + rows.joined())
    #expect(run.status == 0 && run.errors.contains("name is \(header)"), "\(run.errors)")
    let prose = (0..<12).map {
      "m\($0 % 4),the note of a tutor on member number \($0),\(["draft", "public"][$0 / 6]),2026-05-01T10:\($0 + 10):00Z\n"
    }
    let noted = try draft("member_id,\(header),status,time\n" + prose.joined())
    #expect(noted.errors.contains("name is status"), "\(noted.errors)")
  }

  /// A table in which each of six people has two events, under IDs with two endings. One of them has the first ending alone.
  private static func people(_ prefix: String, _ first: String, _ second: String, single: Int) -> String {
    var text = "user_id,event,time\n"
    for number in 1...6 {
      text += "\(prefix)\(number)\(first),Open,2026-05-01T10:0\(number):00Z\n"
      text += "\(prefix)\(number)\(number == single ? first : second),Done,2026-05-01T11:0\(number):00Z\n"
    }
    return text
  }

  @Test func `ids that differ only by blanks or a decimal are told`() throws {
    let decimal = try draft(Self.people("", ".0", "", single: 3))
    #expect(
      decimal.errors.contains(
        "# subject: 5 values of user_id are others with blanks around them or .0 at their ends, and count as"),
      "\(decimal.errors)")
    let blanks = try draft(
      "user_id,event,time\nann,Open,2026-05-01T10:00:00Z\nann ,Done,2026-05-01T10:05:00Z\nbo,Open,2026-05-01T10:00:00Z\n")
    #expect(
      blanks.errors.contains(
        "# subject: 1 value of user_id is another one with blanks around it or .0 at its end, and counts as"),
      "\(blanks.errors)")
    let none = try draft(Self.people("u", ".0", "", single: 3))
    #expect(!none.errors.contains("with blanks"), "other ids may end in .0: \(none.errors)")
  }
}
