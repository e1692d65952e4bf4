import Foundation
import FunnelTestSupport
import Testing

/// The index makes reports and ingests fast. It does not change their results, whether it is present, missing or damaged.
@Suite struct StoreIndexTests {
  private let place: Workplace
  private let log: String

  private static let prepared = PreparedWorkplace { place in
    var random = SeededGenerator(seed: 1)
    // There are three commits, so that the index has more than one file.
    for number in 0..<3 {
      let lines = RandomEvents.lines(number == 0 ? 300 : 60, .init(hasConflicts: false), using: &random)
      try place.write(lines.joined(separator: "\n") + "\n", to: "\(number).ndjson")
      _ = try place.ingest("\(number).ndjson")
    }
  }

  init() throws {
    place = try Self.prepared.copy()
    var log = ""
    for number in 0..<3 { log += try place.text("\(number).ndjson") }
    self.log = log
  }

  private static let questions = [
    [], ["--by", "ctx.variant", "--by", "day"], ["--count-by", "attempt", "--where", "ctx.variant!=B"],
    ["--count-by", "subject", "--since", "2026-11-17", "--order", "any"],
  ]

  private func report(_ question: [String], _ place: Workplace, of inputs: [String] = []) throws -> FunnelRun {
    try FunnelRun(arguments: ["report", "--format", "json", "--now", Workplace.now] + question + inputs, directory: place.url)
  }

  private func indexFiles(_ place: Workplace) throws -> [String] {
    try place.folder.files().filter { $0.hasPrefix("funnel-store/index/") }
  }

  /// Checks that reports equal those of the log, without messages on standard error.
  private func expectReportsOfLog(_ place: Workplace, _ what: String, _ questions: [[String]] = questions) throws {
    for question in questions {
      let run = try report(question, place)
      let expected = try report(question, place, of: ["funnel-store/log"])
      #expect(run.status == 0, "\(what), \(question): \(run.errors)")
      #expect(!run.errors.contains("index"), "\(what), \(question): \(run.errors)")
      #expect(run.output == expected.output, "\(what), \(question)")
      #expect(expected.output.contains("\"entered\""))
    }
  }

  @Test func `a report is the same bytes with the index, without it, and from the files it was taken from`() throws {
    #expect(try indexFiles(place).contains("funnel-store/index/manifest"))
    try expectReportsOfLog(place, "with the index")
    for question in Self.questions {
      #expect(try report(question, place, of: ["0.ndjson", "1.ndjson", "2.ndjson"]).output == report(question, place).output)
    }
    try place.folder.remove("funnel-store/index")
    try expectReportsOfLog(place, "without")
    #expect(try indexFiles(place) == [])
  }

  /// Returns ways to damage the index as a whole, and each of its files.
  private func ruins() throws -> [(what: String, ruin: (Workplace) throws -> Void)] {
    var random = SeededGenerator(seed: 7)
    var ruins: [(what: String, ruin: (Workplace) throws -> Void)] = [
      (
        "a file in its place",
        {
          try $0.folder.remove("funnel-store/index"); try $0.write("x", to: "funnel-store/index")
        }
      ),
      (
        "an empty folder",
        { for name in try indexFiles($0) { try $0.folder.remove(name) } }
      ),
    ]
    for name in try indexFiles(place) {
      let bytes = try place.folder.contents(name)
      ruins.append(("\(name) removed", { try $0.folder.remove(name) }))
      ruins.append(
        (
          "a folder in the place of \(name)",
          {
            try $0.folder.remove(name); try $0.write("x", to: name + "/x")
          }
        ))
      for length in [0, 1, bytes.count / 2, bytes.count - 1] {
        ruins.append(("\(name) cut to \(length)", { try $0.folder.write(Array(bytes[..<length]), to: name) }))
      }
      for _ in 0..<Sweeps.count(6, sample: 2) {
        let (position, bit) = (
          Int.random(in: 0..<bytes.count, using: &random), UInt8(1) << UInt8.random(in: 0..<8, using: &random)
        )
        var flipped = bytes
        flipped[position] ^= bit
        ruins.append(
          ("seed 7, byte \(position) of \(name) flipped by \(bit)", { [flipped] in try $0.folder.write(flipped, to: name) }))
      }
    }
    return ruins
  }

  @Test func `a report is the same bytes whatever is in the index's place`() throws {
    for (number, ruin) in try ruins().enumerated() {
      let copy = try place.copy()
      try ruin.ruin(copy)
      try expectReportsOfLog(copy, ruin.what, [Self.questions[number % Self.questions.count]])
    }
  }

