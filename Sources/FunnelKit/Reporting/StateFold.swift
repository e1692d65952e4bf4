package import FunnelDecoding
import FunnelIndex
package import FunnelIngest
package import FunnelModel
package import FunnelReports
import FunnelSequences

/// Counts the events of files into a state, which merges with the states of other files.
package struct StateFold {
  private let query: ReportQuery
  private let selection: ReportSelection
  /// The flow versions to count.
  private let flows: ReportFlows
  private let request: StateRequest

  /// Creates a fold.
  ///
  /// - Parameters:
  ///   - known: The flow definitions in effect.
  ///   - names: The values of `--flow`.
  ///   - app: The app of an ad-hoc flow, or `nil` to derive it from the events.
  /// - Throws: `usage` if a flow does not exist.
  package init(
    _ query: ReportQuery, _ selection: ReportSelection, in known: FlowCatalog, flows names: [String], app: String?
  ) throws(FunnelError) {
    self.query = query
    self.selection = selection
    flows = try ReportFlows(of: query, in: known, flows: names, app: app)
    request = StateRequest(
      query, flows: names, app: query.steps.isEmpty ? nil : app, catalog: known, selection: selection)
  }

  /// Returns the state of the events of files, the counts from reading them, and sentences about users that are not merged
  /// because too many subjects name them.
  ///
  /// - Throws: `noInput` or `inputOutput` if a file can't be read.
  package func state(
    of files: [InputFile], options: DecodingOptions, threads: Int, memory: MemoryLimit, monitor: some OperationMonitor
  ) throws(FunnelError) -> (state: ReportState, input: InputCounts, notes: [String]) {
    precondition(threads > 0, "a fold needs a thread")
    let phase = monitor.begin("reading", files: files)
    let prepared = selection.prepared(query, flows: flows.definitions)
    var source = SequenceTable.Input.files(
      files, options: options, threads: threads, memoryBytesMax: memory.eventBytes)
    source.hasFingerprint = true
    var crowded: [CrowdedUser] = []
    let (counts, input) = try SequenceTable.withSequences(
      of: source, catalog: flows.catalog, query: prepared, flows: flows.indicesToRead, progress: phase.update
    ) { (table) throws(FunnelError) in
      let counts = try FoldedCounts(
        of: table, catalog: flows.catalog, flows: flows.indices, query: prepared, selection: selection, threads: threads)
      crowded = table.crowdedUsers
      return counts
    }
    phase.finish()
    return (
      ReportState(of: counts, request: request, period: StatePeriod(of: query), input: input), input,
      FunnelReports.Report.crowdedNotes(crowded, query)
    )
  }
}
