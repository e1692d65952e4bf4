import Foundation
import Testing

/// `funnel schema infer`: which step is the goal, and what is said where no step can be.
@Suite struct DraftGoalTests {
  let place: Workplace

  init() throws { place = try Workplace() }

  /// Writes a log in which each person has some events, a minute apart.
  private func write(_ people: [[String]]) throws {
    let lines = people.enumerated().flatMap { number, names in
      names.enumerated().map { minute, name in
        #"{"name":"\#(name)","ts":\#(1_795_168_800_000 + number * 1000 + minute * 60_000),"subject":"u\#(number)","app":"x"}"#
      }
    }
    try place.write(lines.joined(separator: "\n") + "\n", to: "log.ndjson")
  }

  private func infer(_ options: String...) throws -> FunnelRun {
    try FunnelRun(arguments: ["schema", "infer", "log.ndjson", "--now", Workplace.now] + options, directory: place.url)
  }

  private func report() throws -> FunnelRun {
    try place.run("report", "funnel", "log.ndjson", "--schemas", "flows", "--now", Workplace.now)
  }

  @Test(arguments: [
    "session_end", "end_session", "close", "app_close", "logout", "user_logged_out", "app_background",
    "app_did_enter_background",
    "sign_out", "exit", "session_timeout", "logout_clicked", "pageleave",
  ])
  func `a step that ends the visit is neither the goal nor required`(name: String) throws {
    try write(
      (0..<40).map { number in
        ["open"] + (number < 30 ? ["signup"] : []) + (number < 12 ? ["paid"] : []) + [name]
      })
    let draft = try infer()
    #expect(draft.status == 0, "\(draft.errors)")
    #expect(
      draft.output.contains(
        """
        "steps":[{"id":"open","label":"Open","entered_by":["open"]},
                  {"id":"signup","label":"Signup","entered_by":["signup"]},
        """), "\(draft.output)")
    #expect(draft.output.contains(#""entered_by":["\#(name)"],"optional":true}"#), "\(draft.output)")
    #expect(draft.output.contains(#"{"id":"paid","label":"Paid","entered_by":["paid"]}]"#), "\(draft.output)")
    #expect(
      draft.errors.contains(
        "# \(name) ends a visit, so it is optional and not the goal; --goal \(name) makes it the goal\n"), "\(draft.errors)")
    try place.write(draft.output, to: "flows/x.json")
    let run = try report()
    #expect(run.output.contains("40 entered -> 12 completed"), "\(run.output)\(run.errors)")
  }

  @Test(arguments: ["ticket_closed", "closed", "end", "case_end", "session_completed", "application_closed"])
  func `a step that ends something else may be the goal`(name: String) throws {
    try write((0..<40).map { number in ["open", "assign"] + (number < 12 ? [name] : []) })
    let draft = try infer()
    #expect(draft.status == 0 && draft.output.contains(#""entered_by":["\#(name)"]}]"#), "\(draft.output)\(draft.errors)")
  }

  @Test(arguments: [
    "subscription_cancelled", "delete_account", "unsubscribe", "refund_issued", "uninstalled", "item_removed", "churn",
  ])
  func `a step that undoes something is not the goal`(name: String) throws {
    try write(
      (0..<40).map { number in
        ["open"] + (number < 30 ? ["signup"] : []) + (number < 20 ? ["paid"] : []) + (number < 8 || number > 35 ? [name] : [])
      })
    let draft = try infer()
    #expect(draft.status == 0, "\(draft.errors)")
    #expect(draft.output.contains(#"{"id":"paid","label":"Paid","entered_by":["paid"]}]"#), "\(draft.output)")
    #expect(draft.output.contains(#"{"id":"signup","label":"Signup","entered_by":["signup"]},"#), "\(draft.output)")
    #expect(draft.errors.contains("# \(name) undoes something, so it is not the goal; --goal \(name) makes it the goal\n"))
    try place.write(draft.output, to: "flows/x.json")
    let run = try report()
    #expect(run.output.contains("40 entered -> 20 completed"), "\(run.output)\(run.errors)")
    let named = try infer("--goal", name)
    #expect(named.output.contains(#""entered_by":["\#(name)"]}]"#) && named.status == 0, "\(named.output)\(named.errors)")
  }

  @Test func `where only undoing can be the goal, the draft stops with that decision`() throws {
    try write((0..<20).map { $0 < 8 ? ["open", "delete_account"] : ["open"] })
    let draft = try infer()
    #expect(
      draft.status == 65
        && draft.errors.contains(
          "funnel: the goal is delete_account, which undoes something, because no other step can be it: name the goal with --goal"
        ),
      "\(draft.errors)")
    let named = try infer("--goal", "delete_account")
    #expect(
      named.status == 0 && named.output.contains(#"{"id":"open","label":"Open","entered_by":["open"]},"#), "\(named.errors)")
  }

  @Test func `a goal that few have can be named, and one that nobody has is an error`() throws {
    try write((0..<40).map { ["open", "signup"] + ($0 == 7 ? ["paid"] : []) })
    #expect(try infer("--goal", "paid").output.contains(#"{"id":"paid","label":"Paid","entered_by":["paid"]}]"#))
    let run = try infer("--goal", "pad")
    #expect(
      run.status == 64 && run.errors.contains("no step pad, given with --goal, did you mean paid?"), "\(run.errors)")
  }

  @Test func `a report and a check say that a flow with one required step is completed by all`() throws {
    try write((0..<40).map { number in ["open"] + (number % 2 == 0 ? ["a", "b"] : ["b"]) + ["session_end"] })
    let draft = try infer()
    try place.write(
      """
      {"app":"x","flow":"f","version":1,"title":"F","window":"7d","steps":[
        {"id":"a","label":"A","entered_by":["a"],"optional":true},{"id":"open","label":"Open","entered_by":["open"]}]}
      """, to: "flows/f.json")
    let sentence =
      "x/f@1: every person completes: open is the only required step, and the conversion says nothing; make the steps that matter required"
    let run = try report()
    #expect(run.errors.contains(sentence) && run.output.contains("every person completes"), "\(run.output)\(run.errors)")
    let json = try place.run(
      "report", "funnel", "log.ndjson", "--schemas", "flows", "--format", "json", "--now", Workplace.now)
    #expect(json.errors.contains(sentence), "\(json.errors)")
    let check = try place.run("schema", "check", "flows", "--against", "log.ndjson", "--now", Workplace.now)
    #expect(
      check.output.contains(
        "step open: the only required step, so whoever enters it completes; remove \"optional\" from the steps that matter"),
      "\(check.output)\(draft.errors)")
  }

  @Test func `alternatives are told once, with a list`() throws {
    try write(
      (0..<40).map { number in
        ["open", number % 2 == 0 ? "mail" : "phone", number % 3 == 0 ? "card" : "paypal", "done"]
      })
    let draft = try infer()
    #expect(draft.errors.components(separatedBy: "alternatives").count == 2, "\(draft.errors)")
    #expect(
      draft.errors.contains("make one step of both: mail or phone, card or paypal")
        || draft.errors.contains("make one step of both: card or paypal, mail or phone"), "\(draft.errors)")
  }

  @Test(arguments: [
    "rejected", "application_declined", "deal_lost", "lost_reason", "payment_failed", "trial_expired", "paywall_dismissed",
    "withdrawn", "closed_lost", "voided", "bounced", "refused", "disqualified", "no_show", "abgelehnt", "timed_out",
  ])
  func `a failure or a refusal is not the goal, however many end there`(name: String) throws {
    try write(
      (0..<40).map { number in
        ["brief", "quote", "visit_site"] + (number % 4 == 0 ? ["contract"] : [name])
      })
    let draft = try infer()
    #expect(draft.status == 0, "\(draft.errors)")
    #expect(draft.output.contains(#"{"id":"contract","label":"Contract","entered_by":["contract"]}]"#), "\(draft.output)")
    #expect(draft.output.contains(#"{"id":"quote","label":"Quote","entered_by":["quote"]},"#), "\(draft.output)")
    #expect(draft.output.contains(#""entered_by":["\#(name)"],"optional":true}"#), "\(draft.output)")
    #expect(
      draft.errors.contains(
        "# \(name) reads as a failure or a refusal, so it is not the goal; --goal \(name) makes it the goal\n"),
      "\(draft.errors)")
    try place.write(draft.output, to: "flows/x.json")
    let run = try report()
    #expect(run.output.contains("40 entered -> 10 completed"), "\(run.output)\(run.errors)")
  }

  @Test func `where only a refusal can be the goal, the draft stops with that decision`() throws {
    try write((0..<20).map { $0 < 8 ? ["request", "refused"] : ["request"] })
    let draft = try infer()
    #expect(
      draft.status == 65
        && draft.errors.contains(
          "funnel: the goal is refused, which reads as a failure or a refusal, because no other step can be it"),
      "\(draft.errors)")
  }

  @Test(arguments: [
    "session", "daily_active", "screen_view", "return_visit", "launch", "open", "active", "user_engagement", "scroll",
  ])
  func `a visit after all else is not the goal`(name: String) throws {
    try write(
      (0..<40).map { number in
        ["landing"] + (number < 30 ? ["register"] : []) + (number < 10 ? ["order"] : []) + (number < 30 ? [name] : [])
      })
    let draft = try infer()
    #expect(draft.status == 0, "\(draft.errors)")
    #expect(draft.output.contains(#"{"id":"order","label":"Order","entered_by":["order"]}]"#), "\(draft.output)")
    #expect(
      draft.errors.contains(
        "# \(name) comes with each visit, so it is not the goal, and order is; --goal \(name) makes it the goal\n"),
      "\(draft.errors)")
  }

  @Test func `a state that is named like a visit is the goal if all else comes before it`() throws {
    try write((0..<40).map { number in ["draft", "review"] + (number < 12 ? ["launch"] : []) })
    let draft = try infer()
    #expect(draft.output.contains(#"{"id":"launch","label":"Launch","entered_by":["launch"]}]"#), "\(draft.output)")
    #expect(!draft.errors.contains("with each visit"), "\(draft.errors)")
    try write((0..<40).map { number in ["new", "open"] + (number < 12 ? ["answered"] : []) })
    let tickets = try infer()
    #expect(tickets.output.contains(#""entered_by":["answered"]}]"#), "\(tickets.output)")
    #expect(!tickets.errors.contains("with each visit"), "\(tickets.errors)")
  }

  @Test func `a step that is optional because of an outcome is told`() throws {
    try write(
      (0..<40).map { number in
        switch number % 4 {
        case 0: ["applied", "interview", "hired"]
        case 1: ["applied", "interview", "parked"]
        default: ["applied", "parked"]
        }
      })
    let draft = try infer()
    #expect(
      draft.errors.contains(
        "interview is optional only because nearly everybody stops at parked: if that is an outcome, such as a rejection, "
          + "move it from the steps to the outcomes, and make interview required"), "\(draft.errors)")
  }

  @Test(arguments: ["purchase", "subscribed", "order_completed", "hired", "paid"])
  func `a good end that few reach after all else is the goal`(name: String) throws {
    try write(
      (0..<60).map { number in
        ["look"] + (number < 20 ? ["basket"] : []) + (number < 2 ? [name] : []) + (number == 30 ? ["help"] : [])
      })
    let draft = try infer()
    #expect(draft.status == 0, "\(draft.errors)")
    #expect(draft.output.contains(#""entered_by":["basket"]},"#), "\(draft.output)")
    #expect(draft.output.contains(#""entered_by":["\#(name)"]}]"#), "\(draft.output)")
    #expect(
      draft.errors.contains(
        "# \(name) (2): fewer than 5 % of the subjects have it, kept as it comes after all else and is named like a good end\n"),
      "\(draft.errors)")
    #expect(draft.errors.contains("# left out, as fewer than 5 % of the subjects have them: help (1)\n"), "\(draft.errors)")
    try place.write(draft.output, to: "flows/x.json")
    let run = try report()
    #expect(run.output.contains("60 entered -> 2 completed"), "\(run.output)\(run.errors)")
  }

  @Test func `another rare step after the goal is told`() throws {
    try write(
      (0..<60).map { number in
        ["look"] + (number < 20 ? ["basket"] : []) + (number < 2 ? ["survey"] : []) + (number > 57 ? ["purchase"] : [])
      })
    let draft = try infer()
    #expect(draft.output.contains(#""entered_by":["basket"]}]"#), "\(draft.output)")
    #expect(
      draft.errors.contains(
        "# survey (2) comes after basket, the goal, but fewer than 5 % of the subjects have it; --goal survey makes it the goal\n"
      ),
      "\(draft.errors)")
    #expect(
      draft.errors.contains("# left out, as fewer than 5 % of the subjects have them: purchase (2)\n"),
      "a purchase without what comes before it is no goal: \(draft.errors)")
  }

  @Test func `a goal that people have again and again is told, because it may come with each visit`() throws {
    func line(_ name: String, _ person: Int, hour: Int) -> String {
      #"{"name":"\#(name)","ts":\#(1_795_168_800_000 + hour * 3_600_000 + person),"subject":"u\#(person)","app":"x"}"# + "\n"
    }
    var log = ""
    for person in 0..<20 {
      log += line("landing", person, hour: 0) + line("register", person, hour: 1)
      if person < 8 { log += line("order", person, hour: 2) }
      for day in 0..<5 { log += line("feed", person, hour: 3 + day * 24) }
    }
    try place.write(log, to: "log.ndjson")
    let draft = try FunnelRun(
      arguments: ["schema", "infer", "log.ndjson", "--now", "2026-12-20T12:00:00Z"], directory: place.url)
    #expect(
      draft.errors.contains(
        "# 20 of the 20 subjects who reach feed, the goal, have it again and again, also a day after all other steps: "
          + "if it comes with each visit, name another goal with --goal\n"), "\(draft.errors)")
    let named = try FunnelRun(
      arguments: ["schema", "infer", "log.ndjson", "--now", "2026-12-20T12:00:00Z", "--goal", "order"], directory: place.url)
    #expect(!named.errors.contains("again and again"), "\(named.errors)")
  }

  @Test func `what people do again and again after a step named like a good end is optional and not the goal`() throws {
    try write(
      (0..<40).map { number in
        let use = number < 20 ? ["onboarding_completed"] + Array(repeating: "feature_used", count: 5) : []
        return ["welcome"] + (number < 32 ? ["profile"] : []) + use
      })
    let draft = try infer()
    #expect(
      draft.output.contains(
        #"{"id":"onboarding_completed","label":"Onboarding completed","entered_by":["onboarding_completed"]}]"#),
      "\(draft.output)")
    #expect(draft.output.contains(#""entered_by":["feature_used"],"optional":true}"#), "\(draft.output)")
    #expect(
      draft.errors.contains(
        "# feature_used comes again and again, so it is not the goal, and onboarding_completed is; --goal feature_used makes it the goal\n"
      ), "\(draft.errors)")
    try place.write(draft.output, to: "flows/x.json")
    let run = try report()
    #expect(run.output.contains("40 entered -> 20 completed"), "\(run.output)\(run.errors)")
    let named = try infer("--goal", "feature_used")
    #expect(named.output.contains(#""entered_by":["feature_used"]}]"#), "\(named.output)")
  }
}
