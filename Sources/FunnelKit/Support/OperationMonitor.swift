package import FunnelDecoding
package import FunnelIngest
import FunnelSystem

/// Receives the progress and the messages of an operation on a store.
package protocol OperationMonitor: Sendable {
  /// Begins a phase of the operation, such as `reading`.
  ///
  /// - Parameter totalBytes: The size of the phase's input in bytes, or `nil` if it is unknown.
  func begin(_ phase: String, totalBytes: Int?) -> any PhaseMonitor

  /// Receives a message about a likely mistake, or about something that the operation left undone.
  func note(_ message: String)
}

/// Receives the progress of one phase of an operation, on any thread.
package protocol PhaseMonitor: Sendable {
  /// Receives the progress so far.
  func update(_ progress: InputProgress)
  /// Ends the phase.
  func finish()
}

extension OperationMonitor {
  /// Begins a phase that reads files.
  package func begin(_ phase: String, files: [InputFile]) -> any PhaseMonitor {
    let sizes = files.map(\.byteCount)
    return begin(phase, totalBytes: sizes.contains(nil) ? nil : sizes.reduce(0) { $0 + ($1 ?? 0) })
  }

  /// Receives messages, in order.
  package func note(_ messages: [String]) {
    for message in messages { note(message) }
  }

  /// Receives the reason why the index could not be written, or nothing if that is `nil`.
  package func noteIndexProblem(_ problem: String?) {
    if let problem { note("the index was not written, reports will read the log instead: \(problem)") }
  }
}

/// A monitor that ignores everything.
package struct SilentMonitor: OperationMonitor {
  private struct Phase: PhaseMonitor {
    func update(_ progress: InputProgress) {}
    func finish() {}
  }

  package init() {}

  package func begin(_ phase: String, totalBytes: Int?) -> any PhaseMonitor { Phase() }
  package func note(_ message: String) {}
}

/// A monitor that keeps the messages of an operation.
final class NoteCollector: OperationMonitor {
  private let collected = Guarded<[String]>([])

  /// The messages so far, in order.
  var notes: [String] { collected.withLock { $0 } }

  func begin(_ phase: String, totalBytes: Int?) -> any PhaseMonitor { SilentMonitor().begin(phase, totalBytes: totalBytes) }
  func note(_ message: String) { collected.withLock { $0.append(message) } }
}
