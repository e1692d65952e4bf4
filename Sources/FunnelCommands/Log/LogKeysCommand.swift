import ArgumentParser
import FunnelDecoding
import FunnelIngest
import FunnelKit
import FunnelModel
import FunnelReports
import FunnelSchemas
import FunnelStore

/// The `funnel log keys` command: lists the keys that reports can be segmented and filtered by.
struct LogKeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "List the keys of ctx and props, how many events have them, and their most frequent values.",
    discussion: """
      Use these keys with --by and --where of 'funnel report'. Without INPUT the store is read. With INPUT the files are read directly, \
      and duplicate lines are counted each time. A null counts as absent.

      If a key has more than \(Quantity.count(Limits.countedValuesOfKeyMax)) values, only those that come first in the log are counted, and the number of \
      values is followed by a +.

      EXAMPLE
        funnel log keys
        funnel log keys --flow trendy/onboarding --name step_viewed --since 7d
        funnel log keys logs/ --values 20 --format csv > keys.csv
      """)

  @Argument(help: ArgumentHelp("Files or folders to read, - for standard input (default: the store).", valueName: "input"))
  var inputs: [String] = []

  @OptionGroup var store: StoreOption

  @Option(help: ArgumentHelp("Only events of this app; in INPUT also those that don't name one.", valueName: "app"))
  var app: String?

  @Option(help: ArgumentHelp("Only events that belong to this flow (repeatable).", valueName: "app/flow[@version]"))
  var flow: [String] = []

  @Option(help: ArgumentHelp("Only events of this name.", valueName: "event"))
  var name: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only events at or after this: a time, a date, or 24h, 7d ago.", valueName: "when"))
  var since: String?

  @Option(parsing: .unconditional, help: ArgumentHelp("Only events before this.", valueName: "when"))
  var until: String?

  @Option(parsing: .unconditional, help: ArgumentHelp("Time zone of dates (default: UTC).", valueName: "zone"))
  var tz: String?

  @Option(parsing: .unconditional, help: ArgumentHelp("Show this many values of each key.", valueName: "n"))
  var values = 5

  @Option(help: ArgumentHelp("table, json or csv.", valueName: "format"))
  var format: KeyListFormat = .table

  @OptionGroup var clock: ClockOption
  @OptionGroup var schemas: SchemaOption
  @OptionGroup var imports: ImportOptions
  @OptionGroup var threads: ThreadsOption

  func validate() throws {
    guard (0...Limits.countedValuesOfKeyMax).contains(values) else {
      throw ValidationError("--values \(values): give 0 to \(Limits.countedValuesOfKeyMax)")
    }
  }

  func run() throws {
    if let first = inputs.first, store.store != nil {
      throw FunnelError(.usage, "both --store and input files, \(first.printable), give one of them")
    }
    let now = try clock.present()
    let catalog = try schemas.catalog(store: inputs.isEmpty ? store.path : nil)
    let filter = try filter(PeriodOptions(now: now, timeZone: PeriodOptions.rules(ofZone: tz)), catalog)
    let statistics =
      inputs.isEmpty
      ? try statisticsOfStore(filter, catalog)
      : try statisticsOfFiles(filter, catalog, now: now)
    let listing = KeyListing(statistics, values: values)
    switch format {
    case .table: Console.print(listing.table)
    case .json: Console.print(listing.json)
    case .csv: Console.print(listing.csv)
    }
    printNotes(on: listing)
  }

  /// Returns the filter that the options define.
  private func filter(_ period: PeriodOptions, _ catalog: FlowCatalog) throws(FunnelError) -> LogFilter {
    let bounds = try period.bounds(since: since, until: until)
    var filter = LogFilter()
    filter.since = bounds.since
    filter.until = bounds.until
    filter.app = try AppName.checked(app)
    filter.name = name
    filter.flows = flow.isEmpty ? nil : try catalog.indices(ofFlows: flow)
    return filter
  }

  private func statisticsOfStore(_ filter: LogFilter, _ catalog: FlowCatalog) throws -> KeyStatistics {
    try StoreReader.retrying(store.path, damage: .isError) { (reader) throws(FunnelError) in
      let phase = Console.monitor.begin("reading", totalBytes: nil)
      defer { phase.finish() }
      return try FunnelError.catching {
        try KeyStatistics.ofLog(
          of: reader, matching: filter, catalog: catalog, threads: threads.count, progress: phase.update)
      }
    }
  }

  private func statisticsOfFiles(_ filter: LogFilter, _ catalog: FlowCatalog, now: Timestamp) throws -> KeyStatistics {
    let files = try InputFile.files(at: inputs)
    let phase = Console.monitor.begin("reading", files: files)
    var options = DecodingOptions(now: now, privacy: BuiltInSchemas.privacy, defaultApp: filter.app)
    options.imports = try imports.settings.plans()
    let (statistics, counts) = try KeyStatistics.ofFiles(
      files, options: options, matching: filter, catalog: catalog, threads: threads.count, progress: phase.update)
    phase.finish()
    Console.notes(imports.settings.report(counts.imports).fileNotes)
    try RejectionSummary.requireEvents(counts, of: inputs, command: "funnel ingest")
    if counts.rejectedCount > 0 { Console.note("funnel: \(RejectionSummary.sentence(counts))") }
    return statistics
  }

  /// Prints notes to standard error: why the list is empty, or what it omits.
  private func printNotes(on listing: KeyListing) {
    let isNarrowed = app != nil || !flow.isEmpty || name != nil || since != nil || until != nil
    if listing.events == 0 {
      let advice =
        isNarrowed
        ? "no events match, change or leave out --app, --flow, --name, --since or --until" : "no events, the log is empty"
      Console.note("funnel: \(advice)")
    } else if listing.keys.isEmpty {
      Console.note("funnel: no keys, no ctx or props in \(Quantity.counted(listing.events, "event"))")
    }
    if format == .table, listing.keys.contains(where: \.hasMoreValues) {
      Console.note("funnel: + means that there are more values; only those that come first in the log were counted")
    }
    if listing.hasMoreKeys {
      Console.note(
        "funnel: there are too many keys to count, those listed come first in the log, select fewer events with --app, --flow or --name"
      )
    }
  }
}

