import FunnelDecoding
import FunnelKit
import FunnelModel
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A progress line on standard error, for long operations. It is shown only on a terminal. Thread-safe.
final class ProgressLine: PhaseMonitor {
  private let label: String
  private let totalBytes: Int?
  private let isShown = Console.errorIsTerminal && Environment["TERM"] != "dumb"
  private let start = ProgressLine.seconds()
  private let shown = Guarded(Shown())

  /// The time in seconds before the line is displayed. Short operations have no line.
  private static let delaySeconds = 0.5
  /// The shortest time in seconds between two updates of the line.
  private static let updateSeconds = 0.1
  /// The width of the progress bar in characters.
  private static let barWidth = 20
  /// The width in characters of a terminal that does not tell its own.
  private static let widthDefault = 80

  private struct Shown {
    /// The time of the last update.
    var lastTime = 0.0
    /// Whether the line is on the terminal.
    var hasLine = false
  }

  /// Creates a progress line.
  ///
  /// - Parameters:
  ///   - label: The name of the operation.
  ///   - totalBytes: The total size of the input in bytes, or `nil` if it is unknown.
  init(label: String, totalBytes: Int?) {
    self.label = label
    self.totalBytes = totalBytes
  }

  /// Displays the progress, unless the line was updated very recently.
  func update(_ progress: InputProgress) {
    guard isShown else { return }
    let now = Self.seconds()
    shown.withLock { shown in
      guard now - start > Self.delaySeconds, now - shown.lastTime > Self.updateSeconds else { return }
      shown.lastTime = now
      shown.hasLine = true
      Console.noteInPlace(line(progress, elapsed: now - start))
    }
  }

  /// Removes the line.
  func finish() {
    shown.withLock { shown in
      if shown.hasLine { Console.noteInPlace("") }
      shown.hasLine = false
    }
  }

  /// Returns the text of the line, shortened to the width of the terminal.
  ///
  /// - Parameter elapsed: The time in seconds since the start. Must be positive.
  private func line(_ progress: InputProgress, elapsed: Double) -> String {
    let events = progress.events == 0 ? "" : "  \(Quantity.counted(Int(Double(progress.events) / elapsed), "event"))/s"
    var text = "\(label)  \(Quantity.bytes(progress.bytes))\(events)"
    if let totalBytes, totalBytes > 0, progress.fileBytes > 0 {
      let share = min(Double(progress.fileBytes) / Double(totalBytes), 1)
      let remaining = Int(elapsed / share - elapsed)
      let filled = Int(share * Double(Self.barWidth))
      text =
        "\(label)  [\(String(repeating: "#", count: filled))\(String(repeating: ".", count: Self.barWidth - filled))]"
        + " \(Int(share * 100)) %  \(Quantity.bytes(progress.fileBytes))\(events)  \(remaining) s left"
    }
    return String(text.prefix((Environment.terminalWidth(of: STDERR_FILENO) ?? Self.widthDefault) - 1))
  }

  /// Returns the time of the monotonic clock in seconds.
  private static func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// Shows the progress of an operation on the terminal, and writes its messages to standard error.
struct ConsoleMonitor: OperationMonitor {
  func begin(_ phase: String, totalBytes: Int?) -> any PhaseMonitor { ProgressLine(label: phase, totalBytes: totalBytes) }
  func note(_ message: String) { Console.printError(message) }
}

extension Console {
  /// The monitor of all commands.
  static let monitor = ConsoleMonitor()
}
