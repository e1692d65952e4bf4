import Foundation
import Testing

/// `funnel map init --map FILE`: what is said of a mapping that does not read the records.
@Suite struct MapGivenTests {
  let place: Workplace

  init() throws { place = try Workplace() }

  private func draft(_ rows: [String], _ mapping: String) throws -> FunnelRun {
    try place.write("user_id,event,time\n" + rows.map { $0 + "\n" }.joined(), to: "t.csv")
    try place.write(mapping, to: "map.json")
    return try place.run("map", "init", "t.csv", "--map", "map.json")
  }

  private static let rows = ["a,Open,2026-10-01T10:00:00Z", "b,Open,2026-10-02T10:00:00Z"]

  @Test(arguments: [
    (
      #""subject":"user_id","ts":{"path":"time","format":"dd.MM.yyyy"},"name":"event""#,
      #"0 of 2 records have a time that map.json reads; the first: ts: "2026-10-01T10:00:00Z" does not have the form dd.MM.yyyy"#
    ),
    (
      #""subject":"user_id","ts":"event","name":"event""#,
      #"0 of 2 records have a time that map.json reads; the first: ts: "Open" is not a time"#
    ),
    (
      #""subject":"who","ts":"time","name":"event""#,
      "0 of 2 records have a subject that map.json reads; the first: subject: the record has none of who"
    ),
    (#""subject":"user_id","ts":"time","name":"what""#, "0 of 2 records have a name that map.json reads; the first: "),
  ])
  func `a mapping that reads no record is told with the first value, and is printed with 65`(
    paths: String, reason: String
  ) throws {
    let run = try draft(Self.rows, #"{"from":"csv","app":"x",\#(paths)}"#)
    #expect(run.status == 65 && run.output.contains("\"from\": \"csv\""), "\(run.output)")
    #expect(run.errors.contains("funnel: \(reason)"), "\(run.errors)")
  }

  @Test func `a person beside the array of the records is told how to be named`() throws {
    let visits = ["ann", "bob"].map {
      #"{"who":"\#($0)","events":[{"when":"2026-10-01T10:00:00Z","what":"open"},{"when":"2026-10-01T11:00:00Z","what":"done"}]}"#
    }
    try place.write(visits.map { $0 + "\n" }.joined(), to: "visits.json")
    let refused = try place.run("map", "init", "visits.json")
    #expect(
      refused.status == 65
        && refused.errors.contains(
          "no column identifies people, visits.json, name one with --subject; if the person is beside the array of the records, "
            + "name it in a mapping as \"subject\": \"$envelope.KEY\", the keys are: what, when\n"),
      "\(refused.errors)")
    try place.write(
      #"{"from":"json","app":"x","subject":"$envelope.who","ts":"when","name":"what"}"#, to: "map.json")
    let draft = try place.run("map", "init", "visits.json", "--map", "map.json")
    #expect(draft.status == 0 && draft.output.contains(#""open": {"name": "open"}"#), "\(draft.output)\(draft.errors)")
  }

  /// An object whose records are in an array at a path of two keys.
  private static func nested(_ outer: String, _ inner: String, _ note: String = "") -> String {
    let records = ["open", "pay"].map { #"{"action":"\#($0)","timestamp":"2026-03-03T10:00:00Z","userid":"U1"}"# }
    return "{\(note)\"\(outer)\":{\"\(inner)\":[\n\(records.joined(separator: ",\n"))]}}\n"
  }

  @Test func `records two keys deep are found under a usual key`() throws {
    try place.write(Self.nested("events", "event"), to: "log.json")
    let draft = try place.run("map", "init", "log.json")
    #expect(draft.status == 0 && draft.output.contains(#""pay": {"name": "pay"}"#), "\(draft.output)\(draft.errors)")
  }

  @Test(arguments: [#"{"records":"export.entry"}"#, #"{"from":"json","records":"export.entry"}"#])
  func `records under other keys are told, and a mapping that only names them is completed`(mapping: String) throws {
    try place.write(Self.nested("export", "entry"), to: "log.json")
    let refused = try place.run("map", "init", "log.json")
    #expect(
      refused.status == 65
        && refused.errors
          == "funnel: the object is no event, log.json, the records may be the array export.entry: "
          + "give {\"records\": \"export.entry\"} with --map\n",
      "\(refused.errors)")
    let oneLine = Self.nested("export", "entry", "\"version\":\"v\",\"kind\":\"k\",").split(separator: "\n").joined()
    try place.write(oneLine, to: "noted.json")
    let noted = try place.run("map", "init", "noted.json")
    #expect(noted.status == 65 && noted.errors.contains("; the records may be the array export.entry: give"), "\(noted.errors)")

    try place.write(mapping, to: "map.json")
    let draft = try place.run("map", "init", "log.json", "--map", "map.json")
    #expect(draft.status == 0 && draft.output.contains(#""records": "export.entry""#), "\(draft.output)\(draft.errors)")
    #expect(draft.output.contains(#""subject": "userid""#), "\(draft.output)")
    let ingest = try place.run("ingest", "log.json", "--map", "map.json", "--dry-run", "--now", Workplace.now)
    #expect(ingest.status != 0, "only map init completes a mapping: \(ingest.output)")
  }

  @Test func `a mapping of some columns may name its format`() throws {
    let run = try draft(Self.rows, #"{"from":"csv","app":"x","name":"event"}"#)
    #expect(run.status == 0 && run.output.contains(#""subject": "user_id""#), "\(run.output)\(run.errors)")
  }

  @Test func `some records that a mapping does not read are counted`() throws {
    let run = try draft(
      Self.rows + ["c,Open,soon"], #"{"from":"csv","app":"x","subject":"user_id","ts":"time","name":"event"}"#)
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.errors.contains("# 1 of 3 records lack a time, and will be rejected; the first: ts: \"soon\" is not a time"),
      "\(run.errors)")
    let dropped = try draft(
      Self.rows + ["c,Debug,soon"],
      #"{"from":"csv","app":"x","subject":"user_id","ts":"time","name":"event","events":{"Debug":null}}"#)
    #expect(dropped.status == 0 && !dropped.errors.contains("lack a time"), "\(dropped.errors)")
  }

  @Test func `a mapping of some columns keeps them, and the form of its times`() throws {
    let form = #"{"app":"x","ts":{"path":"time","format":"dd/MM/yyyy"}}"#
    let kept = try draft(["a,Open,03/04/2026", "b,Open,05/04/2026"], form)
    #expect(kept.status == 0 && kept.output.contains(#""format": "dd/MM/yyyy""#), "\(kept.output)\(kept.errors)")
    let unread = try draft(Self.rows, form)
    #expect(unread.status == 65)
    #expect(
      unread.errors
        == "funnel: 0 of 2 records have a time of the form dd/MM/yyyy in time, the first is \"2026-10-01T10:00:00Z\", t.csv, "
        + "correct the form in the mapping, or name another column in it or with --ts, the columns are: user_id, event, time\n"
    )
    let unknown = try draft(Self.rows, #"{"app":"x","subject":"who"}"#)
    #expect(
      unknown.status == 65 && unknown.errors.contains("there is no column who, given with \"subject\" in map.json, t.csv"),
      "\(unknown.errors)")
  }
}
