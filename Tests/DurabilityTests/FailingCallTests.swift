import FunnelStore
import FunnelModel
import FunnelTestSupport
import Testing

/// Makes each call of a command to the disk fail once, including reads: at once, after half a write, or together with all
/// later calls that take room, as on a full disk.
@Suite struct FailingCallTests {
  private static let failures: [@Sendable (Int) -> SimulatedDisk.Failure] = [
    { .init(call: $0) }, { .init(call: $0, isPartial: true) }, { .init(call: $0, isPartial: true, isLasting: true) },
  ]

  @Test(arguments: CrashScenario.all)
  func `a call that fails is reported or does no harm, and the next run mends what it left`(_ scenario: CrashScenario) throws {
    let sweep = try CrashSweep(scenario)
    let count = try Self.calls(of: scenario).count
    // A usual run tries about fifteen calls, because most calls only read and are alike.
    let step = Sweeps.isFull ? 1 : max(1, count / 15)
    for call in 1...count where call % step == 0 {
      let failure = Self.failures[(call / step) % Self.failures.count](call)
      let folder = try TemporaryFolder(isInMemory: true)
      try sweep.moments[0].disk.survivors(.everything).write(to: folder.path)
      let disk = SimulatedDisk(sweep.moments[0].disk.moved(to: folder.path), failure: failure)
      let store = ScenarioStore(folder: folder.path, disk: disk)
      let outcome = Result { try scenario.command(store) }
      let place = "\(scenario.name), \(disk.calls[min(call, disk.calls.count) - 1]) failed as call \(call) of \(count)"
      var acknowledged = 0
      switch outcome {
      case .success: acknowledged = try store.reader().commits.count
      case .failure(let error as FunnelError): #expect(error.code == .inputOutput, "\(place)")
      case .failure(let error): throw error
      }
      let moments = disk.moments
      let left = try #require(moments.last).disk
      for survival in [Survival.everything, .nothing] {
        let complaint = sweep.complaint(about: left.survivors(survival), acknowledged: acknowledged, isOfAnotherRun: true)
        #expect(complaint == nil, "\(place), \(survival)")
      }
    }
  }

  @Test(arguments: CrashScenario.all)
  func `a flush that failed is never tried again`(_ scenario: CrashScenario) throws {
    let sweep = try CrashSweep(scenario)
    let calls = try Self.calls(of: scenario)
    for (index, call) in calls.enumerated() where call.name.hasPrefix("sync") {
      let folder = try TemporaryFolder(isInMemory: true)
      try sweep.moments[0].disk.survivors(.everything).write(to: folder.path)
      let disk = SimulatedDisk(sweep.moments[0].disk.moved(to: folder.path), failure: .init(call: index + 1))
      let error = #expect(throws: FunnelError.self, "\(call)") {
        try scenario.command(ScenarioStore(folder: folder.path, disk: disk))
      }
      #expect(error?.code == .inputOutput)
      let after = disk.calls[(index + 1)...]
      #expect(!after.contains(disk.calls[index]), "\(scenario.name): \(call) again")
      #expect(!after.contains { $0.name == "write" && $0.path.hasSuffix("journal.ndjson") }, "\(scenario.name): \(call)")
    }
  }

  /// Returns the calls that a command makes if none fails.
  private static func calls(of scenario: CrashScenario) throws -> [SimulatedDisk.Call] {
    let folder = try TemporaryFolder(isInMemory: true)
    try scenario.prepare(ScenarioStore(folder: folder.path, disk: FaultyFileSystem()))
    let disk = SimulatedDisk(try DiskModel(folder: folder.path))
    try scenario.command(ScenarioStore(folder: folder.path, disk: disk))
    return disk.calls
  }
}
