import Foundation
import Testing

/// `funnel map init`: tables of which no true funnel comes, and columns that look like people or names but are none.
@Suite struct MapDoubtTests {
  let place: Workplace

  init() throws { place = try Workplace() }

  private func draft(_ text: String, as file: String = "t.csv", _ options: String...) throws -> FunnelRun {
    try place.write(text, to: file)
    return try FunnelRun(arguments: ["map", "init", file, "--app", "x"] + options, directory: place.url)
  }

  /// Returns the time of a record.
  private static func time(_ minute: Int) -> String {
    "2026-10-\(10 + minute / 1440)T\(10 + minute / 60 % 10):\(10 + minute % 50):00Z"
  }

  private static let steps = ["signup", "verify", "done"]

  /// A table of four organisations with forty people each, of whom each goes through three steps.
  private static func tenants(_ organisation: String, _ person: String?, _ id: (Int) -> String = { "p\($0)" }) -> String {
    let rows = (0..<480).map { number -> String in
      let who = number / 3
      let finer = person == nil ? "" : "\(id(who)),"
      return "\(time(number)),o\(who % 4),\(finer)\(steps[number % 3])\n"
    }
    let header = "time,\(organisation),\(person.map { "\($0)," } ?? "")event\n"
    return header + rows.joined()
  }

  // MARK: Organisations

