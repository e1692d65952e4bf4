import Foundation
import FunnelTestSupport
import Testing

/// `funnel report drivers`: under which conditions groups are lost.
@Suite struct DriversReportTests {
  private static let now = "2026-12-20T00:00:00Z"

  private func report(_ place: Workplace, _ arguments: [String]) throws -> [String: Any] {
    let run = try FunnelRun(
      arguments: ["report", "drivers"] + arguments + ["--format", "json", "--now", Self.now], directory: place.url)
    guard run.status == 0 else { throw Workplace.Failure(run: run) }
    let tree = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    return try #require((tree?["drivers"] as? [[String: Any]])?.first)
  }

  @Test(arguments: Sweeps.seeds(40, sample: 6))
  func `the findings are those of a brute force, with and without keys, from files, a store, states and any threads`(
    seed: UInt64
  ) throws {
    let log = DriverLog(seed: seed)
    var random = SeededGenerator(seed: seed)
    let place = try Workplace()
    let lines = log.lines.shuffled(using: &random)
    try place.write(lines.joined(), to: "log.ndjson")
    let groupsMin = Int.random(in: 1...40, using: &random)
    let depth = Int.random(in: 1...2, using: &random)
    let options = ["--min-groups", "\(groupsMin)", "--depth", "\(depth)"]
    let expected = DriverBruteForce(log, groupsMin: groupsMin, depth: depth)
    let keys = ["--keys", log.keys.joined(separator: ",")]
    let row = try report(place, ["log.ndjson", "--threads", "1"] + options)
    expected.check(row, "seed \(seed)")
    #expect(
      NSDictionary(dictionary: try report(place, ["log.ndjson", "--threads", "3"] + keys + options))
        == NSDictionary(dictionary: row))
    _ = try FunnelRun("ingest", "log.ndjson", "--now", Self.now, directory: place.url)
    #expect(NSDictionary(dictionary: try report(place, options)) == NSDictionary(dictionary: row), "seed \(seed), store")
    let piped = try FunnelRun(
      arguments: ["report", "drivers", "-", "--format", "json", "--now", Self.now] + keys + options, directory: place.url,
      input: lines.joined())
    let whole = try FunnelRun(
      arguments: ["report", "drivers", "--format", "json", "--now", Self.now] + keys + options, directory: place.url)
    #expect(piped.output == whole.output, "seed \(seed), standard input")
    // The two states share no subject.
    for shard in 0...1 {
      let own = log.groups.indices.filter { $0 % 2 == shard }.map { log.lines(ofGroup: $0).joined() }.joined()
      try place.write(own, to: "\(shard).ndjson")
      let fold = try FunnelRun(
        arguments: ["fold", "drivers", "\(shard).ndjson", "--state", "\(shard).state", "--now", Self.now] + keys + options,
        directory: place.url)
      #expect(fold.status == 0, "\(fold.errors)")
    }
    let merged = try FunnelRun(
      arguments: ["merge", "1.state", "0.state", "drivers", "--format", "json"], directory: place.url)
    #expect(merged.output == whole.output, "seed \(seed), states: \(merged.errors)")
  }

  @Test func `a fault of one version on one system among forty keys is the first finding`() throws {
    var random = SeededGenerator(seed: 7)
    var log = ""
    for subject in 0..<3000 {
      var values = (0..<38).map { key in #""k\#(key)":"\#("abcde".randomElement(using: &random) ?? "a")""# }
      let version = "5.\(Int.random(in: 0...3, using: &random)).0"
      let system = "18.\(Int.random(in: 5...7, using: &random))"
      values += [#""app_version":"\#(version)""#, #""os_version":"\#(system)""#]
      let share = version == "5.2.0" && system == "18.6" ? 0.2 : 0.55
      log += DriverLog.lines(
        subject: "s\(subject)", second: subject, context: values, isCompleted: Double.random(in: 0..<1, using: &random) < share
      ).joined()
    }
    let place = try Workplace()
    try place.write(log, to: "log.ndjson")
    let row = try report(place, ["log.ndjson"])
    let first = try #require((row["drivers"] as? [[String: Any]])?.first)
    #expect(first["where"] as? [String: String] == ["ctx.app_version": "5.2.0", "ctx.os_version": "18.6"])
    let run = try FunnelRun(
      arguments: ["report", "drivers", "log.ndjson", "--now", Self.now, "--keys", "ctx.app_version,ctx.os_version"],
      directory: place.url)
    let words = run.output.replacing(/\s+/, with: " ")
    let sentence =
      #/[0-9.]+ % of people with app version 5\.2\.0 and os version 18\.6 finish, [0-9.]+ % of all others: [0-9]+ fewer finished\. This is a lead, not proof of a cause/#
    #expect(words.contains(sentence), "\(run.output)")
    #expect(words.contains("Lost or gained"), "\(run.output)")
  }

  @Test func `a fault at an hour of the day is found with the keys hour and weekday, in the time zone`() throws {
    let place = try Workplace()
    // From 10:00 UTC on, a person starts every 20 minutes. Nobody who starts from 13:00 to 14:00 completes.
    let hours = (0..<900).map { (10 + $0 / 3) % 24 }
    let log = hours.indices.flatMap { subject in
      DriverLog.lines(
        subject: "s\(subject)", second: subject * 1200, context: [], isCompleted: hours[subject] != 13 && subject % 2 == 0)
    }
    try place.write(log.joined(), to: "log.ndjson")
    for (zone, hour) in [("UTC", "13"), ("Europe/Berlin", "14")] {
      let row = try report(place, ["log.ndjson", "--keys", "hour,weekday", "--tz", zone])
      let found = try #require(row["drivers"] as? [[String: Any]])
      let first = try #require(found.first { ($0["lost"] as? Int ?? 0) > 0 })
      #expect(first["where"] as? [String: String] == ["hour": hour], "\(found)")
      let groups = try #require(first["groups"] as? Int)
      // The same condition selects the same people.
      let funnel = try place.run(
        "report", "funnel", "log.ndjson", "--where", "hour=\(hour)", "--mature", "--tz", zone, "--now", Self.now, "--format",
        "json")
      #expect(funnel.output.contains(#""entered":\#(groups),"completed":0,"#), "\(funnel.output)")
    }
    let fold = try place.run(
      "fold", "drivers", "log.ndjson", "--state", "all.state", "--now", Self.now, "--keys", "hour,weekday")
    #expect(fold.status == 0, "\(fold.errors)")
    let merged = try place.run("merge", "all.state", "drivers", "--format", "json")
    #expect(merged.output.contains(#"{"hour":"13"}"#), "\(merged.output) \(merged.errors)")
  }

  @Test func `shares of a step and of a permission`() throws {
    let place = try Workplace()
    var log = ""
    for subject in 0..<400 {
      let isNew = subject % 2 == 0
      let context = #""ctx":{"build":"\#(isNew ? "new" : "old")"}"#
      let id = "s\(subject)"
      log += LogLine.event("perm_flow_start", id, at: subject, context)
      // Of the new build 1 in 4 is asked for photos, and grants; of the old build all are asked, and 3 in 4 grant.
      guard !isNew || subject % 8 == 0 else { continue }
      log += LogLine.event("perm_photos_pre_prompt_shown", id, at: subject + 1, context)
      log += LogLine.event("perm_photos_\(isNew || subject % 8 != 1 ? "granted" : "denied")", id, at: subject + 2, context)
    }
    try place.write(log, to: "log.ndjson")
    let reached = try report(place, ["log.ndjson", "--of", "reached:photos", "--min-groups", "10"])
    #expect(reached["groups"] as? Int == 400 && reached["rate"] as? Double == 0.625 && reached["tested"] as? Int == 2)
    let drivers = try #require(reached["drivers"] as? [[String: Any]])
    #expect(drivers.map { $0["lost"] as? Int } == [150, -150])
    #expect(drivers.map { $0["where"] as? [String: String] } == [["ctx.build": "new"], ["ctx.build": "old"]])
    let granted = try report(place, ["log.ndjson", "--of", "grant_rate:photos", "--min-groups", "10"])
    #expect(granted["groups"] as? Int == 250 && granted["rate"] as? Double == 0.8)
    let unknown = try FunnelRun("report", "drivers", "log.ndjson", "--of", "reached:fotos", directory: place.url)
    #expect(unknown.status == 64)
    #expect(unknown.errors.contains("no flow has the step, --of reached:fotos, "))
  }

  @Test func `keys that are left out are named with the reason, and nothing found is said`() throws {
    let place = try Workplace()
    var log = ""
    for subject in 0..<120 {
      let values = [
        #""half":\#(subject % 2)"#, #""id":"x\#(subject)""#, #""same":"a""#,
        #""rare":"\#(subject < 60 ? "v\(subject / 6)" : "w\(subject % 9)")""#,
      ]
      log += DriverLog.lines(subject: "s\(subject)", second: subject, context: values, isCompleted: subject % 4 < 2).joined()
    }
    try place.write(log, to: "log.ndjson")
    let run = try FunnelRun("report", "drivers", "log.ndjson", "--now", Self.now, directory: place.url)
    #expect(run.status == 0)
    #expect(
      run.output.replacing(/\s+/, with: " ").contains(
        "Nothing stands out: after 2 comparisons, no condition differs by more than chance would explain; --keys hour,weekday looks "
          + "at the time of the start."),
      "\(run.output)")
    #expect(
      run.output.replacing(/\s+/, with: " ").contains(
        "3 keys left out: ctx.same (one value), ctx.id (more than 50 values), ctx.rare (no value with 30 people)"),
      "\(run.output)")
    let json = try FunnelRun(
      "report", "drivers", "log.ndjson", "--now", Self.now, "--format", "json", directory: place.url)
    #expect(json.errors.contains("3 keys left out: "))
    #expect(json.output.contains(#""tested":2,"drivers":[]}"#))
  }

  @Test(arguments: [
    (["report", "funnel", "--keys", "ctx.os"], "--keys is only for drivers"),
    (["report", "drivers", "--of", "speed"], "not a share, --of speed, "),
    (["report", "drivers", "--keys", "day"], "not a key of drivers, --keys day, "),
    (["report", "drivers", "--depth", "3"], "not a depth, --depth 3, give 1 or 2"),
    (["report", "drivers", "--min-groups", "0"], "not a number of groups, --min-groups 0, "),
    (["fold", "drivers", "--state", "x.state"], "drivers needs --keys in a state, "),
  ])
  func `an option that cannot be meant is refused`(arguments: [String], message: String) throws {
    let run = try FunnelRun(arguments: arguments)
    #expect(run.status == 64 && run.errors.contains(message), "\(run.errors)")
  }
}

