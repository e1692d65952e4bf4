import Foundation
import FunnelTestSupport
import Testing

/// Kills the real binary at random times, also while it recovers from the previous kill.
@Suite struct RandomKillTests {
  /// The number of kills for each of the two seeds.
  private static let kills = Sweeps.count(2500, sample: 60)
  /// The number of kills after which a store is checked, and the next store begins.
  private static let killsOfStore = 50
  /// The number of executions after which a test gives up, because too few are killed before they end.
  private static let attempts = kills * 20
  private static let inputs = 5

  private func arguments(_ place: Workplace, _ input: Int) -> [String] {
    ["ingest", place.folder.path("\(input).ndjson"), "--store", place.folder.path("funnel-store"), "--now", Workplace.now]
  }

  /// Creates inputs, each of which repeats five lines of the previous one. Those of the second seed name users.
  private func place(seed: UInt64) throws -> Workplace {
    let place = try Workplace()
    var (random, randomLinks) = (SeededGenerator(seed: seed), SeededGenerator(seed: seed))
    let linked = LinkedLog(40 * Self.inputs, interval: 21_600_000, using: &randomLinks).lines
    var before: [String] = []
    for number in 0..<Self.inputs {
      let lines =
        seed == 2
        ? Array(linked[number * 40..<(number + 1) * 40]) : RandomEvents.lines(40, .init(hasConflicts: false), using: &random)
      try place.write((lines + before.prefix(5)).joined(separator: "\n") + "\n", to: "\(number).ndjson")
      before = lines
    }
    return place
  }

  @Test(arguments: [UInt64(1), 2])
  func `an ingest killed again and again loses nothing it reported, and comes to the same`(seed: UInt64) throws {
    let place = try place(seed: seed)
    let whole = try place.copy()
    let start = ContinuousClock.now
    for number in 0..<Self.inputs { #expect(try FunnelProcess(arguments(whole, number)).wait() == 0) }
    var patience = Patience(microseconds: (ContinuousClock.now - start).microseconds / Self.inputs)
    let (report, log) = (try whole.report(), try sortedLog(whole))
    var random = SeededGenerator(seed: seed + 100)
    var (kills, attempts) = (0, 0)
    while kills < Self.kills, attempts < Self.attempts {
      var acknowledged: Set<Int> = []
      var killsHere = 0
      while killsHere < Self.killsOfStore, attempts < Self.attempts {
        attempts += 1
        let input = Int.random(in: 0..<Self.inputs, using: &random)
        let process = try FunnelProcess(arguments(place, input))
        usleep(UInt32(Int.random(in: 0...patience.microseconds, using: &random)))
        process.kill()
        let status = process.wait()
        patience.note(wasKilled: status == nil)
        switch status {
        case 0: acknowledged.insert(input)
        case nil: killsHere += 1
        case let code?: Issue.record("seed \(seed), kill \(kills + killsHere): exit code \(code)")
        }
      }
      kills += killsHere
      let comment: Comment = "seed \(seed), after \(kills) kills"
      for input in acknowledged.sorted() {
        let again = try place.ingest("\(input).ndjson")
        #expect(again["accepted"] as? Int == 0, comment)
      }
      for input in 0..<Self.inputs { _ = try place.ingest("\(input).ndjson") }
      #expect(try place.report() == report, comment)
      #expect(try sortedLog(place) == log, comment)
      let verification = try place.run("log", "verify")
      #expect(verification.status == 0, "\(comment): \(verification.errors)")
      let staleFiles = try place.folder.files().filter { $0.hasSuffix(".tmp") }
      #expect(staleFiles == [], comment)
      try place.folder.remove("funnel-store")
    }
    #expect(kills >= Self.kills, "seed \(seed): of \(attempts) runs only \(kills) were still there to be killed")
  }

  /// Returns the sorted lines of the log, read with `zcat` and not with the tool under test.
  private func sortedLog(_ place: Workplace) throws -> String {
    try FunnelRun(shell: "zcat funnel-store/log/dt=*/*.gz | LC_ALL=C sort", directory: place.url).output
  }
}

/// The longest time before an execution is killed. It adapts to how busy the machine is, so that about three in four
/// executions are killed, at random points.
private struct Patience {
  private(set) var microseconds: Int

  init(microseconds: Int) { self.microseconds = max(microseconds, 1000) }

  mutating func note(wasKilled: Bool) {
    // The time stays about the same if there are three kills to one execution that ends first.
    microseconds = wasKilled ? microseconds + microseconds / 60 : max(microseconds - microseconds / 20, 1000)
    microseconds = min(microseconds, 10_000_000)
  }
}

extension Duration {
  /// The duration in whole microseconds.
  var microseconds: Int { Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000) }
}
