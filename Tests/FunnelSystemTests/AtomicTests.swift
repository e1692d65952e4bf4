import FunnelSystem
import Foundation
import Testing

@Suite struct AtomicTests {
  private final class Shared: Sendable {
    let number = AtomicInteger(-1)
    let flags = AtomicFlags(count: 1000)
    let flag = AtomicFlag()
    let sums = Guarded<[Int]>([])
  }

  @Test func `what many threads add is all counted, and each sum is seen once`() {
    let shared = Shared()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      let seen = (0..<1000).map { _ in shared.number.add(1) }
      shared.sums.withLock { $0 += seen }
    }
    #expect(shared.number.value == 7999)
    #expect(shared.sums.withLock { Set($0) } == Set(0..<8000))
  }

  @Test func `a flag is set alone and stays set`() {
    let shared = Shared()
    let before = shared.flag.isSet
    shared.flag.set()
    let after = shared.flag.isSet
    #expect(!before && after)
    DispatchQueue.concurrentPerform(iterations: 8) { readerSlot in
      for index in stride(from: readerSlot, to: 1000, by: 16) { shared.flags.set(index) }
    }
    #expect((0..<1000).allSatisfy { shared.flags.isSet($0) == ($0 % 16 < 8) })
  }

  @Test func `a number that is stored replaces the one before`() {
    let number = AtomicInteger(5)
    number.store(-3)
    #expect(number.value == -3)
    #expect(number.add(3) == 0)
  }
}
