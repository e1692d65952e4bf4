import Foundation
import Testing

/// `funnel schema infer`: what is said about steps in either order, about subjects after the window, and about the end of a ticket.
@Suite struct DraftOrderTests {
  let place: Workplace

  init() throws { place = try Workplace() }

  /// Writes a log in which each subject has some events, a number of minutes apart.
  private func write(_ subjects: [[String]], minutesApart: (Int) -> Int = { _ in 10 }) throws {
    let rows = subjects.enumerated().flatMap { number, names in
      names.enumerated().map { index, name in
        let milliseconds = 1_793_491_200_000 + number * 1000 + index * minutesApart(number) * 60_000
        return #"{"name":"\#(name)","ts":\#(milliseconds),"subject":"c\#(number)","app":"x"}"#
      }
    }
    try place.write(rows.joined(separator: "\n") + "\n", to: "log.ndjson")
  }

  private func infer(_ options: String...) throws -> FunnelRun {
    try FunnelRun(arguments: ["schema", "infer", "log.ndjson", "--now", "2026-12-20"] + options, directory: place.url)
  }

  private func report(_ options: String...) throws -> FunnelRun {
    try FunnelRun(
      arguments: ["report", "funnel", "log.ndjson", "--schemas", "flows", "--now", "2026-12-20"] + options,
      directory: place.url)
  }

  /// Forty cases that pay and get a letter, in either order.
  private var cases: [[String]] {
    (0..<40).map { $0 % 2 == 0 ? ["register", "letter", "pay", "close_case"] : ["register", "pay", "letter", "close_case"] }
  }

