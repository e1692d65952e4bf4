import Foundation
import Testing

/// `funnel map init` of a log of changes, in which each record has the name of a field and its new value.
@Suite struct MapChangesTests {
  let place: Workplace

  init() throws { place = try Workplace() }

  /// The history of three issues. A value of `resolution` has the text of one of `status`.
  private static func history(_ field: String = "field", _ old: String = "from", _ new: String = "to") -> String {
    """
    issue_id,user,created,\(field),\(old),\(new)
    A-1,kim,2026-10-01T10:00:00Z,status,Open,In Progress
    A-1,lee,2026-10-01T11:00:00Z,priority,Low,High
    A-1,lee,2026-10-02T10:00:00Z,status,In Progress,Done
    A-2,kim,2026-10-01T10:00:00Z,status,Open,In Progress
    A-2,kim,2026-10-01T12:00:00Z,resolution,,Done
    A-3,max,2026-10-03T10:00:00Z,status,Open,In Progress
    A-3,max,2026-10-04T10:00:00Z,status,In Progress,Done

    """
  }

  @Test func `several fields are told with their numbers, and the option that chooses one`() throws {
    try place.write(Self.history(), to: "h.csv")
    let draft = try place.run("map", "init", "h.csv", "--app", "x")
    #expect(draft.status == 65 && draft.output.isEmpty, "\(draft.output)")
    #expect(
      draft.errors == """
        funnel: the records are changes of 3 fields, which field names: status (5 records), priority (1), resolution (1), and the new \
        values in to are the events of one of them, h.csv, name the field that people or cases go through, such as --field status, \
        the columns are: issue_id, user, created, field, from, to

        """)
  }

  @Test(arguments: [("field", "from", "to"), ("Attribute", "Old Value", "New Value"), ("field", "fromString", "toString")])
  func `the changes of one field become a true funnel`(field: String, old: String, new: String) throws {
    try place.write(Self.history(field, old, new), to: "h.csv")
    let draft = try place.run("map", "init", "h.csv", "--app", "x", "--field", "status")
    #expect(draft.status == 0, "\(draft.errors)")
    #expect(draft.output.contains("\"subject\": \"issue_id\""), "\(draft.output)")
    #expect(
      draft.output.contains(
        """
          "events": {
            "In Progress": {"name": "in_progress", "when": {"\(field)": "status"}},
            "Done": {"name": "done", "when": {"\(field)": "status"}}
          },
          "other_events": "drop"
        """), "\(draft.output)")
    #expect(
      draft.errors.contains("the new values in \(new) of the 5 records (of 7) whose \(field) is status;"), "\(draft.errors)")
    #expect(draft.errors.contains("the value of each issue_id before its first change is only in \(old)"), "\(draft.errors)")
    try place.write(draft.output, to: "map.json")
    let run = try place.run(
      "report", "funnel", "h.csv", "--map", "map.json", "--steps", "in_progress,done", "--now", Workplace.now)
    #expect(run.output.contains("3 entered -> 2 completed"), "\(run.output)\(run.errors)")
  }

  @Test func `the only field needs no option`() throws {
    let lines = Self.history().split(separator: "\n").filter { !$0.contains("priority") && !$0.contains("resolution") }
    try place.write(lines.map { $0 + "\n" }.joined(), to: "h.csv")
    let draft = try place.run("map", "init", "h.csv", "--app", "x")
    #expect(draft.status == 0 && draft.output.contains("\"name\": \"to\""), "\(draft.output)\(draft.errors)")
    #expect(draft.errors.contains("of the 5 records (of 5) whose field is status"), "\(draft.errors)")
  }

  @Test func `a field that can't be the one is refused with the others`() throws {
    try place.write(Self.history(), to: "h.csv")
    let unknown = try place.run("map", "init", "h.csv", "--field", "stage")
    #expect(
      unknown.status == 65
        && unknown.errors.contains(
          "no record is a change of the field stage, given with --field, h.csv, name one of the fields in field: status (5 records), "
        ),
      "\(unknown.errors)")
    try place.write("user_id,event,time\na,Open,2026-10-01T10:00:00Z\na,Done,2026-10-01T11:00:00Z\n", to: "t.csv")
    let other = try place.run("map", "init", "t.csv", "--field", "stage")
    #expect(
      other.status == 65 && other.errors.contains("the records are no changes of fields, so stage, given with --field,"),
      "\(other.errors)")
  }

  @Test func `a log that names its events keeps them, whatever changes it holds`() throws {
    let rows = (10..<30).map {
      "u\($0 % 5),\(["created", "updated"][$0 % 2]),2026-10-01T10:\($0):00Z,\(["status", "owner"][$0 % 2]),a,b\n"
    }
    try place.write("user_id,event,time,field,old_value,new_value\n" + rows.joined(), to: "t.csv")
    let draft = try place.run("map", "init", "t.csv", "--app", "x")
    #expect(draft.status == 0 && draft.output.contains("\"name\": \"event\""), "\(draft.output)\(draft.errors)")
  }

  @Test func `a table of stays is no log of changes`() throws {
    let rows = (10..<30).map { "u\($0 % 5),Booked,H\($0 % 3),2026-10-\($0),2026-11-\($0)\n" }
    try place.write("guest_id,status,property,from,to\n" + rows.joined(), to: "t.csv")
    let draft = try place.run("map", "init", "t.csv", "--app", "x")
    #expect(!draft.errors.contains("changes of"), "\(draft.output)\(draft.errors)")
  }

  @Test func `all roles without a column are told at once`() throws {
    try place.write("foo,bar,baz\nx,y,z\nx,y,q\n", to: "t.csv")
    let none = try place.run("map", "init", "t.csv")
    #expect(
      none.errors.hasPrefix(
        "funnel: no column has the times of events; no column has the names of events; no column identifies people, t.csv, "
          + "name one with --ts; name one with --name; name one with --subject; "), "\(none.errors)")
    #expect(none.errors.hasSuffix(", the columns are: foo, bar, baz\n"), "\(none.errors)")
    let given = try place.run("map", "init", "t.csv", "--ts", "when", "--name", "what")
    #expect(
      given.errors.contains("there is no column when, given with --ts; there is no column what, given with --name, t.csv"),
      "\(given.errors)")
    try place.write(Self.history().replacingOccurrences(of: "T1", with: " about 1"), to: "h.csv")
    let both = try place.run("map", "init", "h.csv")
    #expect(both.errors.contains("the records are changes of 3 fields"), "\(both.errors)")
    #expect(both.errors.contains("; no column has the times of events, h.csv, "), "\(both.errors)")
  }

  @Test func `all decisions of a draft are told at once`() throws {
    let rows = (0..<20).map { "1.2345\($0 % 7)E+12,\(["start", "done"][$0 % 2]),2026-10-01,10:\($0 + 10)\n" }
    try place.write("user_id,event,date,clock\n" + rows.joined(), to: "t.csv")
    let draft = try place.run("map", "init", "t.csv", "--app", "x")
    #expect(draft.status == 65)
    #expect(
      draft.errors.contains(
        "the times in date are apart from the times of day in clock, and a mapping reads one column: join the two in the input, or accept days without times with --ts date; 20 values of user_id are rounded"
      ), "\(draft.errors)")
  }

  @Test func `days without times are accepted by naming their column`() throws {
    let rows = (0..<20).map { "u\($0 % 7),\(["start", "done"][$0 % 2]),2026-10-01,10:\($0 + 10)\n" }
    try place.write("user_id,event,date,clock\n" + rows.joined(), to: "t.csv")
    let draft = try place.run("map", "init", "t.csv", "--app", "x", "--ts", "date")
    #expect(draft.status == 0 && draft.errors.contains("# times in date are days: "), "\(draft.errors)")
  }
}