/// A random log of one flow in which each group is known: its values and whether it completed.
private struct DriverLog {
  struct Group {
    /// The values by key, as texts.
    var values: [String: String]
    var isCompleted: Bool
    /// Whether the window is closed.
    var isClosed: Bool
    fileprivate var context: [String]
    fileprivate var props: [String]
  }

  let keys: [String]
  private(set) var groups: [Group] = []

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed ^ 0xD121)
    let contextCount = Int.random(in: 1...4, using: &random)
    let names = (0..<contextCount).map { "ctx.c\($0)" } + (0..<Int.random(in: 0...2, using: &random)).map { "props.p\($0)" }
    keys = names
    let sizes = names.map { _ in Int.random(in: 2...4, using: &random) }
    let effect = Double.random(in: 0...0.5, using: &random)
    for _ in 0..<Int.random(in: 60...500, using: &random) {
      var group = Group(
        values: [:], isCompleted: false, isClosed: Int.random(in: 0..<8, using: &random) > 0, context: [], props: [])
      var share = 0.5
      for (key, size) in zip(names, sizes) {
        guard Int.random(in: 0..<10, using: &random) > 0 else { continue }
        let value = Int.random(in: 0..<size, using: &random)
        if key == names[0] && value == 0 { share -= effect }
        if key == names.last && value == 1 { share += effect / 2 }
        // A number and the same number as a text are one value.
        let isText = Bool.random(using: &random)
        let member = "\"\(key.split(separator: ".")[1])\":\(isText ? "\"\(value)\"" : "\(value)")"
        group.values[key] = "\(value)"
        if key.hasPrefix("ctx.") { group.context.append(member) } else { group.props.append(member) }
      }
      group.isCompleted = Double.random(in: 0..<1, using: &random) < share
      groups.append(group)
    }
  }

  /// The events of all groups.
  var lines: [String] { groups.indices.flatMap { lines(ofGroup: $0) } }

  func lines(ofGroup index: Int) -> [String] {
    let group = groups[index]
    // The flow's window is seven days, and the report is as of 2026-12-20.
    let second = group.isClosed ? index : 26 * 86_400 + index
    return Self.lines(
      subject: "s\(index)", second: second, context: group.context, props: group.props, isCompleted: group.isCompleted)
  }

  /// Returns the events of a group that starts at a second after 2026-11-20 10:00.
  static func lines(
    subject: String, second: Int, context: [String], props: [String] = [], isCompleted: Bool
  ) -> [String] {
    let values = "\"ctx\":{\(context.joined(separator: ","))},\"props\":{\(props.joined(separator: ","))}"
    let names =
      ["perm_flow_start"]
      + (isCompleted ? ["perm_photos_pre_prompt_shown", "perm_contacts_pre_prompt_shown", "perm_flow_completed"] : [])
    return names.enumerated().map { LogLine.event($1, subject, at: second + $0, values) }
  }
}

