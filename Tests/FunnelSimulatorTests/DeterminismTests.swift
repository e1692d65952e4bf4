import FunnelModel
import FunnelSimulator
import Testing

@Test func `the same options give the same bytes`() throws {
  let options = SimulationOptions.sample(late: true, duplicates: true, faults: true)
  #expect(try SimulatedLog(options).bytes == SimulatedLog(options).bytes)
}

@Test func `other seeds give other logs`() throws {
  let logs = try (1...4).map { try SimulatedLog(.sample(subjects: 20, seed: $0)).bytes }
  #expect(Set(logs).count == 4)
}

@Test func `the bytes are those of every other machine and every other day`() throws {
  // This is the FNV-1a hash of the log. It must be changed together with any change of the simulator that is meant to change
  // its logs.
  let log = try SimulatedLog(.sample(subjects: 100, seed: 7, late: true, duplicates: true, faults: true))
  let hash = log.bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  #expect(hash == 15_059_377_995_224_582_289)
}

@Test func `the order in which flows are named does not matter`() throws {
  let forward = try SimulatedLog(.sample(["trendy/onboarding", "clarity/onboarding@1", "clarity/onboarding@2"], subjects: 30))
  let backward = try SimulatedLog(.sample(["clarity/onboarding", "trendy/onboarding"], subjects: 30))
  #expect(forward.bytes == backward.bytes)
}

@Test func `duplicates only ever add lines`() throws {
  let plain = try SimulatedLog(.sample(subjects: 150))
  let repeated = try SimulatedLog(.sample(subjects: 150, duplicates: true))
  #expect(Set(plain.lines).isSubset(of: Set(repeated.lines)))
  #expect(repeated.lines.count > plain.lines.count)
}

@Test func `chunks are large and end with whole lines`() throws {
  var sizes: [Int] = []
  let summary = try Simulation(.sample(subjects: 300)).run { chunk in
    #expect(chunk.last == UInt8(ascii: "\n"))
    sizes.append(chunk.count)
  }
  #expect(sizes.count > 5)
  #expect(sizes.dropLast().allSatisfy { $0 >= Simulation.chunkBytesMin })
  #expect(sizes.reduce(0, +) == summary.bytes)
}

@Test func `an error of the writer ends the simulation at once`() throws {
  var calls = 0
  #expect(throws: FunnelError(.inputOutput, "full")) {
    try Simulation(.sample(subjects: 300)).run { _ throws(FunnelError) in
      calls += 1
      throw FunnelError(.inputOutput, "full")
    }
  }
  #expect(calls == 1)
}

@Test func `no more events wait than the bound says, and none is lost by it`() throws {
  let free = try SimulatedLog(.sample(subjects: 100))
  let bound = free.summary.pendingEventsPeak / 4
  #expect(bound > 10)
  let bounded = try SimulatedLog(.sample(subjects: 100), pendingEventsMax: bound)
  #expect(bounded.summary.pendingEventsPeak == bound)
  #expect(bounded.bytes != free.bytes)
  #expect(bounded.lines.sorted(by: precedes) == free.lines.sorted(by: precedes))
}

@Test func `lines come in the order of arrival`() throws {
  let times = try SimulatedLog(.sample(subjects: 60)).parsed().map(\.time)
  // Without late events, an event arrives in less than a second.
  #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 > -1000 })
}

@Test func `the log covers its days and no more`() throws {
  let log = try SimulatedLog(.sample(subjects: 400, days: 2))
  let start = CivilDate(daysSinceEpoch: 20_758).midnight.milliseconds
  let end = CivilDate(daysSinceEpoch: 20_760).midnight.milliseconds
  #expect(log.parsed().allSatisfy { $0.time >= start && $0.time < end })
  #expect(log.summary.subjects == 1600)
  #expect(log.summary.lines == log.lines.count)
}

private func precedes(_ lhs: [UInt8], _ rhs: [UInt8]) -> Bool { lhs.lexicographicallyPrecedes(rhs) }