  @Test func `the index of another store is not believed`() throws {
    let other = try Workplace()
    try other.write(LogLine.completedRun("s1"), to: "log.ndjson")
    for _ in 0..<3 { _ = try other.ingest("log.ndjson") }
    let copy = try place.copy()
    try copy.folder.remove("funnel-store/index")
    try FileManager.default.copyItem(
      atPath: other.folder.path("funnel-store/index"), toPath: copy.folder.path("funnel-store/index"))
    try expectReportsOfLog(copy, "another's index")
  }

  /// Runs a command as a user to whom file permissions apply, also if the tests run as root.
  private func runUnprivileged(_ place: Workplace, _ command: String) throws -> FunnelRun {
    let prefix = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : ""
    // That user can't write the file of coverage data either.
    return try FunnelRun(
      shell: #"LLVM_PROFILE_FILE=/dev/null \#(prefix) "$FUNNEL" \#(command) --format json --now \#(Workplace.now)"#,
      directory: place.url)
  }

  @Test(.enabled(if: geteuid() != 0 || FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")))
  func `a report is the same bytes where the index can't be read`() throws {
    let expected = try report([], place)
    // All other files are readable for that user.
    #expect(try FunnelRun(shell: "chmod -R a+rX .", directory: place.url).status == 0)
    #expect(try runUnprivileged(place, "report").output == expected.output)
    for name in try indexFiles(place) + ["funnel-store/index"] {
      let path = place.folder.path(name)
      let before = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
      try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
      let run = try runUnprivileged(place, "report")
      #expect(run.status == 0, "\(name): \(run.errors)")
      #expect(run.output == expected.output, "\(name)")
      #expect(run.errors == "", "\(name)")
      try FileManager.default.setAttributes([.posixPermissions: before ?? 0o700], ofItemAtPath: path)
    }
  }

  /// Returns the summary of an ingest, without the fields that differ in a dry run.
  private func counts(_ place: Workplace, _ arguments: String...) throws -> NSDictionary {
    let run = try FunnelRun(
      arguments: ["ingest"] + arguments + ["--now", Workplace.now, "--format", "json"], directory: place.url)
    #expect(run.status == 0, "\(arguments): \(run.errors)")
    // Undeclared names are told, each on an indented line.
    let problems = run.errors.split(separator: "\n").filter {
      !$0.hasPrefix("funnel:   ") && !$0.contains("that no flow declares, kept all the same:")
    }
    #expect(problems == [], "\(arguments)")
    let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any] ?? [:]
    #expect(run.errors.isEmpty == (json["unclaimed"] as? Int == 0), "\(arguments): \(run.errors)")
    return NSDictionary(dictionary: json.filter { !["commit", "dry_run"].contains($0.key) })
  }

  /// Checks that the index covers all of the store: reports stay the same if the log is damaged.
  private func expectWholeIndex(_ place: Workplace, _ what: String) throws {
    let expected = try report([], place)
    let copy = try place.copy()
    let parts = try copy.folder.files().filter { $0.hasPrefix("funnel-store/log/") && $0.hasSuffix(".gz") }
    #expect(!parts.isEmpty)
    for name in parts {
      var bytes = try copy.folder.contents(name)
      for index in bytes.indices.dropFirst(bytes.count / 2) { bytes[index] = 0x55 }
      try copy.folder.write(bytes, to: name)
    }
    let run = try report([], copy)
    #expect(run.status == 0 && run.output == expected.output, "\(what): \(run.errors)")
  }

  @Test func `an ingest makes the index again where it is missing or damaged, and counts as if it had been there`() throws {
    var random = SeededGenerator(seed: 3)
    let fresh = RandomEvents.lines(80, using: &random)
    try place.write(fresh.joined(separator: "\n") + "\n" + (try place.text("1.ndjson")), to: "more.ndjson")
    let whole = try place.copy()
    let expected = try counts(whole, "more.ndjson")
    try expectWholeIndex(whole, "with the index")
    let flips = try ruins()
    for (number, ruin) in flips.enumerated() where !ruin.what.contains("in the place of") && !ruin.what.contains("a file in") {
      guard number % 3 == 1 || ruin.what == "an empty folder" else { continue }
      let copy = try place.copy()
      try ruin.ruin(copy)
      #expect(try counts(copy, "more.ndjson", "--dry-run") == expected, "\(ruin.what)")
      #expect(try counts(copy, "more.ndjson") == expected, "\(ruin.what)")
      try expectWholeIndex(copy, ruin.what)
      try expectReportsOfLog(copy, ruin.what, [Self.questions[1]])
      #expect(try report([], copy).output == report([], whole).output)
    }
    try place.folder.remove("funnel-store/index")
    #expect(try counts(place, "more.ndjson") == expected)
    try expectWholeIndex(place, "after it was deleted")
  }

  @Test func `an ingest that can't write the index says so, counts the same, and reports read the log`() throws {
    let whole = try place.copy()
    try place.write(LogLine.completedRun("new") + (try place.text("0.ndjson")), to: "more.ndjson")
    try whole.write(place.text("more.ndjson"), to: "more.ndjson")
    let expected = try counts(whole, "more.ndjson")
    try place.folder.remove("funnel-store/index")
    try place.write("x", to: "funnel-store/index")
    let run = try place.run("ingest", "more.ndjson", "--now", Workplace.now, "--format", "json")
    #expect(run.status == 0)
    #expect(run.errors.hasPrefix("funnel: the index was not written, reports will read the log instead: "), "\(run.errors)")
    #expect(run.errors.count { $0 == "\n" } == 1)
    let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any] ?? [:]
    #expect(NSDictionary(dictionary: json.filter { !["commit", "dry_run"].contains($0.key) }) == expected)
    try expectReportsOfLog(place, "no index")
    try place.folder.remove("funnel-store/index")
    _ = try counts(place, "more.ndjson")
    try expectWholeIndex(place, "once it can be written")
  }