/// The report of drivers by the words of the specification, for a log whose groups are known.
private struct DriverBruteForce {
  private struct Share {
    var count = 0
    var total = 0

    static func - (a: Share, b: Share) -> Share { Share(count: a.count - b.count, total: a.total - b.total) }
    var rate: Double { Double(count) / Double(total) }
  }

  private struct Finding {
    var conditions: [(key: String, value: String)]
    var inside: Share
    var rest: Share
    var p: Double
    var q = 1.0
    var beatsBoth: Bool
    var lost: Double { (rest.rate - inside.rate) * Double(inside.total) }
  }

  private var findings: [Finding] = []
  private let all: Share

  init(_ log: DriverLog, groupsMin: Int, depth: Int) {
    let groups = log.groups.filter(\.isClosed)
    func share(_ conditions: [(key: String, value: String)]) -> Share {
      groups.reduce(into: Share()) { share, group in
        guard conditions.allSatisfy({ group.values[$0.key] == $0.value }) else { return }
        share.total += 1
        if group.isCompleted { share.count += 1 }
      }
    }
    let all = share([])
    self.all = all
    func isTested(_ inside: Share) -> Bool { inside.total >= groupsMin && all.total - inside.total >= groupsMin }
    let values = log.keys.map { key in Set(groups.compactMap { $0.values[key] }).sorted() }
    for (key, values) in zip(log.keys, values) where values.count >= 2 {
      for value in values {
        let inside = share([(key, value)])
        guard isTested(inside) else { continue }
        findings.append(
          Finding(
            conditions: [(key, value)], inside: inside, rest: all - inside, p: Self.p(inside, all - inside), beatsBoth: true))
      }
    }
    for a in log.keys.indices where depth == 2 && values[a].count >= 2 {
      for b in log.keys.indices where b > a && values[b].count >= 2 {
        for first in values[a] {
          for second in values[b] {
            let conditions = [(key: log.keys[a], value: first), (key: log.keys[b], value: second)]
            let inside = share(conditions)
            let rests = conditions.map { share([$0]) - inside }
            guard isTested(inside), rests.allSatisfy({ $0.total > 0 }) else { continue }
            let rest = all - inside
            let signs = ([rest] + rests).map { Self.sign(inside, $0) }
            findings.append(
              Finding(
                conditions: conditions, inside: inside, rest: rest, p: rests.map { Self.p(inside, $0) }.max() ?? 1,
                beatsBoth: Set(signs).count == 1 && signs[0] != 0))
          }
        }
      }
    }
    // The correction of Benjamini and Hochberg, by its definition.
    let sorted = findings.map(\.p).sorted()
    for index in findings.indices {
      let later = sorted.indices.filter { sorted[$0] >= findings[index].p }
      findings[index].q = min(1, later.map { sorted[$0] * Double(sorted.count) / Double($0 + 1) }.min() ?? 1)
    }
  }

