import Foundation
import FunnelTestSupport
import Testing

/// Ingests on a disk that is really full: the file system is small, or the size of files is limited.
@Suite struct FullDiskTests {
  private func place() throws -> (place: Workplace, report: String) {
    let place = try Workplace()
    var random = SeededGenerator(seed: 3)
    let lines = RandomEvents.lines(300, .init(hasConflicts: false), using: &random)
    try place.write(lines[..<150].joined(separator: "\n") + "\n", to: "0.ndjson")
    try place.write(lines[150...].joined(separator: "\n") + "\n", to: "1.ndjson")
    let whole = try place.copy()
    for number in 0..<2 { _ = try whole.ingest("\(number).ndjson") }
    return (place, try whole.report())
  }

  /// Checks the status and the messages of an ingest that may have failed.
  ///
  /// - Returns: Whether it failed.
  private func expectNoHarm(_ run: FunnelRun, _ place: Workplace, _ report: String, _ what: String) throws -> Bool {
    // An ingest that can't write only the index succeeds, and says so in one line.
    #expect(run.status == 0 || run.status == 74, "\(what): \(run.errors)")
    #expect(run.errors.count { $0 == "\n" } <= 1, "\(what): \(run.errors)")
    if run.status != 0 {
      #expect(run.output == "", "\(what)")
      #expect(run.errors.hasPrefix("funnel: "), "\(what)")
    }
    return run.status != 0
  }

  @Test(.enabled(if: !isSanitized, "a sanitizer takes the signal for a crash"))
  func `a file that may not grow fails an ingest, and the next one without the limit is right`() throws {
    let (place, report) = try place()
    _ = try place.ingest("0.ndjson")
    var failures = 0
    for kilobytes in [0, 1, 2, 3, 4, 6, 8, 16, 64, 256] {
      let copy = try place.copy()
      // The output goes through a pipe and the coverage data to /dev/null, because the limit would apply to their files too.
      let run = try FunnelRun(
        shell: """
          exec 4>&1
          { (ulimit -f \(kilobytes); LLVM_PROFILE_FILE=/dev/null exec "$FUNNEL" ingest 1.ndjson --now \(Workplace.now) 2>&3) | cat >&4; exit "${PIPESTATUS[0]}"; } \\
            3>&1 | cat >&2
          exit "${PIPESTATUS[0]}"
          """, directory: copy.url)
      if try expectNoHarm(run, copy, report, "\(kilobytes) KiB") { failures += 1 }
      _ = try copy.ingest("1.ndjson")
      #expect(try copy.report() == report, "\(kilobytes) KiB")
      #expect(try copy.run("log", "verify").status == 0, "\(kilobytes) KiB")
    }
    #expect(failures >= 1 && failures < 10)
  }

  /// Whether a file system in memory can be mounted here.
  private static let canMount: Bool = {
    let script = "d=$(mktemp -d) && mount -t tmpfs -o size=64k tmpfs $d && umount $d; s=$?; rmdir $d; exit $s"
    return geteuid() == 0 && (try? FunnelRun(shell: script).status) == 0
  }()

  @Test(.enabled(if: canMount, "mounting a small file system takes root"))
  func `a disk that is full fails an ingest, and the next one on a larger disk is right`() throws {
    let (place, report) = try place()
    var failures = 0
    for kilobytes in [16, 48, 64, 80, 96, 128, 256, 4096] {
      let copy = try place.copy()
      let run = try FunnelRun(
        shell: """
          mkdir disk && mount -t tmpfs -o size=\(kilobytes)k tmpfs disk || exit 99
          "$FUNNEL" ingest 0.ndjson 1.ndjson --store disk/store --now \(Workplace.now); status=$?
          mount -o remount,size=16m disk
          "$FUNNEL" ingest 0.ndjson 1.ndjson --store disk/store --now \(Workplace.now) > /dev/null 2>&1 || status=98
          cp -r disk/store funnel-store; umount disk; exit $status
          """, directory: copy.url)
      if try expectNoHarm(run, copy, report, "\(kilobytes) KiB") { failures += 1 }
      #expect(try copy.report() == report, "\(kilobytes) KiB")
      #expect(try copy.run("log", "verify").status == 0, "\(kilobytes) KiB")
    }
    #expect(failures >= 1 && failures < 8)
  }
}
