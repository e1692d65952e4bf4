import Foundation
import FunnelTestSupport
import Testing

/// Makes system calls of the real binary fail one at a time with `strace`, or kills it at them.
@Suite(.enabled(if: Tracing.isPossible, "strace is missing, or may not trace"))
struct InjectedFaultTests {
  /// One way for a system call to go wrong.
  struct Fault: Sendable, CustomTestStringConvertible {
    var call: String
    var injection: String
    /// A usual run tries one of every `3 * step` calls of this kind.
    var step = 1
    var testDescription: String { "\(call) \(injection)" }
  }

  static let faults: [Fault] = [
    .init(call: "fsync", injection: "error=EIO"), .init(call: "fsync", injection: "error=EINTR", step: 4),
    .init(call: "fsync", injection: "signal=SIGKILL", step: 3), .init(call: "pwrite64", injection: "error=EIO", step: 2),
    .init(call: "pwrite64", injection: "error=ENOSPC"), .init(call: "pwrite64", injection: "error=EDQUOT", step: 2),
    .init(call: "pwrite64", injection: "error=EINTR", step: 4), .init(call: "pwrite64", injection: "signal=SIGKILL"),
    .init(call: "renameat", injection: "error=EIO"), .init(call: "renameat", injection: "signal=SIGKILL"),
    .init(call: "openat", injection: "error=EMFILE", step: 23), .init(call: "openat", injection: "error=EINTR", step: 41),
    .init(call: "close", injection: "error=EIO", step: 29), .init(call: "ftruncate", injection: "error=EIO"),
    .init(call: "mkdirat", injection: "error=ENOSPC"), .init(call: "unlinkat", injection: "error=EIO"),
  ]

  /// Creates a store with one commit and the remains of an interrupted one, and a file to ingest next.
  private func place() throws -> Workplace {
    let place = try Workplace()
    var random = SeededGenerator(seed: 4)
    let linked = LinkedLog(40, using: &random).lines
    for number in 0..<2 {
      var lines = RandomEvents.lines(30, .init(hasConflicts: false), using: &random)
      // Links of the second commit join subjects of the first.
      lines += linked[number * 20..<(number + 1) * 20]
      // An event of another day needs a new folder, which may fail to be created.
      if number == 1 { lines.append(#"{"name":"perm_flow_start","ts":"2026-11-05T08:00:00Z","subject":"s1","app":"cleaner"}"#) }
      try place.write(lines.joined(separator: "\n") + "\n", to: "\(number).ndjson")
    }
    _ = try place.ingest("0.ndjson")
    let journal = try place.text("funnel-store/log/journal.ndjson")
    try place.write(journal + "{\"v\":1,\"commit\":2", to: "funnel-store/log/journal.ndjson")
    return place
  }

  private func run(_ place: Workplace, tracing options: String) throws -> FunnelRun {
    try FunnelRun(
      shell:
        "exec strace -f -y -qq -o trace \(options) \"$FUNNEL\" ingest 1.ndjson --now \(Workplace.now) --threads 1 --format json",
      directory: place.url)
  }

  @Test(arguments: faults)
  func `a system call that fails is reported, or does no harm, and the next run is right`(_ fault: Fault) throws {
    let place = try place()
    let whole = try place.copy()
    #expect(try run(whole, tracing: "-e trace=\(fault.call)").status == 0)
    let calls = try whole.text("trace").split(separator: "\n").filter { $0.contains("\(fault.call)(") }
    let count = calls.count
    let report = try whole.report()
    // The loader makes the first calls, to load libraries.
    let first = 1 + (calls.lastIndex { $0.contains(".so") || $0.contains("/ld.so.cache") }.map { $0 + 1 } ?? 0)
    #expect(first <= count, "the program makes no call of \(fault.call) that could fail")
    for number in stride(from: first, through: count, by: Sweeps.isFull ? 1 : 3 * fault.step) {
      let copy = try place.copy()
      let run = try run(copy, tracing: "-e trace=\(fault.call) -e inject=\(fault.call):\(fault.injection):when=\(number)")
      let what = "\(fault.call) \(number) of \(count), \(fault.injection): \(run.errors)"
      let isAcknowledged = run.output.contains("\"commit\":2")
      // There is at most one line on standard error, besides the one about the recovery and those about undeclared names.
      let lines = run.errors.split(separator: "\n").filter {
        !$0.contains("recovered") && !$0.hasPrefix("funnel:   ") && !$0.contains("that no flow declares, kept all the same:")
      }
      #expect(lines.count <= 1, "\(what)")
      if run.status == 0 {
        #expect(isAcknowledged, "\(what)")
      } else {
        #expect(!isAcknowledged, "\(what)")
        #expect(fault.injection.hasPrefix("signal") || [66, 73, 74].contains(run.status), "\(what)")
      }
      // The runtime opens /proc/self/maps once, to find the command line, and does not retry.
      let isRuntimes = calls[number - 1].contains("/proc/self/maps")
      if fault.injection.hasSuffix("EINTR"), !isRuntimes { #expect(run.status == 0, "\(what)") }
      if fault.call == "fsync", fault.injection == "error=EIO" {
        #expect(run.status == 74, "\(what)")
        try expectNoSecondFlush(copy, what)
      }
      let next = try copy.ingest("1.ndjson")
      if isAcknowledged { #expect(next["accepted"] as? Int == 0, "\(what)") }
      #expect(try copy.report() == report, "\(what)")
    }
  }

  /// Checks that a file or folder whose fsync failed is not flushed again.
  private func expectNoSecondFlush(_ place: Workplace, _ what: String) throws {
    let lines = try place.text("trace").split(separator: "\n")
    guard let failed = lines.firstIndex(where: { $0.contains("INJECTED") }) else { return }
    let path = lines[failed].split(separator: "<").last?.split(separator: ">").first ?? ""
    #expect(!path.isEmpty)
    #expect(!lines[(failed + 1)...].contains { $0.contains("<\(path)>") }, "\(what)")
  }
}

/// Whether processes can be traced here.
private enum Tracing {
  static let isPossible = (try? FunnelRun(shell: "strace -f -o /dev/null \"$FUNNEL\" --version").status) == 0
}
