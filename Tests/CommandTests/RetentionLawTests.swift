import Foundation
import FunnelTestSupport
import Testing

/// Compares `funnel report retention` with a count by hand, event by event, over random logs and options.
@Suite struct RetentionLawTests {
  private struct Event {
    var app: String
    var name: String
    var subject: String
    var attempt: String?
    var variant: String?
    var milliseconds: Int64
  }

  private struct Flow {
    let app: String
    let name: String
    let first: String
    let last: String
    let windowDays: Int64
  }

  private struct Question {
    var every = "week"
    var zone = "UTC"
    var periods = 3
    var start = "entered"
    var returns: [String] = []
    var unit = "person"
    var isByVariant = false
    var isMature = false
    var since: Int64?

    var arguments: [String] {
      ["--every", every, "--tz", zone, "--periods", "\(periods)", "--from", start, "--count-by", unit]
        + returns.flatMap { ["--return", $0] } + (isByVariant ? ["--by", "ctx.variant"] : []) + (isMature ? ["--mature"] : [])
        + (since.map { ["--since", RetentionLawTests.text($0)] } ?? [])
    }
  }

  private static let day: Int64 = 86_400_000
  private static let now: Int64 = 1_796_083_200_000
  private static let flows = [
    Flow(app: "game", name: "play", first: "start", last: "won", windowDays: 2),
    Flow(app: "shop", name: "buy", first: "go", last: "pay", windowDays: 1),
    Flow(app: "shop", name: "tour", first: "tour_begun", last: "go", windowDays: 5),
  ]
  private static let names = ["game": ["start", "won", "ping"], "shop": ["go", "pay", "tour_begun", "ping", "pong"]]

  private static func text(_ milliseconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(.iso8601)
  }

  private static func events(using random: inout SeededGenerator) -> [Event] {
    (0..<160).map { number in
      let app = Bool.random(using: &random) ? "game" : "shop"
      // Whole days apart from a few seconds, so that periods begin and end at events. Each event has its own millisecond.
      let days = Int64.random(in: -70...1, using: &random)
      return Event(
        app: app, name: names[app]?.randomElement(using: &random) ?? "ping",
        subject: "s\(Int.random(in: 0..<9, using: &random))",
        attempt: ["a", "b", nil].randomElement(using: &random) ?? nil,
        variant: ["A", "B", nil].randomElement(using: &random) ?? nil,
        milliseconds: now + days * day + Int64.random(in: -1...1, using: &random) * 1000 + Int64(number))
    }
  }

  private static func question(using random: inout SeededGenerator) -> Question {
    var question = Question()
    question.every = ["day", "week", "month"].randomElement(using: &random) ?? "day"
    question.zone = ["UTC", "Europe/Berlin", "America/Los_Angeles"].randomElement(using: &random) ?? "UTC"
    question.periods = Int.random(in: 1...9, using: &random)
    question.start = Bool.random(using: &random) ? "entered" : "completed"
    question.returns = [[], [], ["ping"], ["ping", "go"]].randomElement(using: &random) ?? []
    question.unit = ["person", "subject", "attempt", "entry"].randomElement(using: &random) ?? "person"
    question.isByVariant = Bool.random(using: &random)
    question.isMature = Int.random(in: 0..<4, using: &random) == 0
    question.since = Bool.random(using: &random) ? now - Int64.random(in: 10...60, using: &random) * day : nil
    return question
  }

  // MARK: - The count by hand

  /// Returns the groups of a flow, each with its events in order.
  private static func groups(of flow: Flow, _ events: [Event], unit: String) -> [[Event]] {
    let own = events.filter { $0.app == flow.app && ($0.name == flow.first || $0.name == flow.last) }
      .sorted { $0.milliseconds < $1.milliseconds }
    let grouped = Dictionary(grouping: own) { unit == "attempt" ? "\($0.subject) \($0.attempt ?? "")" : $0.subject }
    guard unit == "entry" else { return Array(grouped.values) }
    return grouped.values.flatMap { events -> [[Event]] in
      var groups: [[Event]] = [[]]
      var open: Int64?
      var hasBegun = false
      for event in events {
        if let begin = open, event.milliseconds > begin + flow.windowDays * day { open = nil }
        if open == nil, event.name == flow.first {
          if hasBegun { groups.append([]) }
          hasBegun = true
          open = event.milliseconds
        } else if open != nil, event.name == flow.last {
          open = nil
        }
        groups[groups.count - 1].append(event)
      }
      return groups
    }
  }

  private static func bucket(_ milliseconds: Int64, _ question: Question) -> String {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = TimeZone(identifier: question.zone)!
    let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    let parts = calendar.dateComponents([.year, .month, .day, .yearForWeekOfYear, .weekOfYear], from: date)
    func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
    switch question.every {
    case "day": return "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day))"
    case "week": return "\(parts.yearForWeekOfYear ?? 0)-W\(two(parts.weekOfYear))"
    default: return "\(parts.year ?? 0)-\(two(parts.month))"
    }
  }