  @Test func `ingesting twice counts every line as a duplicate, also with the index deleted in between`() throws {
    for threads in ["1", "3"] {
      let place = try Workplace()
      try place.write(log, to: "log.ndjson")
      let first = try place.ingest("log.ndjson", "--threads", threads)
      let good = try #require(first["lines"] as? Int) - #require(first["rejected"] as? Int)
      #expect(try #require(first["accepted"] as? Int) + #require(first["duplicates"] as? Int) == good)
      try place.folder.remove("funnel-store/index")
      let again = try place.ingest("log.ndjson", "--threads", threads)
      #expect(again["duplicates"] as? Int == good)
      #expect(again["accepted"] as? Int == 0)
      #expect(again["events_in_store"] as? Int == first["accepted"] as? Int)
      try expectWholeIndex(place, "\(threads) threads")
    }
  }

  @Test(arguments: Sweeps.seeds(3, sample: 1))
  func `a dry run counts what the ingest counts, into no store, into one, and after it`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let place = try Workplace()
    for number in 0..<3 {
      // Some lines repeat those of the first file.
      let old = number > 0 ? try place.text("0.ndjson").split(separator: "\n").map(String.init) : []
      let lines = RandomEvents.lines(150, using: &random) + old.shuffled(using: &random).prefix(40)
      try place.write(lines.shuffled(using: &random).joined(separator: "\n"), to: "\(number).ndjson")
      let files = try place.folder.files()
      let before = try counts(place, "\(number).ndjson", "--dry-run")
      #expect(try place.folder.files() == files, "seed \(seed)")
      if number == 2 { try place.folder.remove("funnel-store/index") }
      #expect(try counts(place, "\(number).ndjson", "--dry-run") == before, "seed \(seed), file \(number)")
      #expect(try counts(place, "\(number).ndjson") == before, "seed \(seed), file \(number)")
      let after = try counts(place, "\(number).ndjson", "--dry-run")
      #expect(after["accepted"] as? Int == 0, "seed \(seed), file \(number)")
      #expect(try counts(place, "\(number).ndjson") == after, "seed \(seed), file \(number)")
    }
  }

  @Test(arguments: [4095, 4096, 4097, 5000])
  func `a report by a key with more values than the index keeps is that of the files`(count: Int) throws {
    let place = try Workplace()
    let log = (0..<count).map { LogLine.event("perm_flow_start", "s\($0)", at: $0 % 50, "\"props\":{\"n\":\($0)}") }.joined()
    try place.write(log, to: "log.ndjson")
    _ = try place.ingest("log.ndjson")
    let arguments = ["report", "funnel", "--format", "csv", "--now", Workplace.now, "--by", "props.n"]
    let stored = try FunnelRun(arguments: arguments, directory: place.url)
    #expect(stored.status == 0 && !stored.errors.contains("index"), "\(stored.errors)")
    #expect(stored.output.split(separator: "\n").count > count)
    #expect(try FunnelRun(arguments: arguments + ["log.ndjson"], directory: place.url).output == stored.output)
    #expect(try FunnelRun(arguments: arguments + ["funnel-store/log"], directory: place.url).output == stored.output)
    let condition = ["--where", "props.n=7"]
    let one = try FunnelRun(arguments: arguments + condition, directory: place.url)
    #expect(one.output == (try FunnelRun(arguments: arguments + condition + ["log.ndjson"], directory: place.url)).output)
    #expect(one.output.split(separator: "\n").count < 20)
  }
}