/// The format of the list of keys.
enum KeyListFormat: String, ExpressibleByArgument, CaseIterable {
  case table, json, csv
}

extension KeyListing {
  /// Creates a listing from the key statistics of a log.
  ///
  /// - Parameter values: The largest number of values to show for each key.
  init(_ statistics: KeyStatistics, values: Int) {
    self.init(
      events: statistics.events,
      keys: statistics.keys.map { key in
        Key(
          dimension: key.dimension, events: key.events, valueCount: key.values.count, hasMoreValues: key.hasMoreValues,
          mostFrequent: key.mostFrequent(values))
      }, hasMoreKeys: statistics.hasMoreKeys)
  }

  /// The table, with one line per key: `ctx.country  1,203  3  DE (800), AT (400), CH (3)`.
  var table: String {
    var table = TextTable(["key", "events", "values", "most frequent"], numberColumns: 1..<3)
    for key in keys {
      table.add([
        key.dimension.description, Quantity.count(key.events), Quantity.count(key.valueCount) + (key.hasMoreValues ? "+" : ""),
        key.mostFrequent.map { "\(Self.text($0.value)) (\(Quantity.count($0.events)))" }.joined(separator: ", "),
      ])
    }
    table.add([keys.isEmpty ? "no keys" : "all events", Quantity.count(events), "", ""])
    return table.text
  }

  /// The largest number of Unicode scalars shown of a value. With it, a line fits a terminal.
  private static let valueScalarsMax = 40

  /// Returns a value in the syntax of `--where KEY=`, shortened.
  ///
  /// It is quoted if it is empty, or if its spaces or commas would be ambiguous in a list.
  private static func text(_ value: PropertyValue) -> String {
    let full = value.description
    let head = full.unicodeScalars.prefix(valueScalarsMax)
    let text = String(String.UnicodeScalarView(head)) + (head.endIndex < full.unicodeScalars.endIndex ? "…" : "")
    let isPlain = !text.isEmpty && text.first != " " && text.last != " " && !text.contains(", ")
    return isPlain ? text : "\"\(text)\""
  }
}
