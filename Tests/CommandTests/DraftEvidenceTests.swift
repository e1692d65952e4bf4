import Foundation
import Testing

/// `funnel schema infer`: what is said about subjects whom a draft does not count, and about steps without a common order.
@Suite struct DraftEvidenceTests {
  let place: Workplace

  init() throws { place = try Workplace() }

  /// Writes a log in which each person has some events, a minute apart.
  private func write(_ people: [[String]]) throws {
    let lines = people.enumerated().flatMap { number, names in
      names.enumerated().map { minute, name in Self.event(name, number, seconds: number + minute * 60) }
    }
    try place.write(lines.joined(), to: "log.ndjson")
  }

  private static func event(_ name: String, _ person: Int, seconds: Int) -> String {
    #"{"name":"\#(name)","ts":\#(1_795_168_800_000 + seconds * 1000),"subject":"u\#(person)","app":"x"}"# + "\n"
  }

  private func infer(_ options: String...) throws -> FunnelRun {
    try FunnelRun(arguments: ["schema", "infer", "log.ndjson", "--now", Workplace.now] + options, directory: place.url)
  }

  @Test func `subjects who never reach the first required step are told by the draft and by a report`() throws {
    try write(
      (0..<90).map { number in
        switch number {
        case 0..<10: ["checkout", "paid"]
        case 10..<20: ["basket", "checkout", "paid"]
        case 20..<40: ["landing", "basket", "checkout", "paid"]
        case 40..<60: ["landing", "basket"]
        default: ["landing"]
        }
      })
    let draft = try infer()
    #expect(draft.status == 0, "\(draft.errors)")
    #expect(
      draft.errors.contains(
        "# 50 of 90 subjects never reach checkout, the first required step, and will not count: "
          + "make an earlier step required, such as landing, which 70 have\n"), "\(draft.errors)")
    #expect(
      draft.errors.contains(
        "# the first record of 20 subjects is a later step than landing, and lies within the first 7d of the input: "
          + "an export that begins in the middle of a flow makes early steps optional\n"), "\(draft.errors)")
    #expect(
      draft.errors.contains(
        "landing: 70 subjects (77.8 %), median position 1, optional: 33.3 % of those who reached a later step had not had it before\n"
      ), "\(draft.errors)")
    try place.write(draft.output, to: "flows/x.json")
    let run = try place.run("report", "funnel", "log.ndjson", "--schemas", "flows", "--now", Workplace.now)
    #expect(
      run.errors.contains(
        "not counted: 50 of 90 people (55.6 %), who never had checkout, the first required step of x/onboarding@1; "
          + "make an earlier step required, or check that all events of a person have the same id"), "\(run.errors)")
  }

  @Test func `a few subjects without the first required step are not told`() throws {
    try write((0..<40).map { ($0 < 39 ? ["landing"] : []) + ($0 < 30 || $0 > 38 ? ["signup", "paid"] : []) })
    let draft = try infer()
    #expect(!draft.errors.contains("never reach") && !draft.errors.contains("the first record of"), "\(draft.errors)")
  }

  @Test(arguments: ["close", "logout"])
  func `what nearly all have once and last is the goal, whatever its name`(name: String) throws {
    try write((0..<40).map { _ in ["assigned", "response", name] })
    let draft = try infer()
    #expect(draft.status == 0 && draft.output.contains(#""entered_by":["\#(name)"]}]"#), "\(draft.output)\(draft.errors)")
    #expect(!draft.errors.contains("ends a visit"), "\(draft.errors)")
    try write((0..<40).map { _ in ["assigned", "response", name, name] })
    let visits = try infer()
    #expect(visits.output.contains(#""entered_by":["response"]}]"#), "\(visits.output)")
    #expect(visits.errors.contains("\(name) ends a visit, so it is optional and not the goal"), "\(visits.errors)")
  }

  @Test func `a step without a common order with the goal is told`() throws {
    try write(
      (0..<70).map { number in
        switch number % 7 {
        case 0: ["signed_up", "upgraded_plan", "invited_member"]
        case 1, 2, 3: ["signed_up", "invited_member"]
        case 4, 5: ["signed_up", "upgraded_plan"]
        default: ["signed_up"]
        }
      })
    #expect(
      try infer().errors.contains(
        "# upgraded_plan and invited_member have no common order: 10 of the 60 subjects who have one of them have both; "
          + "the goal is invited_member, --goal upgraded_plan names the other one\n"))
    #expect(!(try infer("--goal", "upgraded_plan").errors.contains("no common order")))
  }

  @Test func `two steps that people have both are no alternatives`() throws {
    try write(
      (0..<40).map { number in
        switch number % 4 {
        case 0: ["register", "check", "examine_a", "decide"]
        case 1: ["register", "examine_b", "check", "decide"]
        case 2: ["register", "check", "examine_b", "decide", "restart", "examine_a", "decide", "pay"]
        default: ["register", "examine_a", "check", "decide", "pay"]
        }
      })
    let draft = try infer()
    #expect(
      draft.errors.contains(
        "# everyone who reached a later step had examine_b or examine_a before: if these are alternatives, make one step of both\n"
      ), "\(draft.errors)")
  }

  @Test func `three pairs of alternatives are listed, and the others are counted`() throws {
    try write(
      (0..<48).map { number in
        ["begin"] + (0..<4).map { stage in number >> stage & 1 == 0 ? "l\(stage)" : "r\(stage)" } + ["finish"]
      })
    let draft = try infer()
    #expect(
      draft.errors.contains("make one step of both: l0 or r0, l1 or r1, l2 or r2 and 1 more\n"), "\(draft.errors)")
  }

  @Test func `a draft in which everybody reaches the goal tells how many do so within its window`() throws {
    let log = (0..<40).map { person in
      Self.event("begin", person, seconds: 0) + (person < 10 ? Self.event("task", person, seconds: 60) : "")
        + Self.event("finish", person, seconds: person == 0 ? 864_000 : 120)
    }.joined()
    try place.write(log, to: "log.ndjson")
    let draft = try FunnelRun(
      arguments: ["schema", "infer", "log.ndjson", "--now", "2026-12-20T12:00:00Z"], directory: place.url)
    #expect(
      draft.errors.contains(
        "# all 40 subjects who have begin reach finish, 39 of them within 7d: are optional steps such as task what matters?\n"),
      "\(draft.errors)")
  }

  @Test func `a label keeps the letters that an id lost`() throws {
    try place.write(
      """
      user_id,event,time
      ann,Zamówienie złożone,2026-11-20T10:00:00Z
      ann,Płatność przyjęta,2026-11-20T10:01:00Z
      bob,Zamówienie złożone,2026-11-20T11:00:00Z

      """, to: "t.csv")
    let mapping = try place.run("map", "init", "t.csv", "--app", "x")
    try place.write(mapping.output, to: "m.json")
    let draft = try place.run("schema", "infer", "t.csv", "--map", "m.json")
    #expect(
      draft.output.contains(#"{"id":"zamowienie_z_ozone","label":"Zamówienie złożone","entered_by":["zamowienie_z_ozone"]}"#),
      "\(draft.output)\(draft.errors)")
    #expect(draft.output.contains(#"{"id":"p_atnosc_przyjeta","label":"Płatność przyjęta","#), "\(draft.output)")
    let named = mapping.output.replacing(#"{"name": "p_atnosc_przyjeta"}"#, with: #"{"name": "paid"}"#)
    try place.write(named, to: "m.json")
    let other = try place.run("schema", "infer", "t.csv", "--map", "m.json")
    #expect(other.output.contains(#"{"id":"paid","label":"Paid","#), "\(other.output)")
  }

  @Test func `an empty file of a definition is told as such`() throws {
    try write([["begin", "finish"]])
    try place.write("", to: "flows/x.json")
    let sentence = "flows/x.json is empty, write a flow definition, see 'funnel schema infer'\n"
    let run = try place.run("report", "funnel", "log.ndjson", "--schemas", "flows", "--now", Workplace.now)
    #expect(run.status == 78 && run.errors == "funnel: " + sentence, "\(run.errors)")
    let check = try place.run("schema", "check", "flows")
    #expect(check.status == 78 && check.output == sentence, "\(check.output)\(check.errors)")
  }
}
