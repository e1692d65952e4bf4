// The program has a database only with its trait.
#if FUNNEL_DATABASE
  import Foundation
  import FunnelTestSupport
  import Testing

  /// Nights that are killed, at random and as soon as each stage has left something, and run again as cron would.
  @Suite struct NightlyKillTests {
    /// The number of kills in all.
    private static let kills = Sweeps.count(200, sample: 10)
    private static let nights = 10...(Sweeps.isFull ? 15 : 12)

    /// An app's logs of some nights; those of later nights have late events of earlier days, too.
    private struct Input {
      var files: [Int: [UInt8]] = [:]

      init() throws {
        let place = try NightlyFixture()
        var lines: [Int: [String]] = [:]
        let run = try FunnelRun(
          "simulate", "--flow", "cleaner/permissions_flow", "--flow", "trendy/onboarding", "--subjects", "120", "--seed", "5",
          "--from", "2026-11-05", "--days", "10", "--late", directory: URL(filePath: place.folder.path))
        guard run.status == 0 else { throw Workplace.Failure(run: run) }
        for (number, line) in run.output.split(separator: "\n").enumerated() {
          let day = line.firstMatch(of: /2026-11-([0-9]{2})T/).flatMap { Int($0.output.1) } ?? nights.lowerBound
          let lateBy = number % 9 == 0 ? 2 : 1
          lines[min(max(day + lateBy, nights.lowerBound), nights.upperBound), default: []].append("\(line)\n")
        }
        files = lines.mapValues { Array($0.joined().utf8) }
      }
    }

    private func arguments(_ place: NightlyFixture, _ night: Int) -> [String] {
      let path = { (name: String) in place.folder.path(name) }
      return [
        "nightly", "--settle", "0", "--inbox", path("inbox"), "--out", path("out"), "--store", path("store"), "--database",
        path("x.sqlite"),
        "--metrics", path("funnel.prom"), "--retain", "--now", "2026-11-\(night)T03:00:00Z",
      ]
    }

    /// Runs all nights to their ends; before each, `disturb` may start and kill some.
    private func run(_ input: Input, disturb: (NightlyFixture, Int) throws -> Void) throws -> NightlyFixture {
      let place = try NightlyFixture()
      for night in Self.nights {
        if let bytes = input.files[night] { try place.upload(bytes, as: "app-\(night).ndjson") }
        try disturb(place, night)
        // The last kill may have left a lock that is being given back.
        let run = try FunnelRun(arguments: arguments(place, night), directory: URL(filePath: place.folder.path))
        #expect(run.status == 0, "night \(night): \(run.errors)")
      }
      return place
    }

    /// What must be the same however often nights were killed.
    private func outcome(_ place: NightlyFixture) throws -> [String: [String]] {
      var result: [String: [String]] = [:]
      result["database"] = try DatabaseDump(path: place.folder.path("x.sqlite")).contents()
      for name in try place.folder.files() where name.hasPrefix("out/") && !name.hasSuffix("status.json") {
        result[name] = String(decoding: try place.folder.contents(name), as: UTF8.self).split(separator: "\n").map(String.init)
      }
      let log = try FunnelRun("log", "cat", "--store", place.folder.path("store"))
      result["log"] = log.output.split(separator: "\n").map(String.init).sorted()
      result["inbox"] = try place.inbox()
      return result
    }

    private func compare(_ place: NightlyFixture, with whole: [String: [String]], _ comment: Comment) throws {
      let found = try outcome(place)
      #expect(Set(found.keys) == Set(whole.keys), comment)
      for (name, lines) in whole where found[name] != lines {
        let (missing, more) = (Set(lines).subtracting(found[name] ?? []), Set(found[name] ?? []).subtracting(lines))
        Issue.record("\(comment): \(name) differs, without \(missing.prefix(2)), with \(more.prefix(2))")
      }
      let verification = try FunnelRun("log", "verify", "--store", place.folder.path("store"))
      #expect(verification.status == 0, "\(comment): \(verification.errors)")
      let staleFiles = try place.folder.files().filter { $0.hasSuffix(".tmp") }
      #expect(staleFiles == [], comment)
    }

    @Test func `a night killed again and again leaves the same numbers, files and log as an undisturbed one`() throws {
      let input = try Input()
      let start = ContinuousClock.now
      let whole = try outcome(run(input) { _, _ in })
      var microseconds = max((ContinuousClock.now - start).microseconds / Self.nights.count, 10_000)
      let seed = UInt64.random(in: 0..<1_000_000)
      var random = SeededGenerator(seed: seed)
      var kills = 0
      while kills < Self.kills {
        let before = kills
        let place = try run(input) { place, night in
          for _ in 0..<4 {
            let process = try FunnelProcess(arguments(place, night))
            usleep(UInt32(Int.random(in: 0...microseconds, using: &random)))
            process.kill()
            if process.wait() == nil { kills += 1 }
          }
        }
        try compare(place, with: whole, "seed \(seed), \(kills) kills")
        // Nights are faster than measured once the machine has less to do.
        if kills == before { microseconds /= 2 }
        try #require(microseconds > 100, "no night was there long enough to be killed")
      }
    }

    /// The files by which each stage can be seen to have begun or ended, in the order of a night.
    private static func traces(of night: Int) -> [String] {
      let day = "out/2026-11-\(night - 1)"
      return [
        "store/lock", "inbox/done/app-\(night).ndjson", day, "\(day)/30d.dropoff.csv", "\(day)/yesterday.html",
        "out/index.html",
        "x.sqlite-wal", "funnel.prom", "out/status.json",
      ]
    }

    @Test func `a night killed at the edge of each stage leaves the same as an undisturbed one`() throws {
      let input = try Input()
      let whole = try outcome(run(input) { _, _ in })
      let place = try run(input) { place, night in
        for trace in Self.traces(of: night) {
          let before = Self.change(of: place.folder.path(trace))
          let process = try FunnelProcess(arguments(place, night))
          // A stage that finds its work done leaves no new trace: the night then comes to its end.
          let deadline = ContinuousClock.now + .seconds(2)
          while Self.change(of: place.folder.path(trace)) == before, ContinuousClock.now < deadline { usleep(200) }
          process.kill()
          _ = process.wait()
        }
      }
      try compare(place, with: whole, "killed at the edge of each stage")
    }

    /// Returns when a file was last changed and how large it is; nil if there is none.
    private static func change(of path: String) -> [Int]? {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      return [Int(status.st_size), time.tv_sec, time.tv_nsec]
    }
  }
#endif
