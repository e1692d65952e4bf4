import FunnelKit
import FunnelModel

/// The source of a report's events: a store or files. Reads them and computes reports.
struct ReportSource {
  /// The files and folders to read. If empty, the store is read.
  let inputs: [String]
  /// The app of events in files that do not name one, and of an ad-hoc flow. `nil` if it is not given.
  let app: String?
  let store: StoreOption
  let schemas: SchemaOption
  let query: QueryOptions
  let threads: ThreadsOption
  let memory: MemoryOption
  /// The options for records in formats of other products.
  let imports: ImportOptions
  /// Returns a suggestion for an input that does not exist, such as `did you mean …?`, or `nil` if no other
  /// word is similar.
  var suggestionForMissing: @Sendable (String) -> String? = { _ in nil }
  /// Whether `app` is the app of an ad-hoc flow, for which it may also be given with a store.
  var isAppOfSteps = false

  /// Throws `usage` if options for a store and options for files are combined.
  ///
  /// - Parameter advice: A clause to append to the error if an argument was probably not meant as a file.
  func check(advice: String = "") throws(FunnelError) {
    if !inputs.isEmpty, store.store != nil {
      throw FunnelError(.usage, "both --store and input files, \(inputs[0].printable), give one of them\(advice)")
    }
    if inputs.isEmpty, let option = imports.settings.firstOption {
      throw FunnelError(.usage, "\(option) is only for input files, a store holds funnel's own events, leave it out")
    }
    if !inputs.isEmpty, let past = query.asOf {
      throw FunnelError(.usage, "--as-of \(past.printable) is only for a store, not for input files, leave it out")
    }
    if app != nil, inputs.isEmpty, !isAppOfSteps {
      throw FunnelError(.usage, "--app is only for input files, events of a store name their app, leave it out")
    }
  }

  /// Returns a reader of the events, which computes reports.
  ///
  /// - Throws: `usage` if the memory limit is not valid.
  func reader() throws(FunnelError) -> ReportReader<ConsoleMonitor> {
    ReportReader(
      source: source, definitions: schemas.sources, flows: query.flow, app: app, threads: threads.count,
      memory: try memory.limit(), monitor: Console.monitor)
  }

  /// The files to read, or the store if there are none.
  private var source: EventSource { inputs.isEmpty ? .store(path: store.path) : .files(files) }

  /// The files to read.
  ///
  /// - Precondition: There is an input.
  var files: FileSource {
    FileSource(paths: inputs, app: app, imports: imports.settings, suggestionForMissing: suggestionForMissing)
  }

  /// Prints a note on other IDs if the records are imported and most subjects never entered the flow
  /// (``IdentityTrial``).
  func printIdentityNote(of response: ReportResponse) throws(FunnelError) {
    guard !inputs.isEmpty else { return }
    if let note = try response.identityNote(on: files, threads: threads.count) { Console.printError(note) }
  }
}
