import Foundation
import Testing

/// `funnel map init` of tables as products export them.
@Suite struct MapExportTests {
  let place: Workplace

  init() throws { place = try Workplace() }

  private func draft(_ text: String, as file: String = "t.csv", _ options: String...) throws -> FunnelRun {
    try place.write(text, to: file)
    return try FunnelRun(arguments: ["map", "init", file, "--app", "x"] + options, directory: place.url)
  }

  @Test(arguments: ["Ereignisname", "evento", "événement", "Nombre del evento", "Nom de l'événement", "Nome do evento"])
  func `a column that is named after events in another language has the names`(header: String) throws {
    let rows = (10..<22).map { "m\($0 % 4),\(["a", "b", "c"][$0 % 3]),\(["v", "w"][$0 % 2]),2026-05-01T10:\($0):00Z\n" }
    let run = try draft("member_id,\(header),place,time\n" + rows.joined())
    #expect(run.status == 0 && run.errors.contains("name is \(header)"), "\(run.errors)")
  }

  @Test func `a property whose key ingest refuses is left out of the draft`() throws {
    let rows = (10..<16).map { "u\($0 % 3),\(["a", "b"][$0 % 2]),10.0.0.\($0),free,2026-05-01T10:\($0):00Z\n" }
    let run = try draft("distinct_id,event,properties.$ip,properties.plan,timestamp\n" + rows.joined())
    #expect(run.errors.contains("left out as personal data: properties.$ip ("), "\(run.errors)")
    #expect(!run.output.contains("$ip") && run.output.contains("properties.plan"), "\(run.output)")
  }

  @Test func `a table for each kind of event is no table of people`() throws {
    for (name, minute) in [("opened", 10), ("account_created", 20)] {
      let rows = (1...4).map {
        "an\($0),\(name),2026-10-01 10:\(minute + $0):02,2026-10-01 10:\(minute + $0):01,2026-10-01 10:\(minute + $0):00\n"
      }
      try place.write("anonymous_id,event,received_at,sent_at,timestamp\n" + rows.joined(), to: "logs/\(name).csv")
    }
    let run = try place.run("map", "init", "logs", "--app", "x")
    #expect(run.status == 0 && !run.errors.contains("has to become one"), "\(run.errors)")
  }

  @Test func `a table of PostHog links the device to the account`() throws {
    var text = "uuid,event,distinct_id,timestamp,properties.$device_id,properties.$anon_distinct_id\n"
    for number in 0..<4 {
      text += "a\(number),seen,dev\(number),2026-10-01T10:0\(number):00Z,dev\(number),\n"
      guard number < 3 else { continue }
      text += "b\(number),$identify,usr\(number),2026-10-01T11:0\(number):00Z,dev\(number),dev\(number)\n"
      text += "c\(number),signed_up,usr\(number),2026-10-01T12:0\(number):00Z,dev\(number),\n"
    }
    let run = try draft(text)
    #expect(run.errors.contains("subject is properties.$device_id, user (the account) is distinct_id"), "\(run.errors)")
    #expect(run.errors.contains("3 × $identify: links two ids of one person"), "\(run.errors)")
    try place.write(run.output, to: "m.json")
    let report = try place.run(
      "report", "funnel", "t.csv", "--map", "m.json", "--now", "2026-12-01", "--steps", "seen,signed_up")
    #expect(report.output.contains("4 entered -> 3 completed"), "\(report.output)\(report.errors)")
  }

  @Test func `an id that all records have is the subject before an account that many lack`() throws {
    var text = "Event Time,Event Name,AppsFlyer ID,Customer User ID\n"
    for number in 0..<6 {
      text += "2026-10-01T10:0\(number):00Z,install,af-\(number),\n"
      if number < 4 { text += "2026-10-01T11:0\(number):00Z,registration,af-\(number),c\(number)\n" }
    }
    let run = try draft(text)
    #expect(run.errors.contains("subject is AppsFlyer ID, user (the account) is Customer User ID"), "\(run.errors)")
    let session = try draft(text.replacing("AppsFlyer ID", with: "session_id"))
    #expect(session.errors.contains("subject is Customer User ID"), "\(session.errors)")
  }

  @Test func `an event that never has the subject needs a decision`() throws {
    var text = ""
    for number in 0..<5 {
      text +=
        #"{"created":\#(1_790_000_000 + number),"type":"customer.created","data":{"object":{"id":"cus_\#(number)"}}}"# + "\n"
      guard number < 4 else { continue }
      text +=
        #"{"created":\#(1_790_000_060 + number),"type":"subscribed","data":{"object":{"id":"sub_\#(number)","customer":"cus_\#(number)"}}}"#
        + "\n"
    }
    let run = try draft(text, as: "events.json", "--subject", "data.object.customer")
    #expect(
      run.status == 65
        && run.errors.contains(
          #"all 5 customer.created have no data.object.customer, and are rejected: a list of paths takes the next one, as in "subject": ["data.object.customer", "data.object.id"]"#
        ), "\(run.errors)")
  }

  @Test func `an action that happens to several kinds of things is told`() throws {
    let kinds = ["client", "deal", "task"]
    let rows = (10..<22).map { "u\($0 % 4),\(kinds[$0 % 3]),\($0 % 2 == 0 ? "create" : "login"),2026-05-01T10:\($0):00Z\n" }
    let run = try draft("user_id,entity_type,action,time\n" + rows.joined())
    #expect(
      run.errors.contains(
        #"create occurs with 3 values of entity_type, and they become one step; tell them apart with "when", as in "create": [{"name": "create_client", "when": {"entity_type": "client"}}, …]"#
      ), "\(run.errors)")
  }

  @Test func `0 among small numbers is told to be an id`() throws {
    let rows = (0..<4).flatMap { number in ["open", "close"].map { "\(number),\($0),2026-05-01T10:0\(number):00Z\n" } }
    let run = try draft("case_id,activity,time\n" + rows.joined())
    #expect(
      run.errors.contains("# subject: 0 is likely an id, as 1 and 2 are: write another text for it in case_id"), "\(run.errors)"
    )
  }
}
