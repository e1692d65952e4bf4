import Foundation
import Testing

/// `funnel map init`: what it prints is a mapping that works as it is.
@Suite struct MapInitTests {
  private static func call(_ type: String, _ name: String, _ id: Int) -> String {
    let key = type == "track" ? "event" : "name"
    return
      "{\"type\":\"\(type)\",\"\(key)\":\"\(name)\",\"anonymousId\":\"a\",\"messageId\":\"m\(id)\",\"timestamp\":\"2026-11-20T10:00:00Z\"}\n"
  }

  @Test func `a track, a screen and a page of one name are three events`() throws {
    let place = try Workplace()
    try place.write(
      Self.call("track", "Home", 1) + Self.call("screen", "Home", 2) + Self.call("page", "Home", 3)
        + Self.call("page", "Home", 4)
        + Self.call("screen", "Other", 5), to: "export.json")
    let draft = try place.run("map", "init", "export.json", "--app", "todo")
    #expect(
      draft.output == """
        {
          "from": "segment",
          "app": "todo",
          "events": {
            "page_home": {"name": "step_viewed", "step": "$name"},
            "Other": {"name": "step_viewed", "step": "$name"},
            "home": {"name": "home"},
            "screen_home": {"name": "step_viewed", "step": "$name"}
          },
          "other_events": "keep"
        }

        """, "\(draft.errors)")
    try place.write(draft.output, to: "map.json")
    let run = try place.run("ingest", "export.json", "--map", "map.json", "--now", Workplace.now)
    #expect(run.status == 0 && run.output.hasPrefix("accepted 5 of 5 lines"), "\(run.output)\(run.errors)")
    #expect(run.output.contains("              3 × Home → step_viewed\n              1 × Home → home\n"), "\(run.output)")
  }

  @Test func `a mapping of a screen by its type comes before one by its name`() throws {
    let place = try Workplace()
    try place.write(Self.call("track", "Home", 1) + Self.call("screen", "Home", 2), to: "export.json")
    for key in ["screen Home", "screen_home"] {
      try place.write(#"{"app":"todo","events":{"Home":{"name":"tapped"},"\#(key)":{"name":"seen"}}}"#, to: "map.json")
      let run = try place.run("ingest", "export.json", "--map", "map.json", "--dry-run", "--now", Workplace.now)
      #expect(run.output.contains("1 × Home → seen\n") && run.output.contains("1 × Home → tapped\n"), "\(run.output)")
    }
  }

  @Test(arguments: [
    ("User ID,Time,Event Name,Email,Plan", "u1,2026-10-23T02:07:40Z,Signed Up,ann@example.org,pro", "Email", ["Plan"]),
    ("user,at,event,Contact,Plan", "u1,2026-10-23T02:07:40Z,Signed Up,call +49 30 1234567,pro", "Contact", ["Plan"]),
    ("email,ts,event,device_id", "ann@example.org,2026-10-23T02:07:40Z,Signed Up,d1", "email", []),
    ("when,what,phone,visitor", "2026-10-23T02:07:40Z,Signed Up,1,v1", "phone", []),
  ])
  func `a column that is personal data is left out and named, so that the mapping works as it is`(
    header: String, row: String, column: String, props: [String]
  ) throws {
    let place = try Workplace()
    try place.write("\(header)\n\(row)\n\(row.replacingOccurrences(of: "02:07", with: "03:07"))\n", to: "t.csv")
    let draft = try place.run("map", "init", "t.csv")
    #expect(draft.status == 0 && !draft.output.contains("\"\(column)\""), "\(draft.output)")
    #expect(draft.errors.contains("left out as personal data: \(column) ("), "\(draft.errors)")
    #expect(!draft.errors.contains("@") && !draft.errors.contains("1234567"))
    for prop in props { #expect(draft.output.contains("\"\(prop)\": \"\(prop)\"")) }
    try place.write(draft.output, to: "map.json")
    let summary = try place.ingest("t.csv", "--map", "map.json")
    #expect(summary["accepted"] as? Int == 2 && summary["rejected"] as? Int == 0, "\(summary)")
  }

  @Test func `a column of which a late value is personal is left out too, and an address as subject is told`() throws {
    let place = try Workplace()
    let rows = (0..<600).map { "u\($0),2026-10-23T02:07:40Z,Seen,\($0 == 500 ? "ann@example.org" : "x\($0)")\n" }
    try place.write("user,at,event,note\n" + rows.joined(), to: "t.csv")
    let draft = try place.run("map", "init", "t.csv")
    #expect(draft.errors.contains("left out as personal data: note (has a value that is an e-mail address)"), "\(draft.errors)")
    try place.write(draft.output, to: "map.json")
    #expect(try place.ingest("t.csv", "--map", "map.json")["rejected"] as? Int == 0)
    try place.write("user,at,event\nann@example.org,2026-10-23T02:07:40Z,Seen\n", to: "u.csv")
    let addressed = try place.run("map", "init", "u.csv")
    #expect(addressed.output.contains("\"subject\": \"user\""))
    #expect(addressed.errors.contains("use another column, or ingest with --pseudonymize"), "\(addressed.errors)")
  }

  @Test func `a table with too few columns has no mapping`() throws {
    let place = try Workplace()
    try place.write("who,when\na,2026-11-20T10:00:00Z\n", to: "t.csv")
    let run = try place.run("map", "init", "t.csv")
    #expect(run.status == 65 && run.output.isEmpty)
    #expect(
      run.errors
        == "funnel: no column has the names of events, t.csv, name one with --name; if all records of a file are one event, "
        + "write the file's name into a column, with DuckDB: COPY (SELECT parse_filename(filename, true) AS event, "
        + "* EXCLUDE (filename) FROM read_csv('t.csv', filename=true, union_by_name=true)) TO 'events.csv', "
        + "the columns are: who, when\n"
    )
  }

  @Test(arguments: [("2026-11-20 10:00:00", true), ("2026-11-20T10:00:00Z", false), ("1795168800", false)])
  func `times without a zone are told`(time: String, needsZone: Bool) throws {
    let place = try Workplace()
    try place.write("user,at,event\na,\(time),Seen\n", to: "t.csv")
    let run = try place.run("map", "init", "t.csv")
    let note = "# times in at have no time zone: give it with --source-tz whenever you use the mapping\n"
    #expect(run.status == 0 && run.errors.contains(note) == needsZone, "\(run.errors)")
  }
}
