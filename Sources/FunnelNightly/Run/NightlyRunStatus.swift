import FunnelModel
import FunnelSystem

/// Reads and writes `status.json` in the folder of the reports: the times of the last run and the last success,
/// the alarms, problems and stages of the last run.
///
///     {"last_run":"2026-11-20T03:00:09.120Z","last_success":"2026-11-20T03:00:09.120Z","as_of":"2026-11-20T03:00:00.000Z",
///      "alarms":[],"problems":[],"stages":[{"stage":"ingest","outcome":"done","seconds":1.204,"reason":null},…]}
struct NightlyRunStatus {
  private static let name = "status.json"

  let folder: StoragePath
  let fileSystem = LocalFileSystem()

  /// Returns the time of the last successful run, or `nil` if there is none or the file cannot be read.
  func lastSuccess() -> Timestamp? {
    guard let bytes = try? fileSystem.readAll(folder.inside(Self.name), bytesMax: Limits.configurationBytesMax),
      let root = try? JSONDocument(parsing: bytes).root
    else { return nil }
    return root["last_success"]?.string.flatMap { Timestamp(rfc3339: $0) }
  }

  /// Writes the status of a run, atomically.
  ///
  /// - Parameters:
  ///   - alarms: The texts of alarms and crossed thresholds.
  ///   - asOf: The moment that the reports are as of.
  ///   - lastRun: The time at which this run finished.
  ///   - lastSuccess: The time of the last successful run, or `nil` if there is none.
  func write(
    _ stages: NightlyRunStages, alarms: [String], asOf: Timestamp, lastRun: Timestamp, lastSuccess: Timestamp?
  ) throws(FunnelError) {
    var bytes: [UInt8] = []
    bytes.append(text: "{\"last_run\":\"\(lastRun)\",\"last_success\":")
    bytes.appendJSON(lastSuccess?.description)
    bytes.append(text: ",\"as_of\":\"\(asOf)\",\"alarms\":")
    bytes.appendJSON(alarms)
    bytes.append(text: ",\"problems\":")
    bytes.appendJSON(stages.problems.messages)
    bytes.append(text: ",\"stages\":[")
    for (index, record) in stages.records.enumerated() {
      let milliseconds = Int((record.seconds * 1000).rounded())
      let seconds = "\(milliseconds / 1000).\(String(1000 + milliseconds % 1000).dropFirst())"
      bytes.append(text: index > 0 ? ",\n  " : "\n  ")
      bytes.append(
        text:
          "{\"stage\":\"\(record.stage.rawValue)\",\"outcome\":\"\(record.outcome.rawValue)\",\"seconds\":\(seconds),\"reason\":"
      )
      bytes.appendJSON(record.reason)
      bytes.append(text: "}")
    }
    bytes.append(text: "]}\n")
    try AtomicFile.write(folder.inside(Self.name), bytes, permissions: .shared)
  }
}