  /// Compares a row of the report with the findings.
  func check(_ row: [String: Any], _ name: String) {
    #expect(row["groups"] as? Int == all.total, "\(name)")
    #expect(abs((row["rate"] as? Double ?? .nan) - all.rate) < 1e-12, "\(name)")
    #expect(row["tested"] as? Int == findings.count, "\(name)")
    let expected = findings.filter { $0.q <= 0.05 && $0.beatsBoth }
    let listed = row["drivers"] as? [[String: Any]] ?? []
    #expect(listed.count == min(20, expected.count), "\(name)")
    var last = Double.infinity
    for driver in listed {
      let conditions = (driver["where"] as? [String: Any] ?? [:]).mapValues { "\($0)" }
      guard
        let own = expected.first(where: { finding in
          finding.conditions.count == conditions.count && finding.conditions.allSatisfy { conditions[$0.key] == $0.value }
        })
      else {
        Issue.record("\(name): \(conditions) is not a finding")
        continue
      }
      func isNear(_ key: String, _ value: Double) -> Bool {
        guard let number = driver[key] as? Double else { return false }
        return abs(number - value) <= 1e-9 * max(1, abs(value)) && (value == 0 || abs(number / value - 1) < 1e-6)
      }
      #expect(driver["groups"] as? Int == own.inside.total, "\(name): \(conditions)")
      for (key, value) in [
        ("rate", own.inside.rate), ("rest_rate", own.rest.rate), ("difference", own.inside.rate - own.rest.rate),
        ("p", own.p), ("q", own.q),
      ] { #expect(isNear(key, value), "\(name): \(conditions), \(key): \(String(describing: driver[key])), not \(value)") }
      let lost = driver["lost"] as? Int ?? .max
      #expect(abs(Double(lost) - own.lost) <= 0.5 + 1e-6, "\(name): \(conditions)")
      #expect(abs(own.lost) <= last + 1e-6, "\(name): \(conditions) is larger than the one before it")
      last = abs(own.lost)
    }
    // None of those that are left out is larger.
    if listed.count == 20 { #expect(expected.count { abs($0.lost) > last + 1e-6 } < 20, "\(name)") }
  }

  private static func sign(_ a: Share, _ b: Share) -> Int { (a.count * b.total - b.count * a.total).signum() }

  /// The two-sided p of two proportions: z with pooled variance, or Fisher's exact test if an expected cell is below 5.
  private static func p(_ a: Share, _ b: Share) -> Double {
    let total = a.total + b.total
    let count = a.count + b.count
    let cells = [a.total, b.total].flatMap { side in [count, total - count].map { Double(side) * Double($0) / Double(total) } }
    guard cells.contains(where: { $0 < 5 }) else {
      let pooled = Double(count) / Double(total)
      let deviation = (pooled * (1 - pooled) * (1 / Double(a.total) + 1 / Double(b.total))).squareRoot()
      return erfc(abs(a.rate - b.rate) / deviation / 2.0.squareRoot())
    }
    func logChoose(_ n: Int, _ k: Int) -> Double { lgamma(Double(n + 1)) - lgamma(Double(k + 1)) - lgamma(Double(n - k + 1)) }
    func probability(_ x: Int) -> Double {
      exp(logChoose(a.total, x) + logChoose(b.total, count - x) - logChoose(total, count))
    }
    let own = probability(a.count)
    let range = max(0, count - b.total)...min(count, a.total)
    return min(1, range.map(probability).filter { $0 <= own * (1 + 1e-7) }.reduce(0, +))
  }
}
