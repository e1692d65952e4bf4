import FunnelIngest

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A line on a terminal's standard error that says how far a long run came; nothing anywhere else.
final class ProgressLine {
  private let label: String
  private let totalBytes: Int?
  private let isShown = Console.errorIsTerminal && Environment["TERM"] != "dumb"
  private let start = ProgressLine.seconds()
  private var lastShown = 0.0
  private var hasLine = false

  /// A line for a run over files of so many bytes; nil where nobody knows how many.
  init(label: String, totalBytes: Int?) {
    self.label = label
    self.totalBytes = totalBytes
  }

  /// A line for a run over these files.
  convenience init(label: String, files: [InputFile]) {
    let sizes = files.map(\.byteCount)
    self.init(label: label, totalBytes: sizes.contains(nil) ? nil : sizes.reduce(0) { $0 + ($1 ?? 0) })
  }

  /// Shows how far the run came, at most ten times a second, and only once it has taken half a second.
  func update(_ progress: InputProgress) {
    guard isShown else { return }
    let now = Self.seconds()
    guard now - start > 0.5, now - lastShown > 0.1 else { return }
    lastShown = now
    hasLine = true
    Console.noteInPlace(line(progress, elapsed: now - start))
  }

  /// Takes the line away.
  func finish() {
    if hasLine { Console.noteInPlace("") }
    hasLine = false
  }

  private func line(_ progress: InputProgress, elapsed: Double) -> String {
    let rate = Double(progress.events) / elapsed
    var text = "\(label)  \(progress.bytes / 1_000_000) MB  \(progress.events) events  \(Int(rate)) events/s"
    if let totalBytes, totalBytes > 0, progress.fileBytes > 0 {
      let share = min(Double(progress.fileBytes) / Double(totalBytes), 1)
      let remaining = Int(elapsed / share - elapsed)
      let filled = Int(share * 20)
      text = "\(label)  [\(String(repeating: "#", count: filled))\(String(repeating: ".", count: 20 - filled))]"
        + " \(Int(share * 100)) %  \(progress.events) events  \(Int(rate)) events/s  \(remaining) s left"
    }
    return String(text.prefix((Environment.terminalWidth(of: 2) ?? 80) - 1))
  }

  private static func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
