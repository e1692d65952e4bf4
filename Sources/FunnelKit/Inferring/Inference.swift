import FunnelDecoding
import FunnelImport
import FunnelInference
import FunnelIngest
package import FunnelModel
import FunnelSchemas

/// Infers definitions from the events of files, or compares definitions with the events.
package struct Inference {
  /// A definition as JSON, and comments on how it was inferred.
  package struct Draft {
    package let json: String
    package let evidence: [String]
    /// The decision that the draft needs from the user, as a sentence, or `nil` if it needs none.
    package var decision: String?
  }

  private let paths: [String]
  private let imports: ImportSettings
  /// The app of events that do not name one, or `nil` if it is not given.
  private let app: String?

  /// - Parameter paths: Files and folders, or `-` for standard input. Never empty.
  package init(paths: [String], imports: ImportSettings, app: String?) {
    precondition(!paths.isEmpty, "an inference needs a path")
    self.paths = paths
    self.imports = imports
    self.app = app
  }

  /// Returns the draft of a mapping with every event name of the files.
  ///
  /// - Parameter columns: The columns whose roles are given.
  package func mapping(columns: GivenColumns = GivenColumns(), monitor: some OperationMonitor) throws -> Draft {
    let files = try InputFile.files(at: paths)
    let plans = try imports.plans(needsMapping: false).reading(header: columns.header, encoding: columns.encoding)
    let phase = monitor.begin("reading", files: files)
    let sample = try MappingSample.ofFiles(
      files, imports: plans, columns: columns, privacy: BuiltInSchemas.privacy, progress: phase.update)
    phase.finish()
    monitor.note(ImportReport(aggregate: sample.imports).fileNotes)
    if let damage = sample.damage { monitor.note(["\(damage); the draft is made of the records before it"]) }
    let mapping = InferredMapping(sample, app: app ?? plans.mappings.lazy.compactMap(\.app).first)
    return Draft(json: mapping.json, evidence: mapping.evidence, decision: mapping.decision)
  }

  /// Returns the draft of a flow definition.
  ///
  /// - Parameters:
  ///   - name: The name of the flow, or `nil` for the one in the events.
  ///   - goal: The ID of the step that is the goal, or `nil` to infer it.
  ///   - shareMin: The smallest share of subjects that must have a step, or `nil` for the default.
  /// - Throws: `unusableInput` if no line is a valid event.
  package func flow(
    named name: String?, goal: String?, shareMin: Double?, at now: Timestamp, monitor: some OperationMonitor
  ) throws -> Draft {
    var options = InferredFlow.Options()
    options.app = app
    options.flow = name
    options.goal = goal
    if let shareMin { options.shareMin = shareMin }
    let (statistics, imported) = try statistics(try FlowCatalog(layers: []), at: now, monitor)
    options.originals = imported.originalsOfLossyNames
    let flow = try InferredFlow(statistics, options: options)
    return Draft(json: flow.json, evidence: flow.evidence, decision: flow.decision)
  }

  /// Compares the definitions of a catalog with the events.
  ///
  /// - Throws: `unusableInput` if no line is a valid event.
  package func comparison(
    with catalog: FlowCatalog, at now: Timestamp, monitor: some OperationMonitor
  ) throws -> LogComparison {
    LogComparison(DefinitionFindings(try statistics(catalog, at: now, monitor).0, catalog: catalog), catalog: catalog)
  }

  /// Reads the files, and notes their formats and the rejected lines.
  private func statistics(
    _ catalog: FlowCatalog, at now: Timestamp, _ monitor: some OperationMonitor
  ) throws -> (OccurrenceStatistics, ImportCounts) {
    let files = try InputFile.files(at: paths)
    var options = DecodingOptions(now: now, privacy: BuiltInSchemas.privacy, defaultApp: app)
    options.imports = try imports.plans()
    let command = (["funnel ingest"] + (paths + imports.arguments).map(CommandHint.quoted) + ["--dry-run"]).joined(
      separator: " ")
    let phase = monitor.begin("reading", files: files)
    let (statistics, counts) = try OccurrenceStatistics.ofFiles(
      files, options: options, catalog: catalog, progress: phase.update)
    phase.finish()
    monitor.note(imports.report(counts.imports).notes)
    try RejectionSummary.requireEvents(counts, of: paths, command: command, first: statistics.firstRejection)
    if counts.rejectedCount > 0 { monitor.note(RejectionSummary.sentence(counts)) }
    return (statistics, counts.imports)
  }
}
