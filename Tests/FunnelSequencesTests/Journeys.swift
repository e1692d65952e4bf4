import FunnelProjections
import FunnelDecoding
import FunnelIngest
import FunnelSequences
import FunnelIndex
import FunnelModel
import FunnelSchemas
import FunnelTestSupport

/// The journeys of files, in a form that is easy to compare: each event is the label in its `props.n`.
struct Journeys {
  /// `app/flow@version` and the labels of the events of each journey, sorted.
  var labels: [String] = []
  var counts: InputCounts
  private var stored: [Stored]

  private struct Stored {
    var flow: Int
    var events: [TimedEvent]
    var segments: SegmentTable
  }

  static let now = Timestamp(rfc3339: "2026-11-21T12:00:00Z")!

  /// Reads each text as a file.
  init(
    _ texts: [String], catalog: FlowCatalog = builtIn, threads: Int = 1, flows: Set<Int>? = nil,
    _ change: (inout ReportQuery) -> Void = { _ in }
  ) throws {
    let folder = try TemporaryFolder()
    for (index, text) in texts.enumerated() { try folder.write(Array(text.utf8), to: "\(index).ndjson") }
    var query = ReportQuery(now: Self.now)
    query.by = [.property("n")]
    change(&query)
    let input = SequenceTable.Input.files(
      try InputFile.files(at: [folder.path]), options: DecodingOptions(now: query.now, privacy: BuiltInSchemas.privacy),
      threads: threads)
    let countsByAttempt = catalog.definitions.map { (query.countBy ?? $0.countBy) == .attempt }
    (stored, counts) = try SequenceTable.withSequences(
      of: input, catalog: catalog, query: query, flows: flows ?? Set(catalog.definitions.indices), progress: { _ in }
    ) { (table) throws(FunnelError) in
      var stored: [Stored] = []
      for partition in 0..<table.partitionCount {
        try JourneyCutter.forEachJourney(of: table, inPartition: partition, countsByAttempt: countsByAttempt) {
          stored.append(Stored(flow: $0, events: $1.events, segments: $1.segments))
        }
      }
      return stored
    }
    labels = stored.map { sequence in
      let names = sequence.events.map { "\(sequence.segments.value(of: .property("n"), row: $0.row))" }
      return "\(catalog.definitions[sequence.flow].reference): \(names.joined(separator: " "))"
    }.sorted()
  }

  /// Reads lines as one file.
  init(lines: [String], catalog: FlowCatalog = builtIn, _ change: (inout ReportQuery) -> Void = { _ in }) throws {
    try self.init([lines.joined(separator: "\n")], catalog: catalog, change)
  }

  /// Calls a body with every journey and the index of its flow version.
  func forEachJourney(_ body: (Int, StoredSequence) -> Void) {
    for sequence in stored { body(sequence.flow, StoredSequence(events: sequence.events, segments: sequence.segments)) }
  }

  /// Returns an event of cleaner/permissions_flow, a number of milliseconds after ten o'clock, with further fields.
  static func event(_ label: String, _ name: String, at milliseconds: Int, _ more: String = "", app: String = "cleaner")
    -> String
  {
    "{\"name\":\"\(name)\",\"ts\":\(1_795_168_800_000 + milliseconds),\"app\":\"\(app)\",\"props\":{\"n\":\"\(label)\"}"
      + (more.contains("\"subject\"") ? "" : ",\"subject\":\"s\"") + (more == "" ? "" : ",\(more)") + "}"
  }

  static let builtIn: FlowCatalog = {
    guard let catalog = try? FlowCatalog(layers: [BuiltInSchemas.flowFiles]) else {
      preconditionFailure("the flows are broken")
    }
    return catalog
  }()
}
