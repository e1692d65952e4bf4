import FunnelSequences
import FunnelImport
import FunnelDecoding
import FunnelInference
import FunnelIngest
import FunnelModel
import FunnelReports

/// Tests whether another ID of imported records would be a better subject.
///
/// If most subjects never enter the first step of a flow, the import probably used the wrong ID. For example,
/// events of some apps have one ID before login and another one after it.
struct IdentityTrial {
  let files: [InputFile]
  let options: DecodingOptions
  let catalog: FlowCatalog
  let threads: Int

  init(files: [InputFile], options: DecodingOptions, catalog: FlowCatalog, threads: Int) {
    precondition(threads > 0, "a trial needs a thread")
    self.files = files
    self.options = options
    self.catalog = catalog
    self.threads = threads
  }

  /// The largest number of IDs to try. Each reads the input once more.
  private static let pathsMax = 4

  /// Returns a sentence on how many subjects would enter the worst flow by each other ID, or `nil` if no flow
  /// looks wrong or the input cannot be read again.
  func note(_ aggregate: ImportCounts, entries: [FlowEntries]) -> String? {
    let formats = aggregate.files.keys.filter { $0 != .native }
    // Standard input can't be read again.
    guard formats.count == 1, let format = formats.first, files.allSatisfy({ $0.byteCount != nil }) else { return nil }
    guard
      let worst = entries.filter({ $0.groups >= FlowNotes.groupsMin && $0.outsiders * 2 > $0.groups }).max(by: {
        $0.outsiders < $1.outsiders
      }),
      let flow = catalog.definitions.firstIndex(where: { $0.reference == worst.flow.reference }),
      // Steps that the query lists may begin anywhere in a flow.
      !catalog.adHocIndices.contains(flow)
    else { return nil }
    let trials = otherIdentities(format, aggregate).prefix(Self.pathsMax).compactMap { path in
      (try? entered(flow, by: path)).map { "\(Quantity.count($0.entered)) of \(Quantity.count($0.groups)) by \(path)" }
    }
    let now =
      "\(Quantity.count(worst.groups - worst.outsiders)) of \(Quantity.count(worst.groups)) enter \(worst.flow.reference)"
    guard !trials.isEmpty else {
      return format == .csv ? "\(now); no other column looks like an id" : "\(now); the records have no other id"
    }
    return
      "\(now) by the id that was used as the subject; it would be \(trials.joined(separator: ", ")): choose one with \"subject\" in a mapping (--map)"
  }

  /// Returns the paths of other IDs in the records. For CSV, these are columns whose names are typical of subjects.
  private func otherIdentities(_ format: ImportFormat, _ aggregate: ImportCounts) -> [ImportedPath] {
    guard format == .csv else { return ImportPlan.identityPaths(format).filter { aggregate.leftOut[$0.text] != nil } }
    let mapping = options.imports.mappings.first { $0.format == .csv } ?? options.imports.mappings.first { $0.format == nil }
    let columns = Set(aggregate.leftOut.keys).union(mapping?.props.map(\.path.text) ?? [])
    return columns.filter(InferredColumns.isLikeSubject).sorted().map { ImportedPath(column: $0) }
  }

  /// Reads the input with another subject. Returns how many groups enter the flow, and the number of all groups.
  private func entered(_ flow: Int, by path: ImportedPath) throws(FunnelError) -> (entered: Int, groups: Int) {
    var options = options
    options.imports = options.imports.trying(subject: path)
    let query = ReportQuery(now: options.now)
    let (report, _) = try SequenceTable.withSequences(
      of: .files(files, options: options, threads: threads), catalog: catalog, query: query, flows: [flow], progress: { _ in }
    ) { (table) throws(FunnelError) in
      try FunnelReports.Report(
        of: table, catalog: catalog, flows: [flow], query: query, selection: .entries, threads: threads)
    }
    let entries = report.entries.first
    return ((entries?.groups ?? 0) - (entries?.outsiders ?? 0), entries?.groups ?? 0)
  }
}
