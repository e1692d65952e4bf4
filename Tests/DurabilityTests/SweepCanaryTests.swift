import FunnelTestSupport
import Testing

/// Checks that sweeps notice a store that omits a flush, or that writes in the wrong order.
@Suite struct SweepCanaryTests {
  /// Returns whether a sweep finds a state to be wrong if some flushes do nothing.
  private func isCaught(_ forgetsFlush: @escaping @Sendable (SimulatedDisk.Call) -> Bool) throws -> Bool {
    let sweep = try CrashSweep(CrashScenario.all[0], forgetsFlush: forgetsFlush)
    for (number, moment) in sweep.moments.enumerated() {
      for survival in Survival.certain + (0..<6).map({ .random(seed: $0 * 1000 + UInt64(number)) }) {
        let state = moment.disk.survivors(survival)
        if sweep.complaint(about: state, acknowledged: moment.acknowledged) != nil { return true }
      }
    }
    return false
  }

  @Test func `a store that flushes no file is caught`() throws {
    #expect(try isCaught { $0.name == "sync" })
  }

  @Test func `a store that flushes no folder is caught`() throws {
    #expect(try isCaught { $0.name == "syncDirectory" })
  }

  @Test(arguments: ["part-00000.ndjson.gz", "journal.ndjson", "journal.head"])
  func `a store that leaves out the flush of one file is caught`(name: String) throws {
    #expect(try isCaught { $0.name == "sync" && $0.path.hasSuffix(name) })
  }

  @Test(arguments: ["/store", "/log", "/rejected", "dt=2026-11-17"])
  func `a store that leaves out the flush of one folder is caught`(name: String) throws {
    #expect(try isCaught { $0.name == "syncDirectory" && $0.path.hasSuffix(name) })
  }

  @Test func `a store whose own name is not flushed is caught`() throws {
    #expect(try isCaught { $0.name == "syncDirectory" && !$0.path.contains("/store") })
  }

  @Test func `a commit that is reported before it is on the disk is caught`() throws {
    let sweep = try CrashSweep(CrashScenario.all[0])
    let written = try #require(sweep.moments.lastIndex { $0.call.hasPrefix("write") && $0.call.hasSuffix("journal.ndjson") })
    let early = sweep.moments[written].disk.survivors(.nothing)
    #expect(sweep.complaint(about: early, acknowledged: 1) != nil)
  }

  @Test func `a head that is written before its commit is on the disk is caught`() throws {
    let sweep = try CrashSweep(CrashScenario.all[0])
    let head = try #require(sweep.moments.last).disk.survivors(.everything).files["store/log/journal.head"]
    let moment = try #require(sweep.moments.last { $0.call.hasPrefix("sync") && $0.call.hasSuffix(".gz") })
    var early = moment.disk.survivors(.everything)
    #expect(sweep.complaint(about: early, acknowledged: 0) == nil)
    early.files["store/log/journal.head"] = head
    #expect(sweep.complaint(about: early, acknowledged: 0) != nil)
  }

  @Test func `a line that is lost or there twice is caught`() throws {
    let sweep = try CrashSweep(CrashScenario.all[0])
    let whole = try #require(sweep.moments.last).disk.survivors(.everything)
    #expect(sweep.complaint(about: whole, acknowledged: 1) == nil)
    let name = try #require(whole.files.keys.sorted().first { $0.hasSuffix(".gz") })
    for ruin in [{ (bytes: [UInt8]) in bytes + bytes }, { Array($0.dropLast()) }, { _ in [] }] {
      var ruined = whole
      ruined.files[name] = ruin(whole.files[name] ?? [])
      // Recovery cuts bytes that the journal does not cover, but missing bytes are damage.
      let complaint = sweep.complaint(about: ruined, acknowledged: 1)
      #expect((complaint == nil) == ((ruined.files[name]?.count ?? 0) > (whole.files[name]?.count ?? 0)))
    }
  }
}
