import FunnelSystem
import FunnelTestSupport
import Testing

@testable import FunnelCommands

/// What the server computes for a question, once for all who wait for it and for nobody else.
@Suite struct AnswerCacheTests {
  /// A computation that lasts until it is cancelled, or told to end.
  private final class Computation: Sendable {
    let begun = Guarded(0)
    let cancelled = Guarded(0)
    let isToEnd = Guarded(false)

    func run() async throws -> ResponseCache.Response {
      begun.withLock { $0 += 1 }
      while !isToEnd.withLock({ $0 }) {
        do { try await Task.sleep(for: .milliseconds(1)) } catch {
          cancelled.withLock { $0 += 1 }
          throw error
        }
      }
      return ResponseCache.Response(status: 200, type: "text/plain", body: [1])
    }
  }

  private func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<6_000 {
      if condition() { return true }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return false
  }

  private func requests(_ count: Int, to cache: ResponseCache, _ computation: Computation) async -> [Task<[UInt8], any Error>] {
    var tasks: [Task<[UInt8], any Error>] = []
    for _ in 0..<count { tasks.append(Task { try await cache.response(for: "a") { try await computation.run() }.body }) }
    // All of them have asked.
    while await cache.waitingCount(for: "a") < count { try? await Task.sleep(for: .milliseconds(1)) }
    return tasks
  }

  @Test(arguments: [1, 2, 5]) func `a computation ends when all who asked for it went away, in whatever order`(count: Int)
    async throws
  {
    let (cache, computation) = (ResponseCache(bytesMax: 100), Computation())
    let tasks = await requests(count, to: cache, computation)
    for task in tasks { task.cancel() }
    #expect(await eventually { computation.cancelled.withLock { $0 } == 1 })
    for task in tasks { await #expect(throws: (any Error).self) { try await task.value } }
    #expect(computation.begun.withLock { $0 } == 1)
    // Who asks next is answered anew.
    computation.isToEnd.withLock { $0 = true }
    #expect(try await cache.response(for: "a") { try await computation.run() }.body == [1])
    #expect(computation.begun.withLock { $0 } == 2)
  }

  @Test func `a computation goes on for one who still waits`() async throws {
    let (cache, computation) = (ResponseCache(bytesMax: 100), Computation())
    let tasks = await requests(3, to: cache, computation)
    tasks[0].cancel()
    tasks[2].cancel()
    while await cache.waitingCount(for: "a") > 1 { try? await Task.sleep(for: .milliseconds(1)) }
    #expect(computation.cancelled.withLock { $0 } == 0)
    computation.isToEnd.withLock { $0 = true }
    #expect(try await tasks[1].value == [1])
    #expect(computation.begun.withLock { $0 } == 1)
  }
}
