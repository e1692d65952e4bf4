import FunnelTestSupport
import Testing

/// Kills a command before and after each call that changes the disk, and in the middle of each write. Nothing that was
/// reported is lost, nothing is duplicated when the command is run again, and the reports are those of a store without a kill.
@Suite struct KillTests {
  @Test(arguments: CrashScenario.all)
  func `a command killed at any step leaves whole commits, and run again comes to the same`(_ scenario: CrashScenario) throws {
    let sweep = try CrashSweep(scenario)
    for (number, moment) in sweep.moments.enumerated() {
      for (way, survival) in [Survival.everything, .everythingButTheEnd].enumerated()
      where Sweeps.tries(number + way, oneIn: 2) {
        let complaint = sweep.complaint(about: moment.disk.survivors(survival), acknowledged: moment.acknowledged)
        #expect(complaint == nil, "\(scenario.name), \(survival), after \(moment.call)")
      }
    }
  }

  @Test func `there are at least sixty steps to be killed at`() throws {
    // The first moment is the beginning and the last one is the report, so neither counts.
    let steps = try CrashScenario.all.reduce(0) { try $0 + CrashSweep($1).moments.count - 2 }
    #expect(steps >= 60)
  }
}
