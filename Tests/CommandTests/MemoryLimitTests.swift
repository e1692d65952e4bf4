import Foundation
import FunnelTestSupport
import Testing

/// `--memory-limit`: its values, and how reports handle more events than fit.
@Suite struct MemoryLimitTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    try place.write(LogLine.completedRun("s1"), to: "log.ndjson")
    _ = try place.ingest("log.ndjson")
  }

  @Test(arguments: ["64MiB", "64M", "64mib", "65536KiB", "65536k", "1GiB", "2g", "1TiB", "8388607T"])
  func `a size with a unit is taken, and changes no report`(size: String) throws {
    let expected = try place.report()
    #expect(try place.report("--memory-limit", size) == expected)
    #expect(try place.report("--memory-limit", size, "log.ndjson") == expected)
  }

  @Test(arguments: [
    ("x", "not a size, --memory-limit x, write it as 512MiB or 2GiB"),
    ("512", "not a size, --memory-limit 512, write it as 512MiB or 2GiB"),
    ("1.5GiB", "not a size, --memory-limit 1.5GiB, write it as 512MiB or 2GiB"),
    ("-1GiB", "not a size, --memory-limit -1GiB, write it as 512MiB or 2GiB"),
    ("GiB", "not a size, --memory-limit GiB, write it as 512MiB or 2GiB"),
    ("512MB", "not a size, --memory-limit 512MB, write it as 512MiB or 2GiB"),
    ("1 GiB", "not a size, --memory-limit 1 GiB, write it as 512MiB or 2GiB"),
    ("8388608TiB", "not a size, --memory-limit 8388608TiB, write it as 512MiB or 2GiB"),
    ("99999999999999999999K", "not a size, --memory-limit 99999999999999999999K, write it as 512MiB or 2GiB"),
    ("1\u{1B}[2J", "not a size, --memory-limit 1\\u{1b}[2J, write it as 512MiB or 2GiB"),
    ("63MiB", "too little memory, --memory-limit 63MiB, give at least 64MiB"),
    ("65535KiB", "too little memory, --memory-limit 65535KiB, give at least 64MiB"),
    ("0G", "too little memory, --memory-limit 0G, give at least 64MiB"),
  ])
  func `any other is a mistake in one line, from files and from a store, 64`(size: String, message: String) throws {
    for inputs in [[], ["log.ndjson"]] {
      let run = try FunnelRun(arguments: ["report", "--memory-limit=\(size)"] + inputs, directory: place.url)
      #expect(run.status == 64)
      #expect(run.output == "")
      #expect(run.errors == "funnel: \(message)\n")
    }
  }

  @Test func `so is an empty one, 64`() throws {
    let run = try place.run("report", "--memory-limit", "")
    #expect(run.status == 64)
    #expect(run.errors == "funnel: not a size, --memory-limit , write it as 512MiB or 2GiB\n")
  }

  /// Returns a log that, read from a pipe, exceeds the memory that a limit of 64 MiB leaves for events. A pipe can't be read
  /// twice, so all of its events are kept.
  private func largeLog() -> String {
    let filling = String(repeating: "x", count: 300)
    let names = ["perm_flow_start", "perm_photos_pre_prompt_shown", "perm_photos_granted", "perm_flow_completed"]
    return (0..<30_000).map { number in
      LogLine.event(
        names[number % 4], "s\(number % 3)", at: number, "\"seq\":\(number % 2),\"props\":{\"n\":\"\(number)\(filling)\"}")
    }.joined()
  }

  @Test func `events beyond the limit go to a file in TMPDIR that is gone afterwards, and the report is the same`() throws {
    let log = largeLog()
    try place.write(log, to: "large.ndjson")
    try FileManager.default.createDirectory(atPath: place.folder.path("temporary"), withIntermediateDirectories: true)
    let arguments = ["report", "--format", "json", "--now", "2026-12-31", "--threads", "2"]
    let expected = try FunnelRun(arguments: arguments + ["large.ndjson"], directory: place.url)
    #expect(expected.status == 0)
    #expect(expected.output.contains(#""entered":3"#))
    func reportFromPipe(in folder: String) throws -> FunnelRun {
      try FunnelRun(
        // cat may say that nobody reads any more.
        shell:
          #"cat large.ndjson 2>/dev/null | TMPDIR=\#(folder) "$FUNNEL" \#(arguments.joined(separator: " ")) --memory-limit 64MiB -"#,
        directory: place.url)
    }
    let run = try reportFromPipe(in: "temporary")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output == expected.output)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path("temporary")) == [])
    // If the folder is missing, the file can't be made. This shows that the execution before did make one.
    let nowhere = try reportFromPipe(in: "nowhere")
    #expect(nowhere.status == 73)
    #expect(nowhere.output == "")
    #expect(nowhere.errors == "funnel: can't make a temporary file in nowhere, No such file or directory, set TMPDIR\n")
  }
}
