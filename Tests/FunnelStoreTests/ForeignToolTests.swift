import Foundation
import FunnelStore
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

/// The log is plain gzip NDJSON in folders by day, so that tools that know nothing of funnel can read it.
@Suite struct ForeignToolTests {
  private let folder: TemporaryFolder
  private let lines: [String]

  init() throws {
    folder = try TemporaryFolder()
    let writer = try StoreScenario.writer(folder.path("store"))
    let batches = (1...3).map { StoreScenario.batch($0, events: 40) }
    for batch in batches { _ = try writer.commit(batch) }
    lines = StoreScenario.lines(of: batches)
  }

  /// The path of a Python that can import duckdb, if the environment names one; its place differs between machines.
  private static let duckDBPython = ProcessInfo.processInfo.environment["FUNNEL_DUCKDB_PYTHON"]
  private static let hasPython = (try? run("/usr/bin/env", ["python3", "-c", "import gzip, json"]))?.status == 0

  @Test func gzipReadsTheLog() throws {
    let log = folder.path("store/log")
    let found = try Self.run("/bin/sh", ["-c", "gzip -t '\(log)'/dt=*/*.gz && gzip -dc '\(log)'/dt=*/*.gz"])
    #expect(found.status == 0)
    #expect(found.output.split(separator: "\n").map(String.init).sorted() == lines)
  }

  @Test(.enabled(if: hasPython, "there is no python3"))
  func pythonReadsTheLog() throws {
    let script = """
      import glob, gzip, json, sys
      for path in glob.glob(sys.argv[1] + "/dt=*/*.gz"):
          with gzip.open(path, "rt", encoding="utf-8") as part:
              for line in part:
                  event = json.loads(line)
                  assert event["ts"][:10] == path.split("dt=")[1][:10]
                  print(line, end="")
      """
    let found = try Self.run("/usr/bin/env", ["python3", "-c", script, folder.path("store/log")])
    #expect(found.status == 0)
    #expect(found.output.split(separator: "\n").map(String.init).sorted() == lines)
  }

  @Test(.enabled(if: duckDBPython != nil, "FUNNEL_DUCKDB_PYTHON names no Python that can import duckdb"))
  func duckDBReadsTheLogByDay() throws {
    let script = """
      import duckdb, sys
      log = f"read_json('{sys.argv[1]}/dt=*/*.gz', format='newline_delimited', hive_partitioning=true)"
      duckdb.sql("set enable_progress_bar = false")
      rows = duckdb.sql(f"select dt, count(*), count(distinct subject), min(ts)::date from {log} group by dt order by dt")
      for row in rows.fetchall(): print(*row)
      """
    let found = try Self.run(try #require(Self.duckDBPython), ["-c", script, folder.path("store/log")])
    #expect(found.status == 0)
    let (day, before) = (StoreScenario.now.day, "2026-11-20")
    #expect(found.output == "\(before) 60 60 \(before)\n\(day) 60 60 \(day)\n")
  }

  private static func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }
}
