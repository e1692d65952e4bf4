import Foundation
import FunnelTestSupport
import Testing

/// `funnel log undo`, `--as-of` and `funnel restate`: what the log says of its own past.
@Suite struct UndoCommandTests {
  private static let questions: [[String]] = [
    [], ["--by", "ctx.variant", "--order", "any"], ["--count-by", "attempt", "--since", "2026-11-17"],
    ["breaches", "--by", "week"],
  ]

  private func reports(_ place: Workplace, store: String = "funnel-store", asOf commit: Int? = nil) throws -> [String] {
    try Self.questions.map { question in
      let asked = ["report"] + question + ["--store", store, "--format", "json", "--now", Workplace.now]
      let run = try FunnelRun(arguments: asked + (commit.map { ["--as-of", "\($0)"] } ?? []), directory: place.url)
      guard run.status == 0 else { throw Workplace.Failure(run: run) }
      return commit.map { run.output.replacing(",\"as_of\":\($0)", with: "") } ?? run.output
    }
  }

  private func write(_ lines: some Sequence<String>, to name: String, in place: Workplace) throws {
    try place.write(lines.map { $0 + "\n" }.joined(), to: name)
  }

  /// Makes a store of some files, and one of each beginning of them: `upto-1`, `upto-2`…
  private func makeStores(of parts: [[String]], in place: Workplace) throws {
    for (index, part) in parts.enumerated() {
      try write(part, to: "\(index + 1).ndjson", in: place)
      _ = try place.ingest("\(index + 1).ndjson")
      for later in index..<parts.count { _ = try place.ingest("\(index + 1).ndjson", "--store", "upto-\(later + 1)") }
    }
  }

  /// Random lines in random parts, each of them with events.
  private func parts(_ count: Int, conflicts: Bool = true, using random: inout SeededGenerator) -> [[String]] {
    let lines = RandomEvents.lines(240, .init(hasConflicts: conflicts), using: &random).shuffled(using: &random)
    let size = lines.count / count
    return (0..<count).map { Array(lines[$0 * size..<($0 == count - 1 ? lines.count : ($0 + 1) * size)]) }
  }

