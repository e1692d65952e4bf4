import FunnelIngest
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A progress line for long runs. It is shown only if standard error is a terminal, and may be updated from any thread.
final class ProgressLine: Sendable {
  private let label: String
  private let totalBytes: Int?
  private let isShown = Console.errorIsTerminal && Environment["TERM"] != "dumb"
  private let start = ProgressLine.seconds()
  private let shown = Guarded(Shown())

  private struct Shown {
    var lastTime = 0.0
    var hasLine = false
  }

  /// Creates a line for a run over files of a total size in bytes, or nil if the size is unknown.
  init(label: String, totalBytes: Int?) {
    self.label = label
    self.totalBytes = totalBytes
  }

  /// Creates a line for a run over files.
  convenience init(label: String, files: [InputFile]) {
    let sizes = files.map(\.byteCount)
    self.init(label: label, totalBytes: sizes.contains(nil) ? nil : sizes.reduce(0) { $0 + ($1 ?? 0) })
  }

  /// Shows the progress, at most ten times a second, and only after half a second.
  func update(_ progress: InputProgress) {
    guard isShown else { return }
    let now = Self.seconds()
    shown.withLock { shown in
      guard now - start > 0.5, now - shown.lastTime > 0.1 else { return }
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

  private func line(_ progress: InputProgress, elapsed: Double) -> String {
    let events = progress.events == 0 ? "" : "  \(Quantity.counted(Int(Double(progress.events) / elapsed), "event"))/s"
    var text = "\(label)  \(Quantity.bytes(progress.bytes))\(events)"
    if let totalBytes, totalBytes > 0, progress.fileBytes > 0 {
      let share = min(Double(progress.fileBytes) / Double(totalBytes), 1)
      let remaining = Int(elapsed / share - elapsed)
      let filled = Int(share * 20)
      text =
        "\(label)  [\(String(repeating: "#", count: filled))\(String(repeating: ".", count: 20 - filled))]"
        + " \(Int(share * 100)) %  \(Quantity.bytes(progress.fileBytes))\(events)  \(remaining) s left"
    }
    return String(text.prefix((Environment.terminalWidth(of: 2) ?? 80) - 1))
  }

  private static func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
