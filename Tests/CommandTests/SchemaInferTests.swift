import Foundation
import Testing

/// From an unknown log to a definition, and what a log says about one.
@Suite struct SchemaInferTests {
  private static func event(_ name: String, _ subject: Int, at second: Int, _ more: String = "") -> String {
    "{\"name\":\"\(name)\",\"ts\":\(1_795_168_800_000 + second * 1000),\"subject\":\"s\(subject)\",\"app\":\"todo\"\(more)}\n"
  }

  /// A log of forty people: welcome, signup, a question about notifications under names of its own, a tour that few take, done.
  private static let log = (0..<40).map { person in
    let version = person < 20 ? "1.0" : "2.0"
    let context = ",\"ctx\":{\"app_version\":\"\(version)\"}"
    var lines = event("app_welcome", person, at: person, context) + event("signup", person, at: person + 60, context)
    lines += event("push_permission_prompt", person, at: person + 90, context)
    lines += event(person % 2 == 0 ? "push_permission_allowed" : "push_permission_denied", person, at: person + 95, context)
    if person % 4 == 0 { lines += event("tour", person, at: person + 100, context) }
    if person >= 20 { lines += event("invite", person, at: person + 110, context) }
    if person == 7 { lines += event("debug_menu", person, at: person + 112, context) }
    return lines + event("done", person, at: person + 200, context)
  }.joined()

