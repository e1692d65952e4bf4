import Foundation
import FunnelTestSupport
import Testing

/// The commands of `funnel log` that only read.
@Suite struct LogCommandTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    let day = 86_400
    _ = try place.ingest(
      "-",
      input: LogLine.completedRun("s1") + LogLine.completedRun("s2", at: -day) + LogLine.event("opened", "s1", at: -2 * day)
        + "{\n")
  }

  @Test func `ls has a line for each day, and their sum`() throws {
    let run = try place.run("log", "ls")
    #expect(run.status == 0)
    let rows = run.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(
      rows.map { Array($0.prefix(3)) } == [
        ["day", "parts", "events"], ["2026-11-18", "1", "1"], ["2026-11-19", "1", "6"], ["2026-11-20", "1", "6"],
        ["3", "days", "3"],
      ])
    let json = try place.run("log", "ls", "--format", "json").output.split(separator: "\n")
    #expect(json.count == 3)
    #expect(json[1].hasPrefix(#"{"day":"2026-11-19","parts":1,"events":6,"bytes":"#))
  }

  @Test func `cat prints the records by day, all or those wanted`() throws {
    func names(_ arguments: String...) throws -> [String] {
      let run = try FunnelRun(arguments: ["log", "cat"] + arguments, directory: place.url)
      #expect(run.status == 0)
      return run.output.split(separator: "\n").map { String($0.dropFirst(9).prefix { $0 != "\"" }) }
    }
    let all = try names()
    #expect(all.count == 13)
    #expect(all.first == "opened")
    #expect(try names("--threads", "5") == all)
    #expect(try names("--subject", "s1").count == 7)
    #expect(try names("--name", "perm_flow_start") == ["perm_flow_start", "perm_flow_start"])
    #expect(try names("--app", "clarity") == [])
    #expect(try names("--flow", "cleaner/permissions_flow").count == 12)
    #expect(try names("--since", "2026-11-20").count == 6)
    #expect(try names("--until", "2026-11-20").count == 7)
    #expect(try names("--since", "2026-11-19", "--until", "2026-11-20", "--name", "perm_flow_start").count == 1)
    #expect(try names("--since", "48h", "--now", Workplace.now).count == 6)
    // 10:00 UTC is midnight of the next day in Kiritimati.
    #expect(try names("--since", "2026-11-20", "--tz", "Pacific/Kiritimati").count == 12)
    #expect(try names("--since", "2026-11-21", "--tz", "Pacific/Kiritimati").count == 6)
    #expect(try names("--since", "2026-11-21").count == 0)
  }

  @Test func `info describes the store`() throws {
    let text = try place.run("log", "info").output
    #expect(text.contains("events        13\n"))
    #expect(text.contains("days          3 (2026-11-18 to 2026-11-20)\n"))
    #expect(text.contains("dead letters  1\n"))
    #expect(text.contains("commits       1, the last one at 2026-11-21T12:00:00.000Z\n"))
    let data = Data(try place.run("log", "info", "--format", "json").output.utf8)
    let json = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(json["events"] as? Int == 13)
    #expect(json["days"] as? Int == 3)
    #expect(json["last_commit_at"] as? String == "2026-11-21T12:00:00.000Z")
    #expect((json["hash"] as? String)?.count == 64)
  }

  @Test func `verify finds every flipped bit and says where`() throws {
    let sound = try place.run("log", "verify")
    #expect(sound.status == 0)
    #expect(sound.output == "ok: 1 commit, 13 events, every byte matches the journal\n")
    var random = SeededGenerator(seed: 7)
    for name in try place.folder.files() where name.hasSuffix(".gz") {
      let copy = try place.copy()
      var bytes = try copy.folder.contents(name)
      let bit = Int.random(in: 0..<bytes.count * 8, using: &random)
      bytes[bit / 8] ^= 1 << (bit % 8)
      try copy.folder.write(bytes, to: name)
      let run = try copy.run("log", "verify")
      #expect(run.status == 74, "\(name), bit \(bit)")
      #expect(run.output.hasPrefix("\(name) at byte 0: "), "\(run.output)")
      #expect(
        run.errors
          == "funnel: the store is damaged, funnel-store, see the line above; restore it from a backup, or keep what is intact with 'funnel log repair'\n",
        "\(run.errors)")
    }
  }

  @Test func `verify finds a missing part, a short part and a changed journal`() throws {
    let part = "funnel-store/log/dt=2026-11-19/part-00000.ndjson.gz"
    var copy = try place.copy()
    try copy.folder.remove(part)
    var run = try copy.run("log", "verify")
    #expect(run.status == 74)
    #expect(run.output == "\(part): it is missing\n")
    copy = try place.copy()
    let size = try copy.folder.contents(part).count
    try copy.folder.write(Array(copy.folder.contents(part).dropLast()), to: part)
    run = try copy.run("log", "verify")
    #expect(run.status == 74)
    #expect(run.output == "\(part): it has \(size - 1) bytes and should have \(size)\n")
    copy = try place.copy()
    try copy.write(
      copy.text("funnel-store/log/journal.ndjson").replacing(#""events":13"#, with: #""events":12"#),
      to: "funnel-store/log/journal.ndjson")
    run = try copy.run("log", "verify")
    #expect(run.status == 74)
    #expect(run.output.hasPrefix("funnel-store/log/journal.ndjson at byte 0: line 1 is damaged: its hash does not match"))
  }

  @Test func `a damaged member is never printed nor counted, 74`() throws {
    let part = "funnel-store/log/dt=2026-11-19/part-00000.ndjson.gz"
    var bytes = try place.folder.contents(part)
    bytes[bytes.count - 6] ^= 1
    try place.folder.write(bytes, to: part)
    // The index has its own copy of what a report needs; without it the log is read.
    #expect(try place.run("report").status == 0)
    try FileManager.default.removeItem(at: place.url.appending(path: "funnel-store/index"))
    for command in [["log", "cat"], ["report"]] {
      let run = try FunnelRun(arguments: command, directory: place.url)
      #expect(run.status == 74, "\(command)")
      #expect(!run.output.contains("2026-11-19T") && !run.output.contains("s2"))
      let said = run.errors.contains(part) || run.output.contains(part.dropFirst("funnel-store/".count))
      #expect(said && run.errors.count { $0 == "\n" } == 1, "\(run.errors)")
    }
  }

  @Test func `without a store every command says so, 66`() throws {
    let empty = try Workplace()
    for command in [
      ["log", "ls"], ["log", "cat"], ["log", "info"], ["log", "verify"], ["rejected", "ls"], ["rejected", "show"],
      ["rejected", "retry"], ["report"],
    ] {
      let run = try FunnelRun(arguments: command, directory: empty.url)
      #expect(run.status == 66, "\(command)")
      #expect(run.output == "")
      #expect(run.errors.hasPrefix("funnel: there is no store"), "\(command): \(run.errors)")
    }
    #expect(try empty.folder.files() == [])
  }

  @Test func `a reader that goes away is no error`() throws {
    let run = try FunnelRun(
      shell:
        #"set -o pipefail; for command in "log cat" "report" "schema list" "simulate --subjects 50"; do "$FUNNEL" $command | head -n 1 > /dev/null; echo $?; done"#,
      directory: place.url)
    #expect(run.output == "0\n0\n0\n0\n")
    #expect(run.errors == "")
    // Nothing reads from the pipe, so even the first write may fail.
    let none = try FunnelRun(shell: #"set -o pipefail; "$FUNNEL" log cat | true; echo $?"#, directory: place.url)
    #expect(none.output == "0\n")
    #expect(none.errors == "")
  }

  @Test func `a damaged log stays one when nobody reads to the end what is said of it`() throws {
    let part = try #require(try place.folder.files().first { $0.hasSuffix(".ndjson.gz") && $0.contains("/log/") })
    var bytes = try place.folder.contents(part)
    bytes[bytes.count - 6] ^= 1
    try place.folder.write(bytes, to: part)
    // The pipe's reader is closed before anything is written.
    let run = try FunnelRun(
      shell: "mkfifo p && exec 3<>p 4>p && exec 3>&- && exec \"$FUNNEL\" log verify >&4", directory: place.url)
    #expect(run.status == 74, "\(run.errors)")
  }

  @Test func `a range in which nothing can be is refused`() throws {
    let run = try place.run("log", "cat", "--since", "2026-11-20", "--until", "2026-11-10")
    #expect(run.status == 64 && run.errors.hasPrefix("funnel: an empty range, --since "), "\(run.errors)")
  }

  @Test func `a mistake in a command below another one names its help, and what was meant`() throws {
    #expect(try place.run("log", "cat", "--format", "json").errors.hasSuffix(", see 'funnel log cat --help'\n"))
    let run = try place.run("log", "verfiy")
    #expect(run.status == 64 && run.errors.hasSuffix(", did you mean 'verify', see 'funnel log --help'\n"), "\(run.errors)")
  }
}
