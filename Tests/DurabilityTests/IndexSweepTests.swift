import FunnelModel
import FunnelTestSupport
import Testing

/// Reports do not change if the index is deleted or damaged, nor if it was built commit by commit instead of all at once.
@Suite struct IndexSweepTests {
  @Test func `bits flipped in the index, one at a time, change no report`() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let store = ScenarioStore(folder: folder.path, disk: FaultyFileSystem())
    for (seed, count) in [80, 12].enumerated() { try store.ingest(ScenarioInput(count, seed: UInt64(seed))) }
    let expected = try store.reportOfLog()
    let names = try folder.files().filter { $0.hasPrefix("store/index/") }
    #expect(names.count >= 2)
    #expect(try store.report() == expected)
    let files = try names.map { ($0, try folder.contents($0)) }
    var random = SeededGenerator(seed: 21)
    for number in 0..<Sweeps.count(10_000, sample: 200) {
      let (name, bytes) = files[Int.random(in: 0..<files.count, using: &random)]
      var flipped = bytes
      let bit = Int.random(in: 0..<bytes.count * 8, using: &random)
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      try folder.write(flipped, to: name)
      #expect(try store.report() == expected, "seed 21, number \(number): bit \(bit) of \(name)")
      try folder.write(bytes, to: name)
    }
    try LocalIndex.remove(from: store)
    #expect(try store.report() == expected)
  }

  @Test func `an index that grew commit by commit says what one made at once from the log says`() throws {
    for seed in 0..<UInt64(Sweeps.count(1000, sample: 15)) {
      var random = SeededGenerator(seed: seed)
      let folder = try TemporaryFolder(isInMemory: true)
      let store = ScenarioStore(folder: folder.path, disk: FaultyFileSystem())
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let count = Int.random(in: 1...30, using: &random)
        try store.ingest(ScenarioInput(RandomEvents.lines(count, using: &random)))
        if Int.random(in: 0..<6, using: &random) == 0 { try store.forget(["s\(Int.random(in: 0..<12, using: &random))"]) }
        if Int.random(in: 0..<8, using: &random) == 0 { try LocalIndex.remove(from: store) }
      }
      let grown = try store.report()
      #expect(try store.reportOfLog() == grown, "seed \(seed)")
      try LocalIndex.remove(from: store)
      try store.ingest(ScenarioInput([]))
      #expect(try store.report() == grown, "seed \(seed)")
    }
  }
}
