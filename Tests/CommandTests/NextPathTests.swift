import Foundation
import FunnelTestSupport
import Testing

/// `funnel report next --before` and `--goal`: compared with a count by hand, event by event, over random logs.
@Suite struct NextPathTests {
  private struct Event {
    var name: String
    var subject: String
    var second: Int
  }

  private struct Question {
    var isBackwards: Bool
    var key: String
    var goal: String?
    var depth: Int
    /// The window in seconds.
    var window: Int
    /// The second of the first event that can be KEY, or `nil` for any.
    var since: Int?

    var arguments: [String] {
      [isBackwards ? "--before" : "--after", key, "--steps", "\(depth)", "--window", "\(window)s"]
        + (goal.map { ["--goal", $0] } ?? []) + (since.map { ["--since", NextPathTests.text($0)] } ?? [])
    }
  }

  private static let names = ["go", "look", "pay", "rate", "won"]
  private static let definition =
    #"{"app":"shop","flow":"buy","version":1,"window":"1d","steps":[{"id":"go","entered_by":["go"]},{"id":"won","entered_by":["won"]}],"events":{"look":{},"pay":{},"rate":{}}}"#

  fileprivate static func text(_ second: Int) -> String {
    Date(timeIntervalSince1970: Double(1_794_000_000 + second)).formatted(.iso8601)
  }

  private static func line(_ event: Event) -> String {
    #"{"name":"\#(event.name)","ts":"\#(text(event.second))","subject":"\#(event.subject)","app":"shop"}"# + "\n"
  }

  // MARK: - The count by hand

  /// Returns the branches of paths as nested objects, as the report prints them.
  private static func tree(_ paths: [(names: [String], isAtGoal: Bool, isCompleted: Bool)], of groups: Int, depth: Int)
    -> [NSObject]
  {
    guard depth > 0 else { return [] }
    let byHead = Dictionary(grouping: paths) { $0.names.first.map { name in "\(name)" } ?? "" }
    let order = byHead.keys.sorted { a, b in
      if a.isEmpty != b.isEmpty { return b.isEmpty }
      let (first, second) = (byHead[a]?.count ?? 0, byHead[b]?.count ?? 0)
      return first == second ? a < b : first > second
    }
    return order.map { head in
      let own = byHead[head] ?? []
      // All paths of a test name the goal by the same event, so a branch is a goal for all of them or for none.
      let isEnd = head.isEmpty || own.allSatisfy { $0.isAtGoal && $0.names.count == 1 }
      let rest = own.map { (names: Array($0.names.dropFirst()), isAtGoal: $0.isAtGoal, isCompleted: $0.isCompleted) }
      return [
        "event": head.isEmpty ? NSNull() : head as NSString, "count": own.count as NSNumber,
        "share": Double(own.count) / Double(groups) as NSNumber, "completed": own.count(where: \.isCompleted) as NSNumber,
        "next": (isEnd ? [] : tree(rest, of: own.count, depth: depth - 1)) as NSArray,
      ] as NSDictionary
    }
  }

  private static func row(_ events: [Event], _ question: Question) -> NSDictionary? {
    var paths: [(names: [String], isAtGoal: Bool, isCompleted: Bool)] = []
    var between: [String: (groups: Int, events: Int)] = [:]
    var reached = 0
    for (_, own) in Dictionary(grouping: events, by: \.subject) {
      let own = own.sorted { $0.second < $1.second }
      guard let start = own.firstIndex(where: { $0.name == question.key && $0.second >= question.since ?? 0 }) else { continue }
      let earlier = own[..<start].reversed().prefix { own[start].second - $0.second <= question.window }
      let later = own[(start + 1)...].prefix { $0.second - own[start].second <= question.window }
      let others = question.isBackwards ? Array(earlier) : Array(later)
      var names: [String] = []
      var passed: [String] = []
      var isAtGoal = false
      for event in others {
        isAtGoal = event.name == question.goal
        if isAtGoal || names.last != event.name { names.append(event.name) }
        if isAtGoal { break }
        passed.append(event.name)
      }
      // The chain: the first go, and the first won after it and within the window.
      let anchor = own.first { $0.name == "go" }
      let won = anchor.flatMap { go in
        own.first { $0.name == "won" && $0.second > go.second && $0.second <= go.second + question.window }
      }
      let isCompleted = won.map { $0.second > own[start].second && $0.second <= own[start].second + question.window } ?? false
      paths.append((Array(names.prefix(question.depth)), isAtGoal && names.count <= question.depth, isCompleted))
      guard isAtGoal else { continue }
      reached += 1
      for name in passed { between[name, default: (0, 0)].events += 1 }
      for name in Set(passed) { between[name, default: (0, 0)].groups += 1 }
    }
    guard !paths.isEmpty else { return nil }
    var row: [String: Any] = [
      "app": "shop", "flow": "buy", "version": 1, "by": [:] as NSDictionary, "groups": paths.count,
      "completed": paths.count(where: \.isCompleted), "next": tree(paths, of: paths.count, depth: question.depth),
    ]
    if question.goal != nil {
      row["reached_goal"] = reached
      row["between"] = between.sorted { a, b in
        a.value.events == b.value.events ? a.key < b.key : a.value.events > b.value.events
      }
      .map { ["event": $0.key, "groups": $0.value.groups, "events": $0.value.events] as NSDictionary }
    }
    return row as NSDictionary
  }

