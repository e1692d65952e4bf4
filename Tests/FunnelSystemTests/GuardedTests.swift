import FunnelSystem
import Testing

@Suite struct GuardedTests {
  @Test func whatSeveralThreadsAddIsAllThere() {
    let threads = (0..<4).map { _ in ThreadGroup() }
    withExtendedLifetime(Shared(Guarded(0))) { shared in
      for thread in threads {
        thread.start { for _ in 0..<10_000 { shared.value.withLock { $0 += 1 } } }
      }
      for thread in threads { thread.wait() }
      #expect(shared.value.withLock { $0 } == 40_000)
    }
  }

  @Test func whoDoesNotWaitGetsNothingWhileAnotherIsThere() {
    let shared = Shared(Guarded(1))
    let other = ThreadGroup()
    let seen = Shared(Guarded<[Int?]>([]))
    shared.value.withLock { _ in
      other.start { seen.value.withLock { $0.append(shared.value.withLockIfAvailable { $0 }) } }
      other.wait()
    }
    other.start { seen.value.withLock { $0.append(shared.value.withLockIfAvailable { $0 }) } }
    other.wait()
    #expect(seen.value.withLock { $0 } == [nil, 1])
  }

  @Test func anErrorLeavesItOpenAndWhatWasDoneStays() {
    struct Failure: Error {}
    let value = Guarded("a")
    #expect(throws: Failure.self) {
      try value.withLock { (value: inout String) throws(Failure) in
        value += "b"
        throw Failure()
      }
    }
    #expect(value.withLock { $0 } == "ab")
  }

  @Test func aValueGoesWithItsGuard() {
    weak var object: Shared<Int>?
    do {
      let value = Shared(Guarded(0))
      let guarded = Guarded(value)
      object = value
      #expect(guarded.withLock { $0.value.withLock { $0 } } == 0)
    }
    #expect(object == nil)
  }

  private final class Shared<Value>: Sendable {
    let value: Guarded<Value>
    init(_ value: consuming Guarded<Value>) { self.value = value }
  }
}
