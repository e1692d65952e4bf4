import FunnelTestSupport
import Testing

/// A command that writes is killed before and after every call that changes the disk, and in the middle of every write: nothing that was reported
/// is lost, nothing is there twice once it is run again, and reports are those of a store that nobody killed.
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
    // The beginning and the report are no steps.
    let steps = try CrashScenario.all.reduce(0) { try $0 + CrashSweep($1).moments.count - 2 }
    #expect(steps >= 60)
  }
}
