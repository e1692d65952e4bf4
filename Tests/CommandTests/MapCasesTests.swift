import Testing

/// `funnel map init`: whether the cases or the users beside them go through the steps.
@Suite struct MapCasesTests {
  let place: Workplace

  init() throws { place = try Workplace() }

  private func draft(_ text: String, _ options: String...) throws -> FunnelRun {
    try place.write(text, to: "t.csv")
    return try FunnelRun(arguments: ["map", "init", "t.csv", "--app", "x"] + options, directory: place.url)
  }

  /// A table of six cases of which three are solved. Two of three users have records of a case if they hand it over.
  private static func tickets(_ id: String, _ user: String, handedOver: Bool = true, first: String = "Opened") -> String {
    var text = "\(id),status,\(user),time\n"
    for number in 0..<6 {
      for (index, status) in [first, "Assigned", "Solved"].prefix(number % 2 == 0 ? 3 : 2).enumerated() {
        let clerk = ["kim", "lea", "max"][(number + (handedOver && index > 0 ? 1 : 0)) % 3]
        text += "T\(number),\(status),\(clerk),2025-03-0\(number + 1)T0\(index):00:00Z\n"
      }
    }
    return text
  }

  @Test(arguments: [
    ("ticket_id", "user"), ("case", "user"), ("Case", "user_id"), ("case_no", "customer_id"), ("ticket", "user"),
    ("order_id", "Employee"), ("claim", "user"), ("request", "user"), ("Fall", "user"), ("Vorgang", "user"),
    ("application_id", "user_id"), ("incident_id", "user"), ("case_key", "user"),
  ])
  func `a case that users hand over is the subject`(id: String, user: String) throws {
    let run = try draft(Self.tickets(id, user))
    #expect(run.status == 0 && run.output.contains("\"subject\": \"\(id)\""), "\(run.output)\(run.errors)")
    #expect(run.output.contains("\"\(user)\": \"\(user)\""), "the users become a property: \(run.output)")
    #expect(
      run.errors.contains(
        "# subject: 6 of the 6 values of \(id) begin with Opened, and 6 have several values of \(user), so \(id) is chosen\n"),
      "\(run.errors)")
    #expect(
      run.errors.contains("# subject: \(id) (6 ids); \(user) (3 ids) would do too: --subject \(user)\n"), "\(run.errors)")
    try place.write(run.output, to: "map.json")
    let report = try place.run(
      "report", "funnel", "t.csv", "--map", "map.json", "--steps", "opened,solved", "--now", Workplace.now)
    #expect(report.output.contains("6 entered"), "\(report.output)\(report.errors)")
  }

  @Test func `the order of the records does not matter`() throws {
    let lines = Self.tickets("ticket_id", "user").split(separator: "\n")
    let run = try draft(([lines[0]] + lines.dropFirst().reversed()).map { $0 + "\n" }.joined())
    #expect(run.status == 0 && run.output.contains("\"subject\": \"ticket_id\""), "\(run.output)\(run.errors)")
  }

  @Test(arguments: [
    (tickets("TimelineID", "Employee"), "Employee", "TimelineID"),
    (tickets("order_id", "user_id", handedOver: false), "user_id", "order_id"),
  ])
  func `more ids that begin alike need a decision, which an option makes`(text: String, user: String, id: String) throws {
    let run = try draft(text)
    #expect(
      run.status == 65
        && run.errors.contains(
          "the records are of \(user) (3 ids) or of \(id) (6 ids), which are many more: name the one that goes through the steps with --subject"
        ), "\(run.errors)")
    for subject in [user, id] {
      let named = try draft(text, "--subject", subject)
      #expect(named.status == 0 && named.output.contains("\"subject\": \"\(subject)\""), "\(named.errors)")
    }
  }

  /// A log of an app: five users look at things and then order.
  ///
  /// - Parameter value: Returns the value of the further column by the number of the visit and of its event.
  private static func shop(_ column: String, _ value: (Int, Int) -> String) -> String {
    var text = "user_id,\(column),event,time\n"
    for visit in 0..<15 {
      for (index, event) in ["view", "view", "order"].prefix(visit % 3 == 0 ? 2 : 3).enumerated() {
        text += "u\(visit % 5),\(value(visit, index)),\(event),2025-03-\(visit + 10)T0\(index):00:00Z\n"
      }
    }
    return text
  }

  @Test(arguments: [
    shop("order_id") { visit, index in index == 2 ? "o\(visit)" : "" },
    shop("session_id") { visit, _ in "s\(visit)" },
    shop("product_id") { visit, index in "p\((visit * 7 + index) % 12)" },
    shop("visit_no") { visit, _ in "\(visit)" },
    // Each product and each page has records of one user only.
    tickets("product_id", "user_id", handedOver: false, first: "view"),
    tickets("page_id", "user_id", handedOver: false, first: "view"),
  ])
  func `an app's user stays the subject beside orders, visits and products`(text: String) throws {
    let run = try draft(text)
    #expect(run.status == 0 && run.output.contains("\"subject\": \"user_id\""), "\(run.output)\(run.errors)")
  }
}
