import Foundation

/// A clock that stands still until a test advances it, and then wakes those who sleep.
final class ManualTime: Sendable {
  private struct Sleeper: Sendable {
    var id: Int
    var deadline: Date
    var wake: CheckedContinuation<Void, Never>
  }

  private struct State: Sendable {
    // 2026-11-20T10:00:00Z.
    var now = Date(timeIntervalSince1970: 1_795_168_800)
    var sleepers: [Sleeper] = []
    var cancelled: Set<Int> = []
    var lastID = 0
    var delays: [TimeInterval] = []
  }

  private let state = Guarded(State())

  var now: Date { state.withLock { $0.now } }

  /// The durations of all sleeps that were begun.
  var delays: [TimeInterval] { state.withLock { $0.delays } }

  /// The number of tasks that sleep.
  var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  func sleep(_ duration: TimeInterval) async throws {
    let id = state.withLock { state in
      state.delays.append(duration)
      state.lastID += 1
      return state.lastID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.cancelled.remove(id) != nil { return true }
          state.sleepers.append(Sleeper(id: id, deadline: state.now + duration, wake: continuation))
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
          state.cancelled.insert(id)
          return nil as Sleeper?
        }
        return state.sleepers.remove(at: index)
      }
      sleeper?.wake.resume()
    }
    try Task.checkCancellation()
  }

  /// Sets the clock on, or back, while no time passes.
  func set(by difference: TimeInterval) {
    state.withLock { state in
      state.now += difference
      for index in state.sleepers.indices { state.sleepers[index].deadline += difference }
    }
  }

  /// Sets the clock on, or back, and wakes those whose time has come.
  func advance(by duration: TimeInterval) {
    let woken = state.withLock { state in
      state.now += duration
      let now = state.now
      let woken = state.sleepers.filter { $0.deadline <= now }
      state.sleepers.removeAll { $0.deadline <= now }
      return woken
    }
    for sleeper in woken { sleeper.wake.resume() }
  }
}
