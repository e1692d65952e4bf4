import Foundation
import Testing

/// What `funnel report` says of other people's files beside their numbers: late steps, order, duplicates.
@Suite struct LogNotesTests {
  let place: Workplace

  init() throws {
    place = try Workplace()
    try place.write(
      #"{"from":"csv","app":"x","subject":"who","ts":"at","name":"what","props":{"plan":"plan"}}"#, to: "m.json")
  }

  /// Writes a table of people, names and times.
  private func write(_ rows: [(who: String, what: String, at: String)]) throws {
    try place.write(
      "who,what,at,plan\n" + rows.map { "\($0.who),\($0.what),\($0.at),free\n" }.joined(), to: "t.csv")
  }

  private func report(_ options: String...) throws -> FunnelRun {
    try FunnelRun(
      arguments: ["report", "funnel", "t.csv", "--map", "m.json", "--now", "2026-12-20"] + options, directory: place.url)
  }

  /// Forty people who sign up. Twenty pay on the next day, twelve after 12 to 23 days.
  private var payments: [(who: String, what: String, at: String)] {
    (0..<40).flatMap { number -> [(who: String, what: String, at: String)] in
      let start = ("u\(number)", "signup", "2026-10-01T10:00:00Z")
      if number < 20 { return [start, ("u\(number)", "paid", "2026-10-02T10:00:00Z")] }
      return number < 32 ? [start, ("u\(number)", "paid", "2026-10-\(number - 7)T10:00:00Z")] : [start]
    }
  }

  @Test func `steps after the window of an ad-hoc funnel are told, with the window that counts them`() throws {
    try write(payments)
    let sentence =
      "x/adhoc@1: 12 people took the next step more than 7d after the first one and are not counted there, because --steps without "
      + "--window has a window of 7d: "
      + "12 paid; --window 30d counts them"
    let run = try report("--steps", "signup,paid")
    #expect(run.output.contains("40 entered -> 20 completed") && run.errors.contains(sentence), "\(run.output)\(run.errors)")
    #expect(try report("--steps", "signup,paid", "--format", "json").errors.contains(sentence))
    for options in [["--window", "7d"], ["--window", "30d"], ["--order", "any"]] {
      let other = try FunnelRun(
        arguments: ["report", "funnel", "t.csv", "--map", "m.json", "--now", "2026-12-20", "--steps", "signup,paid"] + options,
        directory: place.url)
      #expect(!other.errors.contains("took the next step more than"), "\(other.errors)")
    }
    let wide = try report("--steps", "signup,paid", "--window", "30d")
    #expect(wide.output.contains("40 entered -> 32 completed"), "\(wide.output)")
  }

  @Test func `steps after the window of a definition are told too, unless an option names the window`() throws {
    try write(payments)
    try place.write(Self.definition(window: "7d"), to: "flows/f.json")
    let sentence =
      "x/f@1: 12 people took the next step more than 7d after the first one and are not counted there, because the window of the "
      + "definition is 7d: 12 paid; --window 30d counts them"
    let run = try report("--schemas", "flows")
    #expect(run.output.contains("40 entered -> 20 completed"), "\(run.output)\(run.errors)")
    #expect(try report("--schemas", "flows", "--format", "json").errors.contains(sentence))
    #expect(!(try report("--schemas", "flows", "--window", "7d").errors.contains("took the next step more than")))
    // Two may come late by chance, and a definition is chosen.
    try write(Array(payments.prefix(20 * 2 + 2 * 2)))
    #expect(!(try report("--schemas", "flows").errors.contains("took the next step more than")))
  }

  @Test func `a short window is compared with hours`() throws {
    try write(
      (0..<20).flatMap { number -> [(who: String, what: String, at: String)] in
        [("u\(number)", "signup", "2026-10-01T10:00:00Z"), ("u\(number)", "paid", "2026-10-01T13:00:00Z")]
      })
    try place.write(Self.definition(window: "30m"), to: "flows/f.json")
    let run = try report("--schemas", "flows", "--format", "json")
    #expect(
      run.errors.contains("because the window of the definition is 30m: 20 paid; --window 6h counts them"), "\(run.errors)")
  }

  private static func definition(window: String) -> String {
    """
    {"app":"x","flow":"f","version":1,"title":"F","window":"\(window)","steps":[
      {"id":"signup","label":"S","entered_by":["signup"]},{"id":"paid","label":"P","entered_by":["paid"]}]}
    """
  }

  @Test func `a state that is merged tells late steps too`() throws {
    try write(payments)
    let fold = try place.run(
      "fold", "t.csv", "--map", "m.json", "--now", "2026-12-20", "--steps", "signup,paid", "--state", "a.state")
    #expect(fold.status == 0, "\(fold.errors)")
    let merged = try place.run("merge", "a.state", "funnel")
    #expect(merged.output == (try report("--steps", "signup,paid")).output, "\(merged.output)\(merged.errors)")
    #expect(merged.output.contains("12 people took the next step"), "\(merged.output)")
  }

  @Test func `a table that is sorted newest first is told if records have equal times`() throws {
    let oldestFirst: [(who: String, what: String, at: String)] = (0..<40).map { number in
      ("u\(number / 2)", number % 2 == 0 ? "signup" : "paid", "2026-10-\(number / 2 + 10)T10:00:00Z")
    }
    try write(oldestFirst)
    #expect(!(try report("--steps", "signup,paid").errors.contains("newest first")))
    try write(Array(oldestFirst.reversed()))
    let sentence =
      "t.csv is sorted newest first: 20 records with the time of the record before are taken in the order of the file, "
      + "which is likely the reverse of what happened; sort the input oldest first, with "
      + "(head -n 1 't.csv'; tail -n +2 't.csv' | tac) > oldest_first.csv if each record is one line"
    for threads in ["1", "2"] {
      let run = try report("--steps", "signup,paid", "--threads", threads)
      #expect(run.errors.contains(sentence), "\(run.errors)")
    }
    let ingest = try place.run("ingest", "t.csv", "--map", "m.json", "--now", "2026-12-20")
    #expect(ingest.errors.contains(sentence), "\(ingest.errors)")
  }

  @Test func `a table that is sorted newest first is not told if each record has its own time`() throws {
    try write((0..<40).map { ("u\($0 / 2)", $0 % 2 == 0 ? "paid" : "signup", "2026-10-10T10:\(59 - $0):00Z") })
    #expect(!(try report("--steps", "signup,paid").errors.contains("newest first")))
  }

  @Test func `equal records are counted, unless their ids tell that they are one`() throws {
    try write(payments + payments.prefix(3))
    let run = try report("--steps", "signup,paid")
    #expect(
      run.errors.contains(
        #"3 records equal others and were counted once; an "id" in the mapping would tell them apart"#), "\(run.errors)")
    try place.write(
      #"{"from":"csv","app":"x","subject":"who","ts":"at","name":"what","id":"who","props":{"plan":"plan"}}"#, to: "m.json")
    #expect(!(try report("--steps", "signup,paid").errors.contains("equal others")))
  }

  @Test func `a report of listed steps says nothing of other events and other ids`() throws {
    try write(payments + (0..<60).map { ("v\($0)", "paid", "2026-10-05T10:00:00Z") })
    let run = try report("--steps", "signup,paid")
    #expect(!run.errors.contains("no flow declares") && !run.errors.contains("id of the person"), "\(run.errors)")
    #expect(!run.errors.contains("no other column looks like an id"), "\(run.errors)")
  }
}
