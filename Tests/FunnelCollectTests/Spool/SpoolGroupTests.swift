import Dispatch
import FunnelCollect
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

/// Batches of many threads.
@Suite struct SpoolGroupTests {
  /// A disk whose first flushes wait until the test opens it.
  private final class SlowDisk: FrontFileSystem {
    let disk = LocalFileSystem()
    let isOpen = DispatchSemaphore(value: 0)
    let flushCount = AtomicInteger(0)

    func sync(_ file: File) throws(FunnelError) {
      flushCount.add(1)
      isOpen.wait()
      isOpen.signal()
      try disk.sync(file)
    }
  }

  @Test func `batches that arrive during a flush share the next one`() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let disk = SlowDisk()
    let spool = try Spool(folder: folder.path, settings: SpoolScenario.settings(disk))
    let results = (1...50).map { _ in PendingResult() }
    spool.append(SpoolScenario.batch(1)) { results[0].set($0) }
    while disk.flushCount.value == 0 {}
    for number in 2...50 { spool.append(SpoolScenario.batch(number)) { results[number - 1].set($0) } }
    disk.isOpen.signal()
    #expect(results.allSatisfy { $0.wait().isSuccess })
    // One of the first batch, and one for each of the two areas.
    #expect(disk.flushCount.value == 3)
    spool.close()
    let batches = (1...50).map { SpoolScenario.batch($0) }
    #expect(try SpoolScenario.problem(in: folder, acknowledged: batches, attempted: batches) == nil)
  }

  @Test func `more than the memory for waiting batches is refused at once, but a batch alone never`() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let disk = SlowDisk()
    var settings = SpoolScenario.settings(disk)
    let batch = SpoolScenario.batch(1)
    settings.waitingBytesMax = batch.byteCount
    let spool = try Spool(folder: folder.path, settings: settings)
    let first = PendingResult()
    spool.append(batch) { first.set($0) }
    #expect(spool.append(batch).failure == .overloaded)
    disk.isOpen.signal()
    #expect(first.wait().isSuccess)
    #expect(spool.append(SpoolScenario.batch(2, lines: 100)).isSuccess)
  }

  @Test func `every batch of many threads is stored exactly once`() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    var settings = SpoolScenario.settings()
    settings.fileBytesTarget = 2000
    let spool = try Spool(folder: folder.path, settings: settings)
    let results = (0..<400).map { _ in PendingResult() }
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for index in 0..<50 {
        let number = thread * 50 + index
        spool.append(SpoolScenario.batch(number)) { results[number].set($0) }
      }
    }
    spool.close()
    #expect(results.allSatisfy { $0.wait().isSuccess })
    let batches = (0..<400).map { SpoolScenario.batch($0) }
    #expect(try SpoolScenario.problem(in: folder, acknowledged: batches, attempted: batches) == nil)
  }

  @Test(arguments: Sweeps.seeds(100, sample: 12))
  func `a failing disk under many threads loses nothing that was acknowledged`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder(isInMemory: true)
    let call = Int.random(in: 8...60, using: &random)
    let fault: FaultyFileSystem.Fault =
      Bool.random(using: &random) ? .failure(atCall: call) : .halfDone(atCall: call)
    var settings = SpoolScenario.settings(FaultyFileSystem(fault))
    settings.fileBytesTarget = 500
    let spool = try Spool(folder: folder.path, settings: settings)
    let results = (0..<120).map { _ in PendingResult() }
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for number in stride(from: thread, to: 120, by: 4) {
        spool.append(SpoolScenario.batch(number)) { results[number].set($0) }
        if number % 5 == 0 { _ = results[number].wait() }
      }
    }
    spool.close()
    let batches = (0..<120).map { SpoolScenario.batch($0) }
    let acknowledged = batches.indices.filter { results[$0].wait().isSuccess }.map { batches[$0] }
    #expect(
      try SpoolScenario.problem(in: folder, acknowledged: acknowledged, attempted: batches) == nil, "seed \(seed), \(fault)")
  }
}
