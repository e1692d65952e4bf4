import FunnelModel
import FunnelSimulator

/// A log that was simulated for a test.
struct SimulatedLog {
  var bytes: [UInt8] = []
  var chunkSizes: [Int] = []
  var summary: SimulationSummary

  init(_ options: SimulationOptions, pendingEventsMax: Int = Simulation.pendingEventsMax) throws {
    var bytes: [UInt8] = []
    var sizes: [Int] = []
    summary = try Simulation(options, pendingEventsMax: pendingEventsMax).run { chunk in
      bytes.append(contentsOf: chunk)
      sizes.append(chunk.count)
    }
    self.bytes = bytes
    chunkSizes = sizes
  }

  /// The lines, without their line breaks.
  var lines: [[UInt8]] { bytes.split(separator: UInt8(ascii: "\n")).map(Array.init) }

  /// The lines that are JSON, parsed.
  func parsed() -> [SimulatedLine] { lines.compactMap { SimulatedLine($0) } }

  /// Returns the parsed lines by app and subject, those of each subject sorted by true time.
  func sequences() -> [[SimulatedLine]] {
    Dictionary(grouping: parsed()) { "\($0.app) \($0.subject)" }
      .sorted { $0.key < $1.key }
      .map { $0.value.sorted { ($0.trueTime, $0.sequence) < ($1.trueTime, $1.sequence) } }
  }
}

/// A line of a simulated log, parsed by the model's own reader of JSON.
struct SimulatedLine {
  let node: JSONDocument.Node

  init(node: JSONDocument.Node) {
    self.node = node
  }

  init?(_ bytes: [UInt8]) {
    guard let document = try? JSONDocument(parsing: bytes), case .object = document.root.value else { return nil }
    node = document.root
  }

  var name: String { node["name"]?.string ?? "" }
  var app: String { node["app"]?.string ?? "" }
  var flow: String? { node["flow"]?.string }
  var version: Int? { node["flow_version"]?.integer.map(Int.init) }
  var subject: String { node["subject"]?.string ?? "" }
  var identifier: String { node["id"]?.string ?? "" }
  var attempt: String? { node["attempt"]?.string }
  var step: String? { node["step"]?.string }
  var sequence: Int64 { node["seq"]?.integer ?? 0 }
  var appVersion: String { node["ctx"]?["app_version"]?.string ?? "" }
  var time: Int64 { Self.milliseconds(node["ts"]) ?? .min }
  var sentAt: Int64? { Self.milliseconds(node["sent_at"]) }
  var receivedAt: Int64? { Self.milliseconds(node["received_at"]) }

  /// The time, corrected by the error of the device's clock (specification section 1).
  var trueTime: Int64 {
    guard let sentAt, let receivedAt else { return time }
    return time + receivedAt - sentAt
  }

  func property(_ key: String) -> JSONDocument.Node? { node["props"]?[key] }

  private static func milliseconds(_ node: JSONDocument.Node?) -> Int64? {
    node?.integer ?? node?.string.flatMap { Timestamp(rfc3339: $0)?.milliseconds }
  }
}

extension SimulationOptions {
  /// Returns options for a test: November 2026, without any irregularities by default.
  static func sample(
    _ flows: [String] = ["all"], subjects: Int = 200, seed: UInt64 = 20_261_101, days: Int = 21, late: Bool = false,
    duplicates: Bool = false, faults: Bool = false
  ) -> SimulationOptions {
    SimulationOptions(
      flows: flows, subjects: subjects, seed: seed, start: CivilDate(daysSinceEpoch: 20_758), days: days, includesLate: late,
      includesDuplicates: duplicates, includesFaults: faults)
  }
}