  @Test(arguments: [("account_id", "actor"), ("customer_id", "member"), ("client", "person_ref")])
  func `the person within an organisation is the subject`(organisation: String, person: String) throws {
    let run = try draft(Self.tenants(organisation, person))
    #expect(run.status == 0 && run.output.contains("\"subject\": \"\(person)\""), "\(run.output)\(run.errors)")
    #expect(
      run.errors.contains(
        "# subject: \(organisation) has 4 values with 120 records each, which are likely organisations, not people, "
          + "so \(person) (160 ids) is chosen, whose ids are each within one of them; --subject \(organisation) chooses the other one\n"
      ), "\(run.errors)")
  }

  @Test(arguments: ["session_id", "booking_no"])
  func `other ids within an organisation need a decision`(finer: String) throws {
    let run = try draft(Self.tenants("account_id", finer))
    #expect(
      run.status == 65
        && run.errors.hasSuffix(
          "funnel: account_id has 4 values with 120 records each, which are likely organisations, not people, "
            + "and each of the ids in \(finer) (160 ids) is within one of them: name the one that goes through the steps, "
            + "--subject \(finer) or --subject account_id\n"),
      "\(run.errors)")
    for subject in [finer, "account_id"] {
      let named = try draft(Self.tenants("account_id", finer), "--subject", subject)
      #expect(named.status == 0, "\(named.errors)")
    }
  }

  @Test func `an organisation without people needs a decision`() throws {
    let run = try draft(Self.tenants("customer_id", nil))
    #expect(run.status == 65 && run.errors.contains("and no column has finer ids: name the id of the person"), "\(run.errors)")
    let addressed = try draft(Self.tenants("customer_id", "email") { "p\($0)@example.org" })
    #expect(addressed.status == 65 && addressed.errors.contains("the ids in email (160 ids)"), "\(addressed.errors)")
  }

  @Test func `a customer with many records who begins once is a person`() throws {
    let rows = (0..<600).map { number in
      let who = number / 120
      let name = number % 120 == 0 ? "signup" : ["open", "play"][number % 2]
      return "\(Self.time(number)),c\(who),s\(number / 4),\(name)\n"
    }
    let run = try draft("time,customer_id,session_id,event\n" + rows.joined())
    #expect(run.status == 0 && run.output.contains("\"subject\": \"customer_id\""), "\(run.output)\(run.errors)")
  }

  @Test func `an account that goes through the steps itself is the subject`() throws {
    let rows = (0..<60).map { "\(Self.time($0)),a\($0 / 6),m\($0 / 3),\(Self.steps[$0 % 3])\n" }
    let run = try draft("time,account_id,member,event\n" + rows.joined())
    #expect(run.status == 0 && run.output.contains("\"subject\": \"account_id\""), "\(run.output)\(run.errors)")
  }

  // MARK: Tables of states

  /// The rows of twelve tickets, with the state of each.
  private static func states(_ header: String, _ row: (Int) -> String) -> String {
    header + "\n" + (0..<12).map { row($0) + "\n" }.joined()
  }

  private static let names = ["open", "pending", "closed"]

  @Test(arguments: [
    (
      "ticket_id", "status",
      states("ticket_id,status,created_at") { "t\($0),\(names[$0 % 3]),\(time($0))" },
      "export the history of the changes of status\n"
    ),
    (
      "order_id", "status",
      states("order_id,customer_id,status,created_at") { "o\($0),c\($0 % 5),\(names[$0 % 3]),\(time($0))" },
      "export the history of the changes of status\n"
    ),
    (
      "deal_id", "dealstage",
      states("deal_id,dealname,dealstage,createdate,closedate") {
        "\($0),Deal \($0),\(names[$0 % 3]),\(time($0)),\(time($0 + 90))"
      },
      "export the history of the changes of dealstage, or, if the times in createdate, closedate are its steps, write a row for each"
    ),
    (
      "ticket_id", "status",
      states("ticket_id,status,created_at,updated_at,closed_at") {
        "t\($0),\(names[$0 % 3]),\(time($0)),\(time($0 + 5)),\($0 % 3 == 2 ? time($0 + 9) : "")"
      },
      "or, if the times in created_at, updated_at, closed_at are its steps, write a row for each of them (UNPIVOT in DuckDB)\n"
    ),
    (
      "id", "state",
      states("id,customer_id,state,created_at,closed_at") {
        "\($0),c\($0 % 5),\(names[$0 % 3]),\(time($0)),\($0 % 3 == 2 ? time($0 + 9) : "")"
      },
      "export the history of the changes of state, or,"
    ),
  ])
  func `one row for each ticket says where it is, not what it went through`(
    id: String, state: String, text: String, solution: String
  ) throws {
    let run = try draft(text)
    #expect(run.status == 65, "\(run.output)")
    #expect(
      run.errors.contains(
        "each \(id) has one row, so \(state) says where it is now and not what it went through, and no funnel"),
      "\(run.errors)")
    #expect(run.errors.contains(solution), "\(run.errors)")
  }

  @Test func `a history of states is no table of states, also if a later record tells`() throws {
    let history = Self.states("id,order_id,status,created_at") { "\($0),o\($0 / 3),\(Self.names[$0 % 3]),\(Self.time($0))" }
    let run = try draft(history)
    #expect(run.status == 0 && run.errors.contains("subject is order_id"), "\(run.errors)")
    let rows = (0..<20_020).map { "t\($0 % 20_010),\(Self.names[$0 % 3]),2026-10-20T10:00:00Z\n" }
    let late = try draft("ticket_id,status,changed_at\n" + rows.joined())
    #expect(late.status == 0, "\(late.errors)")
  }

  // MARK: Technical names

  @Test(arguments: [
    ("status", ["success", "failure"], "operation_kind"), ("type", ["INFO", "WARN", "ERROR"], "message"),
    ("action", ["GET", "POST"], "path"), ("status", ["200", "404"], "endpoint"), ("state", ["true", "false"], "step_name"),
  ])
  func `a result, a level or a method is no name if another column says what happened`(
    column: String, values: [String], other: String
  ) throws {
    let rows = (0..<24).map { "u\($0 / 3),\(values[$0 * 5 / 3 % values.count]),\(Self.steps[$0 % 3]),\(Self.time($0))\n" }
    let run = try draft("user_id,\(column),\(other),time\n" + rows.joined())
    #expect(run.status == 0 && run.output.contains("\"name\": \"\(other)\""), "\(run.output)\(run.errors)")
    #expect(
      run.errors.contains(
        "# name: the values of \(column) (\(values.sorted().joined(separator: ", "))) are technical and do not say what happened, "
          + "so \(other) is chosen; --name \(column) chooses it nevertheless\n"), "\(run.errors)")
    let named = try draft("user_id,\(column),\(other),time\n" + rows.joined(), "--name", column)
    #expect(named.status == 0 && named.output.contains("\"name\": \"\(column)\""), "\(named.errors)")
  }

  @Test func `several columns that say what happened need a decision, and so does one with too many values`() throws {
    let rows = (0..<24).map {
      "u\($0 / 3),\(["ok", "error"][$0 % 2]),\(Self.steps[$0 % 3]),\(Self.steps[$0 % 3]),\(Self.time($0))\n"
    }
    let several = try draft("user_id,status,job_kind,url,time\n" + rows.joined())
    #expect(
      several.status == 65
        && several.errors.hasSuffix(
          "funnel: the values of status (error, ok) are technical and do not say what happened, as job_kind or url may: "
            + "name the column with --name, such as --name job_kind, or keep status with --name status\n"),
      "\(several.errors)")
    let unique = (0..<24).map { "u\($0 / 3),\(["ok", "error"][$0 % 2]),/items/\($0),\(Self.time($0))\n" }
    let long = try draft("user_id,status,url,time\n" + unique.joined())
    #expect(
      long.status == 65 && long.errors.contains("and url (24 values) has too many values or whole sentences: write a column"),
      "\(long.errors)")
  }

  @Test func `states that a payment passes through are names, and so are results without another column`() throws {
    let rows = (0..<24).map { "p\($0 / 2),\(["pending", "success"][$0 % 2]),card \($0 % 3),\(Self.time($0))\n" }
    let payments = try draft("payment_ref,status,message,time\n" + rows.joined(), "--subject", "payment_ref")
    #expect(payments.status == 0 && payments.output.contains("\"name\": \"status\""), "\(payments.output)\(payments.errors)")
    let results = (0..<24).map { "u\($0 / 3),\(["ok", "error"][$0 % 2]),\(Self.time($0))\n" }
    let alone = try draft("user_id,status,time\n" + results.joined())
    #expect(alone.status == 0 && alone.output.contains("\"name\": \"status\""), "\(alone.errors)")
  }

  // MARK: Flows

  private static let workflows = [("Onboarding", ["open", "form", "sent"]), ("returns", ["scan", "weigh", "packed"])]

  private static func flows(_ column: String, _ flow: (Int) -> (String, [String])) -> String {
    let rows = (0..<36).map { "c\($0 / 3),\(flow($0 / 3).0),\(flow($0 / 3).1[$0 % 3]),\(time($0))\n" }
    return "case_id,\(column),activity,time\n" + rows.joined()
  }

  @Test(arguments: ["workflow", "flow", "process", "case_type"])
  func `values that share no names become flows`(column: String) throws {
    let run = try draft(Self.flows(column) { Self.workflows[$0 % 2] })
    #expect(
      run.status == 0 && run.output.contains(#""open": {"name": "open", "flow": "$\#(column)"}"#), "\(run.output)\(run.errors)")
    #expect(
      run.errors.contains(
        "# flow: the 2 values of \(column) share almost no names: Onboarding (3 names), returns (3 names); "
          + "each becomes a flow of its own, which --flow of 'funnel schema infer' names\n"), "\(run.errors)")
    try place.write(run.output, to: "m.json")
    for (flow, first) in [("onboarding", "open"), ("returns", "scan")] {
      let inferred = try place.run("schema", "infer", "t.csv", "--map", "m.json", "--flow", flow, "--now", Workplace.now)
      #expect(
        inferred.status == 0 && inferred.output.contains(#""steps":[{"id":"\#(first)","#),
        "\(inferred.output)\(inferred.errors)")
      #expect(inferred.output.components(separatedBy: "\"id\"").count == 4, "\(inferred.output)")
    }
  }

  @Test func `values that share names are one flow, and so are categories of events`() throws {
    let shared = try draft(Self.flows("workflow") { ($0 % 2 == 0 ? "a" : "b", ["open", "form", "sent"]) })
    #expect(shared.status == 0 && !shared.output.contains("\"flow\""), "\(shared.output)")
    let rows = (0..<36).map {
      "c\($0 / 6),\($0 % 6 < 3 ? "web" : "mail"),\(["a", "b", "c", "d", "e", "f"][$0 % 6]),\(Self.time($0))\n"
    }
    let categories = try draft("case_id,process,activity,time\n" + rows.joined())
    #expect(categories.status == 0 && !categories.output.contains("\"flow\""), "\(categories.output)")
  }

  // MARK: Visits of Matomo

  @Test(arguments: [true, false])
  func `visits with their actions in them become records by a command`(isArray: Bool) throws {
    let visits = (0..<4).map { visit in
      let actions = Self.steps.enumerated().map { index, step in
        #"{"type":"event","eventAction":"\#(step)","timestamp":\#(1_791_000_000 + visit * 100 + index)}"#
      }
      return
        #"{"idVisit":"\#(visit)","visitorId":"v\#(visit)","userId":null,"actionDetails":[\#(actions.joined(separator: ","))]}"#
    }
    let text = isArray ? "[\(visits.joined(separator: ","))]" : visits.map { $0 + "\n" }.joined()
    let run = try draft(text, as: "visits.json")
    #expect(
      run.status == 65
        && run.errors
          == "funnel: each record is a visit, whose actions are in the array actionDetails, visits.json, write a record for each action: "
          + #"jq -c '.. | objects | select(has("actionDetails")) | . as $visit | .actionDetails[] | {visitor_id: $visit.visitorId, "#
          + #"user_id: $visit.userId, timestamp, event: (.eventAction // .pageTitle // .type), url}' 'visits.json' >actions.ndjson"#
          + "\n",
      "\(run.errors)")
  }

  // MARK: Records and names that count together

  @Test func `records marked as deleted are told, and so are names that are one event`() throws {
    let run = try draft(
      """
      event_id,event_ts,user_id,event_type,is_deleted
      1,2026-06-01T10:00:00Z,u1,Signup,false
      2,2026-06-01T10:05:00Z,u1,Purchase,true
      3,2026-06-01T11:00:00Z,u2,Signup,false
      4,2026-06-01T11:05:00Z,u2,Purchase,false
      5,2026-06-01T12:00:00Z,u3,Signup,false
      6,2026-06-01T12:01:00Z,u3,PURCHASE,true

      """)
    #expect(run.status == 0)
    #expect(
      run.errors.contains(
        "# is_deleted is true in 2 of the first 6 records, and these count like all others: take them out of the input if they should not\n"
      ), "\(run.errors)")
    #expect(run.errors.contains("# 1 × PURCHASE: the same event as \"Purchase\"\n"), "\(run.errors)")
  }
}