  /// Returns the cohorts that have groups, as lines: the flow, the segment, the bucket, the groups, and each period.
  private static func expected(_ all: [Event], _ question: Question) -> Set<String> {
    let events = all.filter { $0.milliseconds <= now }
    let unit = ["day": day, "week": 7 * day, "month": 30 * day][question.every] ?? day
    var cohorts: [String: (groups: Int, returned: [Int], over: [Int])] = [:]
    for flow in flows {
      for group in groups(of: flow, events, unit: question.unit) {
        guard let anchor = group.first(where: { $0.name == flow.first }) else { continue }
        let end = anchor.milliseconds + flow.windowDays * day
        if let since = question.since, anchor.milliseconds < since { continue }
        if question.isMature, end > now { continue }
        let match = group.first { $0.name == flow.last && $0.milliseconds > anchor.milliseconds && $0.milliseconds <= end }
        guard let start = question.start == "entered" ? anchor : match else { continue }
        let returns = events.filter {
          $0.app == flow.app && $0.subject == anchor.subject && (question.returns.isEmpty || question.returns.contains($0.name))
        }.map(\.milliseconds)
        for bucket in ["null", bucket(start.milliseconds, question)] {
          let segment = question.isByVariant ? anchor.variant ?? "null" : ""
          var cohort =
            cohorts["\(flow.app)/\(flow.name) \(segment) \(bucket)"]
            ?? (0, Array(repeating: 0, count: question.periods), Array(repeating: 0, count: question.periods))
          cohort.groups += 1
          for period in 1...question.periods {
            let low = start.milliseconds + Int64(period) * unit
            guard low + unit <= now else { continue }
            cohort.over[period - 1] += 1
            if returns.contains(where: { $0 >= low && $0 < low + unit }) { cohort.returned[period - 1] += 1 }
          }
          cohorts["\(flow.app)/\(flow.name) \(segment) \(bucket)"] = cohort
        }
      }
    }
    return Set(
      cohorts.map { key, cohort in
        let periods = zip(cohort.returned, cohort.over).map { $1 == 0 ? "-" : "\($0)/\($1)" }
        return "\(key) \(cohort.groups) \(periods.joined(separator: " "))"
      })
  }

  /// Returns the cohorts of a report that have groups, as such lines.
  private static func cohorts(of json: String, _ question: Question) throws -> Set<String> {
    let report = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    var lines: Set<String> = []
    for row in report?["retention"] as? [[String: Any]] ?? [] {
      let segment = question.isByVariant ? (row["by"] as? [String: Any])?["ctx.variant"] as? String ?? "null" : ""
      for cohort in row["cohorts"] as? [[String: Any]] ?? [] {
        let periods = (cohort["periods"] as? [[String: Any]] ?? []).map { period in
          (period["of"] as? Int).map { "\(period["returned"] as? Int ?? -1)/\($0)" } ?? "-"
        }
        guard let groups = cohort["groups"] as? Int, groups > 0 else { continue }
        lines.insert(
          "\(row["app"] ?? "")/\(row["flow"] ?? "") \(segment) \(cohort["bucket"] as? String ?? "null") \(groups) \(periods.joined(separator: " "))"
        )
      }
    }
    return lines
  }

  @Test(arguments: Sweeps.seeds(40, sample: 6))
  func `files, a store and merged states give what a count event by event gives`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let place = try Workplace()
    for flow in Self.flows {
      try place.write(
        #"{"app":"\#(flow.app)","flow":"\#(flow.name)","version":1,"title":"x","window":"\#(flow.windowDays)d","steps":[{"id":"one","entered_by":["\#(flow.first)"]},{"id":"two","entered_by":["\#(flow.last)"]}]}"#,
        to: "flows/\(flow.app).\(flow.name).v1.json")
    }
    let events = Self.events(using: &random)
    let lines = events.map { event in
      let attempt = event.attempt.map { #","attempt":"\#($0)""# } ?? ""
      let context = event.variant.map { #","ctx":{"variant":"\#($0)"}"# } ?? ""
      return
        #"{"name":"\#(event.name)","app":"\#(event.app)","subject":"\#(event.subject)","ts":\#(event.milliseconds)\#(attempt)\#(context)}"#
        + "\n"
    }
    try place.write(lines.shuffled(using: &random).joined(), to: "log.ndjson")
    for half in 0...1 {
      try place.write(
        zip(events, lines).filter { Int($0.0.subject.dropFirst())! % 2 == half }.map(\.1).joined(), to: "\(half).ndjson")
    }
    let common = ["--schemas", "flows", "--now", Self.text(Self.now)]
    let ingested = try FunnelRun(
      arguments: ["ingest", "log.ndjson", "--now", Self.text(Self.now + 3 * Self.day)], directory: place.url)
    #expect(ingested.status == 0, "\(ingested.errors)")
    for _ in 0..<4 {
      let question = Self.question(using: &random)
      let options = common + question.arguments
      let note: Comment = "seed \(seed), \(question.arguments.joined(separator: " "))"
      let json = ["report", "retention", "--format", "json"]
      let run = try FunnelRun(arguments: json + ["log.ndjson"] + options, directory: place.url)
      #expect(run.status == 0, note)
      let expected = Self.expected(events, question)
      let found = try Self.cohorts(of: run.output, question)
      #expect(found == expected, note)
      let stored = try FunnelRun(arguments: json + options, directory: place.url)
      #expect(try Self.cohorts(of: stored.output, question) == expected, note)
      for half in 0...1 {
        _ = try FunnelRun(
          arguments: ["fold", "retention", "\(half).ndjson", "--state", "\(half).state"] + options, directory: place.url)
      }
      let merged = try place.run("merge", "0.state", "1.state", "retention", "--format", "json")
      #expect(merged.output == run.output, note)
    }
  }
}
