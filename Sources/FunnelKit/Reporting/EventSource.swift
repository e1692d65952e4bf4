import FunnelImport
package import FunnelDecoding
package import FunnelIngest
package import FunnelModel
import FunnelSchemas

/// The source of a report's events.
package enum EventSource: Sendable {
  /// The store at a path.
  case store(path: String)
  /// Files and folders.
  case files(FileSource)
}

/// Files and folders of events, which are read and validated as in an ingest.
package struct FileSource: Sendable {
  /// The paths of files and folders, or `-` for standard input.
  package var paths: [String]
  /// The app of events that do not name one, or `nil` if it is not given.
  package var app: String?
  /// The format of the records.
  package var imports: ImportSettings
  /// Returns a suggestion for a path that does not exist, such as `did you mean …?`, or `nil` if no other word is similar.
  package var suggestionForMissing: @Sendable (String) -> String?

  package init(
    paths: [String], app: String? = nil, imports: ImportSettings = ImportSettings(),
    suggestionForMissing: @escaping @Sendable (String) -> String? = { _ in nil }
  ) {
    precondition(!paths.isEmpty, "a report of files needs a path")
    self.paths = paths
    self.app = app
    self.imports = imports
    self.suggestionForMissing = suggestionForMissing
  }

  /// Returns the files to read.
  ///
  /// - Throws: `noInput` if a path does not exist or has no inputs, with the suggestion.
  package func files() throws(FunnelError) -> [InputFile] {
    do throws(FunnelError) {
      return try InputFile.files(at: paths)
    } catch {
      guard error.code == .noInput, let suggestion = suggestionForMissing(paths[0]) else { throw error }
      throw FunnelError(.noInput, "\(error.message); \(suggestion)")
    }
  }

  /// Returns the options for decoding the files.
  package func decoding(now: Timestamp) throws(FunnelError) -> DecodingOptions {
    var options = DecodingOptions(now: now, privacy: BuiltInSchemas.privacy, defaultApp: try AppName.checked(app))
    options.imports = try imports.plans()
    return options
  }

  /// Returns a line with the number of duplicates if the IDs of imported events are derived from their records. With IDs of their
  /// own, duplicates are what they are for.
  func duplicateNotes(_ counts: InputCounts, plans: ImportPlans) -> [String] {
    let isDerived = counts.imports.files.keys.contains { $0 != .native && plans.plan(for: $0).derivesIDs }
    guard counts.duplicates > 0, isDerived else { return [] }
    let isOne = counts.duplicates == 1
    return [
      "\(Quantity.counted(counts.duplicates, "record")) \(isOne ? "equals" : "equal") others and \(isOne ? "was" : "were") counted once; "
        + "an \"id\" in the mapping would tell them apart"
    ]
  }

  /// Returns lines with the number of rejected lines, the first of them, and the command that shows all.
  func rejectionNotes(_ counts: InputCounts) -> [String] {
    guard counts.rejectedCount > 0 else { return [] }
    let shown = counts.firstRefusals.refusals.map(RejectionReport.text)
    let files = paths.map(CommandHint.quoted).joined(separator: " ")
    return [RejectionSummary.sentence(counts)] + shown.map { "  \($0)" }
      + ["  see all with: funnel ingest \(files) --store DIR, then funnel rejected show --store DIR"]
  }
}
