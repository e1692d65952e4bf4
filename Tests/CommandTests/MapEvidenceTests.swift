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
}