  @Test func `a definition is drafted, with versions where builds differ, and is valid as it is`() throws {
    let place = try Workplace()
    try place.write(Self.log, to: "log.ndjson")
    let draft = try place.run("schema", "infer", "log.ndjson", "--min-share", "6%", "--now", Workplace.now)
    #expect(draft.status == 0, "\(draft.errors)")
    #expect(
      draft.output == """
        [
        {"app":"todo","flow":"onboarding","version":1,"title":"Onboarding","app_versions":"<2.0","window":"7d","count_by":"person",
         "steps":[{"id":"app_welcome","label":"App welcome","entered_by":["app_welcome"]},
                  {"id":"signup","label":"Signup","entered_by":["signup"]},
                  {"id":"push","label":"Push","permission":"push"},
                  {"id":"tour","label":"Tour","entered_by":["tour"],"optional":true},
                  {"id":"done","label":"Done","entered_by":["done"]}],
         "upcasts":[{"from":"push_permission_allowed","to":{"name":"perm_push_granted"}},
                    {"from":"push_permission_denied","to":{"name":"perm_push_denied"}},
                    {"from":"push_permission_prompt","to":{"name":"perm_push_pre_prompt_shown"}}]},
        {"app":"todo","flow":"onboarding","version":2,"title":"Onboarding","app_versions":">=2.0","window":"7d","count_by":"person",
         "steps":[{"id":"app_welcome","label":"App welcome","entered_by":["app_welcome"]},
                  {"id":"signup","label":"Signup","entered_by":["signup"]},
                  {"id":"push","label":"Push","permission":"push"},
                  {"id":"tour","label":"Tour","entered_by":["tour"],"optional":true},
                  {"id":"invite","label":"Invite","entered_by":["invite"]},
                  {"id":"done","label":"Done","entered_by":["done"]}],
         "upcasts":[{"from":"push_permission_allowed","to":{"name":"perm_push_granted"}},
                    {"from":"push_permission_denied","to":{"name":"perm_push_denied"}},
                    {"from":"push_permission_prompt","to":{"name":"perm_push_pre_prompt_shown"}}]}
        ]

        """)
    #expect(draft.errors.contains("# left out, as fewer than 6 % of the subjects have them: debug_menu (1)\n"))
    try place.write(draft.output, to: "flows/todo.json")
    let check = try place.run("schema", "check", "flows")
    #expect(
      check.status == 0 && check.output == "ok flows/todo.json todo/onboarding@1\nok flows/todo.json todo/onboarding@2\n",
      "\(check.errors)")
    let against = try place.run("schema", "check", "flows", "--against", "log.ndjson", "--now", Workplace.now)
    #expect(against.status == 0, "\(against.errors)")
    #expect(
      against.output.contains("ok todo/onboarding@1: 20 subjects\nok todo/onboarding@2: 20 subjects\n"), "\(against.output)")
    let report = try place.run(
      "report", "funnel", "log.ndjson", "--schemas", "flows", "--format", "csv", "--now", Workplace.now)
    #expect(report.status == 0 && report.output.contains("todo,onboarding,2,"), "\(report.errors)")
  }

  @Test func `of more steps than a definition may have, the rarest are left out`() throws {
    let place = try Workplace()
    let log = (0..<20).map { person in
      (0..<70).map { step in person == 0 && step < 3 ? "" : Self.event("step\(step)", person, at: step) }.joined()
    }.joined()
    try place.write(log, to: "log.ndjson")
    let draft = try place.run("schema", "infer", "log.ndjson", "--now", Workplace.now)
    #expect(
      draft.errors.contains(
        "# left out, as a definition has at most 64 steps, and these are the rarest: step0, step1, step2, step67, step68, step69\n"
      ),
      "\(draft.errors)")
    try place.write(draft.output, to: "flow.json")
    #expect(try place.run("schema", "check", "flow.json").output == "ok flow.json todo/onboarding@1\n")
  }

  @Test func `the order of the lines does not change a draft`() throws {
    let place = try Workplace()
    try place.write(Self.log, to: "a.ndjson")
    try place.write(Self.log.split(separator: "\n").reversed().joined(separator: "\n"), to: "b.ndjson")
    let drafts = try ["a.ndjson", "b.ndjson"].map { try place.run("schema", "infer", $0, "--now", Workplace.now) }
    #expect(drafts[0].output == drafts[1].output && drafts[0].errors == drafts[1].errors)
  }

  @Test func `a log says where a definition does not fit`() throws {
    let place = try Workplace()
    let log = (0..<10).map { person in
      Self.event("b", person, at: person) + Self.event("a", person, at: person + 5)
        + Self.event("perm_push_authorized", person, at: person + 6)
        + (person == 0 ? Self.event("perm_push_frobnicated", person, at: person + 7) : "")
    }.joined()
    try place.write(log, to: "log.ndjson")
    try place.write(
      """
      {"app":"todo","flow":"x","version":1,"title":"X","window":"7d","count_by":"person",
       "steps":[{"id":"one","label":"1","entered_by":["a"]},{"id":"two","label":"2","entered_by":["b"]},
                {"id":"push","label":"P","permission":"push"}]}
      """, to: "x.json")
    let check = try place.run("schema", "check", "x.json", "--against", "log.ndjson", "--now", Workplace.now)
    #expect(check.status == 65)
    #expect(
      check.output == """
        ok x.json todo/x@1
        todo/x@1: step push: nobody enters it
        todo/x@1: step two: 10 of 10 subjects enter it before one, which comes first in the definition; swap them?
        todo: perm_push_authorized: 10 events, did you mean perm_push_granted?
        todo: perm_push_frobnicated: 1 event, not an answer that a flow declares for the permission

        """)
    #expect(check.errors == "funnel: 4 findings, fix the definitions or the app's logging, or map the names (--map)\n")
  }

  @Test func `a mapping of CSV guesses the columns and works as it is`() throws {
    let place = try Workplace()
    try place.write(
      "user_id,event_time,event_name,plan\na,1795168800,App Opened,free\nb,1795168900,App Opened,pro\n", to: "t.csv")
    let draft = try place.run("map", "init", "t.csv", "--app", "todo")
    #expect(
      draft.output == """
        {
          "from": "csv",
          "app": "todo",
          "subject": "user_id",
          "ts": "event_time",
          "name": "event_name",
          "props": {"plan": "plan"},
          "events": {
            "App Opened": {"name": "app_opened"}
          },
          "other_events": "keep"
        }

        """, "\(draft.errors)")
    try place.write(draft.output, to: "map.json")
    #expect(try place.ingest("t.csv", "--map", "map.json")["accepted"] as? Int == 2)
  }

  @Test func `funnel's own events need no mapping`() throws {
    let place = try Workplace()
    try place.write(Self.event("a", 1, at: 1), to: "log.ndjson")
    let run = try place.run("map", "init", "log.ndjson")
    #expect(run.status == 65)
    #expect(
      run.errors
        == "funnel: funnel's own events need no mapping, log.ndjson, use them as they are, or name another format with --from\n"
    )
  }
}
