import FunnelTestSupport
import Testing

/// The power fails after any call. Any of the changes that were not flushed may be lost.
@Suite struct PowerLossTests {
  /// The number of random survivals that are tried at each moment.
  private static let seeds = UInt64(Sweeps.count(200, sample: 1))

  /// Returns the survivals of unflushed changes to try at a moment. Those of a kill are tried in ``KillTests``.
  private func survivals(_ number: Int) -> [Survival] {
    [.nothing, .namesAlone, .namesAndLengths, .bytesAlone] + (0..<Self.seeds).map { .random(seed: $0 * 1000 + UInt64(number)) }
  }

  /// Calls a closure with the different states of a scenario, each with a description of its origin.
  private func states(
    _ sweep: CrashSweep, _ body: (DiskTree, SimulatedDisk.Moment, String) throws -> Void
  ) rethrows {
    var tried: Set<DiskTree> = []
    for (number, moment) in sweep.moments.enumerated() where Sweeps.tries(number, oneIn: 2) {
      for survival in survivals(number) {
        let state = moment.disk.survivors(survival)
        // A state that is correct before the report may be wrong after it, so it is tried again.
        guard tried.insert(state).inserted || moment.acknowledged > 0 else { continue }
        try body(state, moment, "\(sweep.scenario.name), \(survival), after call \(number), \(moment.call)")
      }
    }
  }

  @Test(arguments: CrashScenario.all)
  func `whatever the power leaves of a command, nothing reported is lost and the next run mends it`(
    _ scenario: CrashScenario
  ) throws {
    let sweep = try CrashSweep(scenario)
    states(sweep) { state, moment, place in
      let complaint = sweep.complaint(about: state, acknowledged: moment.acknowledged)
      #expect(complaint == nil, "\(place)")
    }
  }

  /// After an interrupted repair of the journal, the next writer either refuses to open the store or finds all parts covered.
  @Test(arguments: CrashScenario.repairsOfJournals)
  func `whatever is left of a repair of the journal, no command cuts a part`(_ scenario: CrashScenario) throws {
    let sweep = try CrashSweep(scenario)
    let parts = Self.parts(sweep.moments[0].disk.survivors(.everything))
    #expect(parts.count >= 3)
    var refusals = 0
    for survival in [Survival.everything, .everythingButTheEnd] { try expectNoCut(survival) }
    try states(sweep) { state, _, place in
      let isSame = try Self.partsAfterWriter(state, &refusals) == parts
      #expect(isSame, "\(place)")
    }
    #expect(refusals > 0)

    func expectNoCut(_ survival: Survival) throws {
      for moment in sweep.moments {
        let isSame = try Self.partsAfterWriter(moment.disk.survivors(survival), &refusals) == parts
        #expect(isSame, "\(scenario.name), \(survival), after \(moment.call)")
      }
    }
  }

  /// Returns the parts after a writer opened the store or refused to.
  private static func partsAfterWriter(_ state: DiskTree, _ refusals: inout Int) throws -> [String: [UInt8]] {
    let folder = try TemporaryFolder(isInMemory: true)
    try state.write(to: folder.path)
    do {
      _ = try ScenarioStore(folder: folder.path, disk: FaultyFileSystem()).writer()
    } catch {
      refusals += 1
    }
    return parts(try DiskTree(of: folder.path))
  }

  private static func parts(_ tree: DiskTree) -> [String: [UInt8]] { tree.files.filter { $0.key.hasSuffix(".gz") } }

  @Test func `there are very many states`() throws {
    var count = 0
    for scenario in CrashScenario.all { try states(CrashSweep(scenario)) { _, _, _ in count += 1 } }
    #expect(count >= (Sweeps.isFull ? 20_000 : 400))
  }

  /// The next command may build on files that a killed one made and never flushed, so it must make them durable too.
  @Test(arguments: CrashScenario.all)
  func `what the next run reports outlasts the power, though it builds on what a killed run never flushed`(
    _ scenario: CrashScenario
  ) throws {
    let sweep = try CrashSweep(scenario)
    for (number, moment) in sweep.moments.enumerated() where Sweeps.tries(number + 1, oneIn: 12) {
      let folder = try TemporaryFolder(isInMemory: true)
      try moment.disk.survivors(.everything).write(to: folder.path)
      let disk = SimulatedDisk(moment.disk.moved(to: folder.path))
      try scenario.command(ScenarioStore(folder: folder.path, disk: disk))
      let last = try #require(disk.moments.last).disk
      for survival in [Survival.nothing, .namesAlone, .bytesAlone, .random(seed: UInt64(number))] {
        let complaint = sweep.complaintAfterReport(about: last.survivors(survival))
        #expect(complaint == nil, "\(scenario.name), killed after \(moment.call), then run again, \(survival)")
      }
    }
  }
}