  @Test func `an optional step that comes in either order is told, with a remedy that counts all`() throws {
    try write(cases)
    let draft = try infer()
    #expect(draft.output.contains(#""entered_by":["letter"],"optional":true}"#), "\(draft.output)")
    #expect(
      draft.errors.contains(
        "# letter and pay come in either order (20 and 20), and all 40 subjects who have one of them have both: "
          + "letter counts only those who have it before pay; make pay optional too, and each counts in either order, "
          + "or make letter required and use --order any\n"), "\(draft.errors)")
    #expect(
      draft.errors.contains("# all 40 subjects who have register reach close_case, so the draft converts 100 %\n"),
      "\(draft.errors)")
    let both = draft.output.replacing(#""entered_by":["pay"]"#, with: #""entered_by":["pay"],"optional":true"#)
    try place.write(both, to: "flows/x.json")
    let run = try report("--format", "json")
    #expect(!run.output.contains(#""reached":20"#) && !run.errors.contains("in another order"), "\(run.output)\(run.errors)")
  }

  @Test func `a report tells how many had an optional step in another order`() throws {
    try write(cases)
    try place.write(try infer().output, to: "flows/x.json")
    let sentence =
      "x/onboarding@1: letter counts 20 people, and 20 more had it in another order, after pay: "
      + "make pay optional too, and letter counts in either order, or make letter required and use --order any\n"
    #expect(try report("--format", "json").errors.contains(sentence))
    #expect(try report().output.contains("letter counts 20 people, and 20 more had it in another order"))
    #expect(!(try report("--order", "any").errors.contains("in another order")))
    #expect(try report("--by", "weekday", "--format", "json").errors.contains(sentence), "all segments count together")
    // A step before the first one after it counts, and so does one after the goal.
    try write((0..<40).map { $0 % 2 == 0 ? ["register", "pay", "close_case", "letter"] : ["register", "letter", "pay"] })
    try place.write(
      """
      {"app":"x","flow":"onboarding","version":1,"title":"F","window":"7d","steps":[
        {"id":"register","label":"R","entered_by":["register"]},{"id":"pay","label":"P","entered_by":["pay"]},
        {"id":"letter","label":"L","entered_by":["letter"],"optional":true},
        {"id":"close_case","label":"C","entered_by":["close_case"]}]}
      """, to: "flows/x.json")
    #expect(
      try report("--format", "json").errors.contains(
        "x/onboarding@1: letter counts 20 people, and 20 more had it in another order, before pay: make pay optional too"))
  }

  @Test func `a few in another order are not told`() throws {
    try write(
      (0..<40).map { ["register"] + ($0 < 4 ? ["pay", "letter"] : ["letter", "pay"]) + ["close_case"] })
    try place.write(
      """
      {"app":"x","flow":"onboarding","version":1,"title":"F","window":"7d","steps":[
        {"id":"register","label":"R","entered_by":["register"]},
        {"id":"letter","label":"L","entered_by":["letter"],"optional":true},
        {"id":"pay","label":"P","entered_by":["pay"]},{"id":"close_case","label":"C","entered_by":["close_case"]}]}
      """, to: "flows/x.json")
    let run = try report("--format", "json")
    #expect(run.output.contains(#""reached":36"#) && !run.errors.contains("in another order"), "\(run.output)\(run.errors)")
  }

  @Test func `an optional step that people lack is no step in either order`() throws {
    try write(
      (0..<40).map { number in
        ["register"] + (number % 4 == 0 ? ["letter"] : []) + ["pay", "close_case"]
      })
    let draft = try infer()
    #expect(draft.output.contains(#""entered_by":["letter"],"optional":true}"#), "\(draft.output)")
    #expect(!draft.errors.contains("in either order"), "\(draft.errors)")
    #expect(draft.errors.contains("are optional steps such as letter what matters?"), "\(draft.errors)")
  }

  @Test func `pairs in either order are told up to three, and the others are counted`() throws {
    // Five steps in all rotations: each of the first four is optional.
    try write(
      (0..<50).map { number in
        ["begin"] + (0..<5).map { "part_\(($0 + number) % 5)" } + ["finish"]
      })
    let errors = try infer().errors
    #expect(errors.components(separatedBy: "come in either order").count == 4, "\(errors)")
    #expect(errors.contains("# the same applies to 1 more optional step\n"), "\(errors)")
  }

  @Test func `those who reach the goal after the drafted window are told`() throws {
    try write((0..<100).map { _ in ["ordered", "delivered"] }, minutesApart: { ($0 < 3 ? 9 : 3) * 24 * 60 })
    let draft = try infer()
    #expect(draft.output.contains(#""window":"7d""#), "\(draft.output)")
    #expect(
      draft.errors.contains(
        "# window 7d: 3 of 100 subjects who reach delivered do so more than 7 days after ordered, and do not count; "
          + "window 14d counts them\n"), "\(draft.errors)")
  }

  @Test func `a longer drafted window tells why, and whom it does not count`() throws {
    try write((0..<100).map { _ in ["ordered", "delivered"] }, minutesApart: { ($0 < 1 ? 20 : 9) * 24 * 60 })
    let draft = try infer()
    #expect(
      draft.errors.contains(
        "# window 14d: 100 of 100 subjects who reach delivered do so more than 7 days after ordered\n"
          + "# window 14d: 1 of 100 subjects who reach delivered do so more than 14 days after ordered, and does not count; "
          + "window 30d counts it\n"), "\(draft.errors)")
  }

  @Test(arguments: ["close", "exit"])
  func `the end of a ticket is the goal although only half have it`(name: String) throws {
    try write((0..<40).map { ["open", "assess"] + ($0 < 20 ? [name] : []) })
    let draft = try infer()
    #expect(
      draft.status == 0 && draft.output.contains(#"{"id":"assess","label":"Assess","entered_by":["assess"]},"#)
        && draft.output.contains(#""entered_by":["\#(name)"]}]"#), "\(draft.output)\(draft.errors)")
    #expect(
      draft.errors.contains(
        "# the goal is \(name), because 20 subjects have it, once and after all else; --goal assess names another one\n"),
      "\(draft.errors)")
    try place.write(draft.output, to: "flows/x.json")
    let run = try report()
    #expect(run.output.contains("40 entered -> 20 completed"), "\(run.output)\(run.errors)")
    #expect(try infer("--goal", "assess").output.contains(#""entered_by":["assess"]}]"#))
  }

  @Test func `a logout of half, a close that comes again and one before the goal are not the goal`() throws {
    let ends: [[String]] = [["logout"], ["close", "close"], ["app_close"]]
    for end in ends {
      try write((0..<40).map { ["open", "assess"] + ($0 < 20 ? end : []) })
      let draft = try infer()
      #expect(draft.output.contains(#""entered_by":["assess"]}]"#), "\(draft.output)")
      #expect(draft.errors.contains("\(end[0]) ends a visit, so it is optional and not the goal"), "\(draft.errors)")
    }
    try write((0..<40).map { $0 < 20 ? ["open", "start", "close"] : ["open", "start", "assess"] })
    #expect(try infer().output.contains(#""entered_by":["assess"]}]"#))
  }

  @Test func `a step named like a good end stays the goal before a close`() throws {
    try write((0..<40).map { ["look", "basket"] + ($0 < 20 ? ["paid"] : []) + ($0 < 10 ? ["close"] : []) })
    #expect(try infer().output.contains(#""entered_by":["paid"]}]"#))
  }
}
