import Foundation
import FunnelTestSupport
import Testing

/// Laws of the whole pipeline, over random logs: the report depends on the events alone.
@Suite struct LawTests {
  private static let questions: [[String]] = [
    [], ["--by", "ctx.variant", "--order", "any"],
    ["--by", "day", "--tz", "Europe/Berlin", "--order", "strict", "--window", "12h"],
    ["--count-by", "attempt", "--since", "2026-11-17", "--where", "ctx.variant!=A"],
    ["steps", "--by", "ctx.variant"], ["times"], ["trend", "--every", "week"], ["trend", "--by", "ctx.variant", "--mature"],
    ["outcomes", "--count-by", "attempt"], ["breaches", "--by", "week"], ["access", "--by", "ctx.variant"],
    ["drivers", "--min-groups", "3", "--of", "reached:photos"],
    ["drivers", "--keys", "ctx.variant,props.trigger", "--min-groups", "2", "--by", "week"],
    ["next", "--after", "perm:photos:granted"], ["retention", "--every", "day", "--periods", "3", "--by", "ctx.variant"],
    ["retention", "--every", "day", "--count-by", "attempt", "--from", "completed", "--return", "onboarding_step"],
    ["funnel", "--exclude", "perm_push_denied"],
    ["funnel", "--steps", "perm_flow_start,perm:photos:granted,perm_flow_completed", "--app", "cleaner"],
  ]

  private func write(_ lines: some Sequence<String>, to name: String, in place: Workplace) throws {
    try place.write(lines.map { $0 + "\n" }.joined(), to: name)
  }

  /// Returns the arguments with the name of a report, if there is one, in front of the files.
  private static func named(_ question: [String], _ arguments: [String]) -> [String] {
    guard let name = question.first, !name.hasPrefix("-") else { return arguments + question }
    return [name] + arguments + question.dropFirst()
  }

  private func reports(_ place: Workplace, _ arguments: [String] = []) throws -> [String] {
    try Self.questions.map { question in
      let run = try FunnelRun(
        arguments: ["report"] + Self.named(question, arguments) + ["--format", "json", "--now", Workplace.now],
        directory: place.url)
      guard run.status == 0 else { throw Workplace.Failure(run: run) }
      return run.output
    }
  }

  @Test(arguments: Sweeps.seeds(3, sample: 2))
  func `any order of lines, any files and any threads give the same report, from files and from a store`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let lines = RandomEvents.lines(250, using: &random)
    let place = try Workplace()
    try write(lines, to: "log.ndjson", in: place)
    let expected = try reports(place, ["log.ndjson", "--threads", "1"])
    #expect(expected[0].contains(#""entered":"#))
    // With two seeds each number of threads has its turn.
    for threads in Sweeps.isFull ? [1, 2, 5] : seed % 2 == 0 ? [1, 5] : [2] {
      let shuffled = lines.shuffled(using: &random)
      let cut = Int.random(in: 0...lines.count, using: &random)
      try write(shuffled[..<cut], to: "\(threads)/b.ndjson", in: place)
      try write(shuffled[cut...], to: "\(threads)/a.jsonl", in: place)
      #expect(
        try reports(place, ["\(threads)", "--threads", "\(threads)"]) == expected, "seed \(seed), \(threads) threads, files")
      let store = ["--store", "store-\(threads)", "--threads", "\(threads)"]
      _ = try FunnelRun(arguments: ["ingest", "\(threads)", "--now", Workplace.now] + store, directory: place.url)
      #expect(try reports(place, store) == expected, "seed \(seed), \(threads) threads, store")
    }
  }

  @Test func `flows of very many steps give the same report from files, where a row has room for few, and from a store`() throws
  {
    let place = try Workplace()
    var lines: [String] = []
    for app in 0..<12 {
      let steps = (0..<60).map { "{\"id\":\"s\($0)\"}" }.joined(separator: ",")
      let flow =
        "{\"app\":\"app\(app)\",\"flow\":\"long\",\"version\":1,\"title\":\"x\",\"window\":\"7d\",\"steps\":[\(steps)]}"
      try place.write(flow, to: "flows/app\(app).long.v1.json")
      for subject in 0..<3 {
        for step in 0..<(20 * (subject + 1)) {
          for (place, name) in ["step_viewed", "step_completed"].enumerated() {
            lines.append(
              "{\"ts\":\(1_795_168_800_000 + step * 2000 + place * 1000),\"name\":\"\(name)\",\"app\":\"app\(app)\","
                + "\"subject\":\"u\(subject)\",\"step\":\"s\(step)\"}")
          }
        }
      }
    }
    try write(lines, to: "log.ndjson", in: place)
    let files = try place.report("log.ndjson", "--schemas", "flows")
    #expect(files.components(separatedBy: #""entered":3,"completed":1"#).count == 13, "\(files.prefix(2000))")
    _ = try place.ingest("log.ndjson", "--schemas", "flows")
    #expect(try place.report("--schemas", "flows") == files)
  }

  @Test(arguments: Sweeps.seeds(2, sample: 1))
  func `any number of commits gives the same report, and the same input again changes nothing`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    // The first commit decides which of several events with one id is kept, so there are none here.
    let lines = RandomEvents.lines(250, .init(hasConflicts: false), using: &random)
    let place = try Workplace()
    try write(lines, to: "all.ndjson", in: place)
    let expected = try reports(place, ["all.ndjson"])
    let shuffled = lines.shuffled(using: &random)
    var start = 0
    while start < lines.count {
      let end = min(start + Int.random(in: 1...90, using: &random), lines.count)
      // Each commit repeats some lines of the previous one.
      try write(shuffled[max(0, start - 10)..<end], to: "part.ndjson", in: place)
      _ = try place.ingest("part.ndjson", "--threads", "\([1, 2, 5].randomElement(using: &random) ?? 1)")
      start = end
    }
    #expect(try reports(place) == expected, "seed \(seed)")
    let before = try place.storeBytes().filter { $0.key.hasPrefix("funnel-store/log/") }
    let again = try place.ingest("all.ndjson")
    #expect(again["accepted"] as? Int == 0, "seed \(seed)")
    #expect(again["duplicates"] as? Int == (again["lines"] as? Int ?? 0) - (again["rejected"] as? Int ?? 0), "seed \(seed)")
    // Lines that are rejected in another file become further dead letters, which takes a commit. The log's parts do not
    // change.
    let after = try place.storeBytes().filter { $0.key.hasPrefix("funnel-store/log/") }
    #expect(after.filter { $0.key.hasSuffix(".gz") } == before.filter { $0.key.hasSuffix(".gz") }, "seed \(seed)")
    let third = try place.ingest("all.ndjson")
    #expect(third["commit"] is NSNull)
    #expect(third["events_in_store"] as? Int == again["events_in_store"] as? Int)
    #expect(try place.storeBytes().filter { $0.key.hasPrefix("funnel-store/log/") } == after, "seed \(seed)")
    #expect(try reports(place) == expected, "seed \(seed)")
    #expect(try place.run("log", "verify").status == 0)
  }
}
