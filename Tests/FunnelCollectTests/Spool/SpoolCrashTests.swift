import FunnelCollect
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

/// After a fault, a kill or a power failure at any call, every acknowledged line is in the spool exactly once, and no line
/// is torn.
@Suite struct SpoolCrashTests {
  private static let batches = (1...9).map { SpoolScenario.batch($0) }

  /// Runs the scenario: files of about three batches, batch after batch.
  ///
  /// - Returns: The batches that were acknowledged, or `nil` if the spool could not be opened.
  private static func run(
    in folder: TemporaryFolder, on fileSystem: any FileSystem, limitBytes: Int = .max / 2,
    acknowledge: (Int) -> Void = { _ in }
  ) -> [SpoolBatch]? {
    var settings = SpoolScenario.settings(fileSystem)
    settings.fileBytesTarget = 200
    settings.limitBytes = limitBytes
    guard let spool = try? Spool(folder: folder.path, settings: settings) else { return nil }
    var acknowledged: [SpoolBatch] = []
    for batch in batches where spool.append(batch).isSuccess {
      acknowledged.append(batch)
      acknowledge(acknowledged.count)
    }
    spool.close()
    return acknowledged
  }

  /// The number of calls of the scenario that change the disk.
  private static func callCount() throws -> Int {
    let fileSystem = FaultyFileSystem()
    let acknowledged = run(in: try TemporaryFolder(isInMemory: true), on: fileSystem)
    #expect(acknowledged == batches)
    return fileSystem.calls
  }

  @Test func `a fault or a kill at any call loses nothing that was acknowledged`() throws {
    let count = try Self.callCount()
    #expect(count > 40)
    for call in 1...count {
      let faults: [FaultyFileSystem.Fault] = [
        .failure(atCall: call), .failures(fromCall: call), .halfDone(atCall: call), .killBefore(call: call),
        .killDuring(call: call), .killAfter(call: call),
      ]
      for fault in faults {
        for losesPower in [false, true] {
          let folder = try TemporaryFolder(isInMemory: true)
          let fileSystem = FaultyFileSystem(fault)
          let acknowledged = Self.run(in: folder, on: fileSystem) ?? []
          if losesPower { try fileSystem.losePower() }
          let problem = try SpoolScenario.problem(in: folder, acknowledged: acknowledged, attempted: Self.batches)
          #expect(problem == nil, "\(fault), loses power: \(losesPower)")
        }
      }
    }
  }

  @Test func `after a single fault the spool goes on, and all later batches are acknowledged`() throws {
    for call in 8...(try Self.callCount()) {
      for fault: FaultyFileSystem.Fault in [.failure(atCall: call), .halfDone(atCall: call)] {
        let folder = try TemporaryFolder(isInMemory: true)
        let acknowledged = try #require(Self.run(in: folder, on: FaultyFileSystem(fault)))
        #expect(acknowledged.count >= Self.batches.count - 1, "\(fault)")
        #expect(try !folder.files().contains { $0.hasSuffix(".part") }, "\(fault)")
      }
    }
  }

  @Test func `a power failure at any moment leaves every acknowledged line once, and none torn`() throws {
    for seed in Sweeps.seeds(40, sample: 4) {
      let folder = try TemporaryFolder(isInMemory: true)
      let disk = SimulatedDisk(try DiskModel(folder: folder.path))
      let acknowledged = try #require(Self.run(in: folder, on: disk, acknowledge: disk.acknowledge))
      #expect(acknowledged == Self.batches)
      for (index, moment) in disk.moments.enumerated() {
        for survival in (seed == 0 ? Survival.certain : []) + [.random(seed: seed &* 1_000_003 &+ UInt64(index))] {
          let problem = try Self.problem(after: moment, survival)
          #expect(problem == nil, "after \(moment.call), \(survival)")
        }
      }
    }
  }

  @Test func `a flush that is missing is noticed`() throws {
    for name in ["sync", "syncDirectory"] {
      let folder = try TemporaryFolder(isInMemory: true)
      let disk = SimulatedDisk(try DiskModel(folder: folder.path)) { $0.name == name }
      _ = Self.run(in: folder, on: disk, acknowledge: disk.acknowledge)
      let isNoticed = try disk.moments.contains { try Self.problem(after: $0, .nothing) != nil }
      #expect(isNoticed, "\(name)")
    }
  }

  @Test func `a failed flush is not repeated on the same file, and its bytes are never acknowledged`() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let trial = SimulatedDisk(try DiskModel(folder: folder.path))
    _ = Self.run(in: folder, on: trial)
    for (index, call) in trial.calls.enumerated() where call.name == "sync" {
      let folder = try TemporaryFolder(isInMemory: true)
      let disk = SimulatedDisk(try DiskModel(folder: folder.path), failure: .init(call: index + 1))
      let acknowledged = try #require(Self.run(in: folder, on: disk))
      #expect(acknowledged.count == Self.batches.count - 1)
      let failed = disk.calls[index].path
      let later = disk.calls[(index + 1)...].filter { $0.path == failed }
      // Cut and flushed once for its length, or removed; then renamed. Nothing is written to it.
      #expect(!later.contains { $0.name == "write" }, "\(later)")
      #expect(try SpoolScenario.problem(in: folder, acknowledged: acknowledged, attempted: Self.batches) == nil)
    }
  }

  @Test func `a copy of the folder with any prefix of what was not acknowledged is recovered`() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let spool = try Spool(folder: folder.path, settings: SpoolScenario.settings())
    #expect(spool.append(SpoolScenario.batch(3)).isSuccess)
    let next = SpoolScenario.batch(6)
    for length in 0...next.events.count {
      let copy = try TemporaryFolder(isInMemory: true)
      try DiskTree(of: folder.path).write(to: copy.path)
      for name in try copy.files() where name.hasSuffix(".part") {
        let added = name.hasPrefix("rejected/") ? next.deadLetters.prefix(length) : next.events.prefix(length)
        try copy.write(copy.contents(name) + added, to: name)
      }
      let problem = try SpoolScenario.problem(
        in: copy, acknowledged: [SpoolScenario.batch(3)], attempted: [SpoolScenario.batch(3), next])
      #expect(problem == nil, "\(length) bytes")
    }
  }

  /// Returns the first problem of what is found after a power failure, or `nil` if there is none.
  private static func problem(after moment: SimulatedDisk.Moment, _ survival: Survival) throws -> String? {
    let folder = try TemporaryFolder(isInMemory: true)
    try moment.disk.survivors(survival).write(to: folder.path)
    return try SpoolScenario.problem(
      in: folder, acknowledged: Array(batches.prefix(moment.acknowledged)), attempted: batches)
  }
}