  @Test(arguments: Sweeps.seeds(3, sample: 1))
  func `as of a commit a report is that of a store that got no more, also after compaction and forgetting`(seed: UInt64) throws
  {
    var random = SeededGenerator(seed: seed)
    let place = try Workplace()
    try makeStores(of: parts(4, using: &random), in: place)
    func check(_ what: Comment) throws {
      for commit in 1...4 {
        #expect(
          try reports(place, asOf: commit) == reports(place, store: "upto-\(commit)"), "seed \(seed), commit \(commit), \(what)"
        )
      }
    }
    try check("as ingested")
    #expect(try place.run("log", "compact", "--now", "2026-12-31T00:00:00Z").status == 0)
    try check("compacted")
    let subject = try #require(
      try place.run("log", "cat").output.firstMatch(of: /"subject":"([^"]+)"/).map { String($0.output.1) })
    for store in ["funnel-store"] + (1...4).map({ "upto-\($0)" }) {
      _ = try place.run("forget", subject, "--store", store, "--yes", "--now", Workplace.now)
    }
    try check("forgotten")
    #expect(try place.run("log", "verify").status == 0)
  }

  @Test(arguments: Sweeps.seeds(3, sample: 2))
  func `an ingest that is undone was never there, and can be ingested once more`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let place = try Workplace()
    // What another ingest brought too is gone with the first, so no event is in two parts.
    let parts = Self.disjoint(parts(3, conflicts: false, using: &random))
    try makeStores(of: parts, in: place)
    let compacts = Bool.random(using: &random)
    if compacts { #expect(try place.run("log", "compact", "--now", "2026-12-31T00:00:00Z").status == 0) }
    let complete = try reports(place)
    let undone = Int.random(in: 1...3, using: &random)
    for (index, _) in parts.enumerated() where index + 1 != undone {
      _ = try place.ingest("\(index + 1).ndjson", "--store", "without")
    }
    let planned = try place.run("log", "undo", "\(undone)", "--dry-run", "--format", "json").output
    let run = try place.run("log", "undo", "\(undone)", "--format", "json", "--now", Workplace.now)
    #expect(run.status == 0, "\(run.errors)")
    let numbers = #/"events":(\d+),"dead_letters":(\d+),"parts":(\d+)/#
    #expect(try #require(run.output.firstMatch(of: numbers)).output.0 == #require(planned.firstMatch(of: numbers)).output.0)
    #expect(try reports(place) == reports(place, store: "without"), "seed \(seed), commit \(undone), compacted: \(compacts)")
    for command in [["log", "cat"], ["rejected", "ls", "--format", "json"]] {
      let outputs = try ["funnel-store", "without"].map { store in
        try FunnelRun(arguments: command + ["--store", store], directory: place.url).output.split(separator: "\n").sorted()
      }
      #expect(outputs[0] == outputs[1], "seed \(seed), commit \(undone), \(command)")
    }
    #expect(try place.run("log", "verify").status == 0)
    let again = try place.run("log", "undo", "\(undone)")
    #expect(again.status == 66 && again.errors.contains("it was undone"), "\(again.errors)")
    _ = try place.ingest("\(undone).ndjson")
    #expect(try reports(place) == complete, "seed \(seed), commit \(undone)")
  }

  /// Leaves out of each part the events that an earlier one has, by their ids or, without, by their fields in any order.
  private static func disjoint(_ parts: [[String]]) -> [[String]] {
    var known: Set<Substring> = []
    return parts.map { lines in
      let ids = lines.map { line in
        line.firstMatch(of: /"id":"[^"]*"/)?.output
          ?? Substring(
            line.replacing("3.0", with: "3").split { "{,}".contains($0) }.sorted().joined(separator: ","))
      }
      defer { known.formUnion(ids) }
      return zip(lines, ids).filter { !known.contains($0.1) }.map(\.0)
    }
  }

  private func threeIngests() throws -> Workplace {
    let place = try Workplace()
    for (number, subject) in ["s1", "s2", "s3"].enumerated() {
      let events =
        LogLine.event("perm_flow_start", subject, at: 1) + LogLine.event("perm_flow_completed", subject, at: 2 + number)
      try place.write(events + "broken\n", to: "\(subject).ndjson")
      _ = try place.ingest("\(subject).ndjson")
    }
    return place
  }

  @Test func `undo says what goes, changes nothing when asked not to, and knows which ingest is the last`() throws {
    let place = try threeIngests()
    let before = try place.storeBytes()
    let rehearsal = try place.run("log", "undo", "--last", "--dry-run")
    #expect(rehearsal.status == 0 && rehearsal.errors.isEmpty)
    #expect(
      rehearsal.output == """
        would undo commit 3, the ingest of \(Workplace.now.replacing("Z", with: ".000Z")): 2 events and 1 dead letter would be removed, 2 parts would be rewritten
        nothing was changed (--dry-run); funnel-store would hold 4 events

        """)
    #expect(try place.storeBytes() == before)
    let run = try place.run("log", "undo", "--last", "--now", Workplace.now)
    #expect(run.output.hasSuffix("commit 4; funnel-store holds 4 events\n"), "\(run.output)")
    #expect(
      try place.run("log", "undo", "--last", "--format", "json").output.contains(#""undone":[2],"events":2,"dead_letters":1"#))
    _ = try place.run("log", "undo", "--last")
    let nothing = try place.run("log", "undo", "--last")
    #expect(nothing.status == 66 && nothing.errors.hasPrefix("funnel: nothing to undo, funnel-store, "), "\(nothing.errors)")
    #expect(try place.run("log", "verify").status == 0)
  }

  @Test(arguments: [
    (["log", "undo"], 64, "no ingest given; name one of its commits, or give --last"),
    (["log", "undo", "1", "--last"], 64, "both a commit and --last; give one of them"),
    (["log", "undo", "9"], 66, "no such commit, 9, funnel-store has commits 1 to 3, see 'funnel log commits'"),
    (["log", "undo", "1", "--store", "nowhere"], 66, "nowhere"),
    (["report", "--as-of", "9"], 66, "9"),
    (["report", "s1.ndjson", "--as-of", "1"], 64, "--as-of"),
    (["restate", "--from", "3", "--to", "1"], 64, "--from commit 3 is after --to commit 1, swap them"),
    (["restate", "grant", "--from", "1"], 64, "restate does not cover this report, grant, did you mean grants?"),
  ])
  func `a question that can't be answered is told in one line`(arguments: [String], status: Int32, message: String) throws {
    let place = try threeIngests()
    let run = try FunnelRun(arguments: arguments, directory: place.url)
    #expect(run.status == status && run.output.isEmpty && run.errors.contains(message), "\(run.status) \(run.errors)")
  }

  @Test func `commits are listed with what is left of them`() throws {
    let place = try threeIngests()
    _ = try place.run("log", "undo", "2", "--now", Workplace.now)
    let lines = try place.run("log", "commits", "--format", "json").output.split(separator: "\n")
    #expect(lines.count == 4, "\(lines)")
    #expect(lines[1].contains(#""kind":"ingest""#) && lines[3].contains(#""kind":"undo""#), "\(lines)")
  }

  @Test func `restate names the commit behind a number that changed, and no other`() throws {
    let place = try threeIngests()
    let run = try place.run("restate", "funnel", "--from", "1", "--format", "json", "--now", Workplace.now)
    #expect(run.status == 0, "\(run.errors)")
    let rows = try #require(
      (try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])?["restate"] as? [[String: Any]])
    let entered = try #require(rows.first { $0["number"] as? String == "funnel.entered" })
    #expect(entered["before"] as? Int == 1 && entered["after"] as? Int == 3 && entered["commits"] as? [Int] == [2, 3])
    #expect(run.errors.contains("funnel: commit 2, ingest of ") && !run.errors.contains("commit 1,"), "\(run.errors)")
    let none = try place.run("restate", "--from", "3", "--now", Workplace.now)
    #expect(none.status == 0 && none.errors.contains("no number differs"), "\(none.errors)")
  }

  @Test func `a restatement without a difference says that nothing changed, and gives no hints`() throws {
    let place = try threeIngests()
    let sentence = "Nothing changed: no number differs between commits 3 and 3."
    let table = try place.run("restate", "--from", "3", "--now", Workplace.now)
    #expect(table.status == 0 && table.output.contains(sentence), "\(table.output)")
    #expect(!table.output.contains("Nothing matched") && !table.output.contains("What to check"), "\(table.output)")
    #expect(try place.run("restate", "--from", "3", "--now", Workplace.now, "--format", "markdown").output.contains(sentence))
    let page = try place.run("restate", "--from", "3", "--now", Workplace.now, "--format", "html").output
    #expect(page.contains("<h2>Nothing changed</h2>") && page.contains("No number differs between commits 3 and 3."), "\(page)")
    // A condition that nobody meets is a reason to look at the query.
    let empty = try place.run("restate", "--from", "1", "--now", Workplace.now, "--where", "ctx.variant=none")
    #expect(empty.output.contains("Nothing matched: nobody entered a flow."), "\(empty.output)")
  }
}