  // MARK: - Tests

  @Test(arguments: Sweeps.seeds(8, sample: 2))
  func `paths are those that a count by hand finds`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let place = try Workplace()
    try place.write(Self.definition, to: "schemas/shop.buy.v1.json")
    for round in 0..<2 {
      // Each event of a subject has its own second, so that their order is certain.
      let seconds = Array(0..<400).shuffled(using: &random).prefix(150)
      let events = seconds.map {
        Event(
          name: Self.names.randomElement(using: &random) ?? "go", subject: "s\(Int.random(in: 0..<20, using: &random))",
          second: $0)
      }
      let log = "log\(round).ndjson"
      try place.write(events.map(Self.line).joined(), to: log)
      let ingest = try place.run("ingest", log, "--store", "store\(round)", "--schemas", "schemas", "--now", Self.text(1000))
      #expect(ingest.status == 0, "\(ingest.errors)")
      for _ in 0..<8 {
        let question = Question(
          isBackwards: Bool.random(using: &random), key: Self.names.randomElement(using: &random) ?? "go",
          goal: Int.random(in: 0..<3, using: &random) == 0 ? nil : Self.names.randomElement(using: &random),
          depth: Int.random(in: 1...5, using: &random), window: Int.random(in: 1...200, using: &random),
          since: Bool.random(using: &random) ? Int.random(in: 0..<300, using: &random) : nil)
        let expected = Self.row(events, question)
        let ofFile = try next(question, place, log)
        #expect(try Self.json(ofFile.row) == Self.json(expected), "\(question) \(ofFile.text)")
        let ofStore = try next(question, place, "--store", "store\(round)")
        #expect(ofStore.text == ofFile.text, "\(question)")
      }
    }
  }

  /// Returns a row as text with its keys in order.
  private static func json(_ row: NSDictionary?) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: row ?? [:], options: .sortedKeys), as: UTF8.self)
  }

  private func next(_ question: Question, _ place: Workplace, _ input: String...) throws -> (row: NSDictionary?, text: String) {
    let run = try FunnelRun(
      arguments: ["report", "next", "--format", "json", "--schemas", "schemas", "--now", Self.text(1000)] + question.arguments
        + input, directory: place.url)
    let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    return ((json?["next"] as? [NSDictionary])?.first, run.output)
  }

  @Test func `a path backwards up to a goal, as a table, as CSV, and after a merge of states`() throws {
    let place = try Workplace()
    let log =
      LogLine.completedRun("s1") + LogLine.completedRun("s2", at: 100)
      + LogLine.event("perm_flow_start", "s3", at: 200) + LogLine.event("perm_photos_pre_prompt_shown", "s3", at: 201)
    try place.write(log, to: "log.ndjson")
    let words = ["next", "--before", "perm_flow_completed", "--goal", "step:start", "log.ndjson", "--now", Workplace.now]
    let table = try FunnelRun(arguments: ["report"] + words, directory: place.url)
    #expect(table.status == 0 && table.errors == "")
    #expect(
      table.output.contains("Before perm_flow_completed") && table.output.contains("2 had step:start before"), "\(table.output)"
    )
    #expect(table.output.contains("Between step:start and"), "\(table.output)")
    let csv = try FunnelRun(arguments: ["report"] + words + ["--format", "csv"], directory: place.url)
    #expect(
      csv.output.hasPrefix(
        "app,flow,version,groups,level,path,event,count,share,completed,between,reached_goal,as_of,since,until\n")
        || csv.output.contains(",between,reached_goal,"), "\(csv.output)")
    let json = try FunnelRun(arguments: ["report"] + words + ["--format", "json"], directory: place.url)
    #expect(json.output.contains(#""before":"perm_flow_completed","goal":"step:start","steps":3}"#), "\(json.output)")
    #expect(try FunnelRun(arguments: ["fold"] + words + ["--state", "a.state"], directory: place.url).status == 0)
    let merged = try FunnelRun(arguments: ["merge", "next", "a.state", "--format", "json"], directory: place.url)
    #expect(merged.output == json.output, "\(merged.errors)")
  }

  @Test(arguments: [
    (["report", "next", "--before", "a", "--after", "b"], "both --after and --before, give one of them"),
    (
      ["report", "next", "--goal", "a"],
      "next needs --after or --before, no event given, name one as in: funnel report next --after step:welcome"
    ),
    (
      ["report", "funnel", "--goal", "a"],
      "--goal is only for next, --goal a, write: funnel report next --after KEY --goal a"
    ),
    (["report", "funnel", "--before", "a"], "--before is only for next, --before a, write: funnel report next --before a"),
  ])
  func `every mistake is one line that says what to write instead`(arguments: [String], message: String) throws {
    let place = try Workplace()
    let run = try FunnelRun(arguments: arguments, directory: place.url)
    #expect((run.status, run.errors) == (64, "funnel: \(message)\n"))
  }
}
