import ArgumentParser
import FunnelImport
import FunnelIngest
import FunnelModel
import FunnelSchemas

/// The options that define the format of input records: `--from`, `--map` and `--source-tz`.
struct ImportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Format of the records: auto, native, segment, rudderstack, amplitude, mixpanel, posthog, ga4, cloudevents or csv (default: auto, detected from the first records of each input).",
      valueName: "format"),
    completion: .list(["auto"] + ImportFormat.allCases.map(\.rawValue)))
  var from: String?

  @Option(
    help: ArgumentHelp(
      "Mapping from another product's records to events, see 'funnel map init' (repeatable).", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var map: [String] = []

  @Option(help: ArgumentHelp("Time zone of times that don't name one, such as Europe/Berlin.", valueName: "zone"))
  var sourceTz: String?

  /// Whether the format is given, in which case it is not detected.
  var isFormatGiven: Bool { from != nil && from != "auto" }

  /// The first of the options that is given, or `nil` if none is.
  var given: String? {
    if from != nil { return "--from" }
    if !map.isEmpty { return "--map" }
    return sourceTz != nil ? "--source-tz" : nil
  }

  /// Returns the import plans, with the given mappings and those of a store.
  ///
  /// A given mapping replaces one of the store for the same format.
  ///
  /// - Parameters:
  ///   - store: The store whose mappings also apply, or `nil` for none.
  ///   - needsMapping: Whether a format that needs a mapping and has none is an error.
  /// - Throws: `usage` for an unknown format or time zone, `noInput` for a mapping that cannot be read,
  ///   `configuration` for an invalid one.
  func plans(store: String? = nil, needsMapping: Bool = true) throws(FunnelError) -> ImportPlans {
    let format = try checkedFormat()
    let given = try mappings()
    let stored = try store.map { (path) throws(FunnelError) in try MappingFile.all(inStore: path) } ?? []
    let mappings = given + stored.filter { mapping in !given.contains { $0.format == mapping.format } }
    if needsMapping { try requireMapping(format, mappings) }
    let zone = try sourceTz.map { (name) throws(FunnelError) in
      try TimeZoneOption.rules(named: name, option: "--source-tz")
    }
    return ImportPlans(format: format, mappings: mappings, sourceZone: zone)
  }

  /// Reads the mappings of `--map`.
  private func mappings() throws(FunnelError) -> [ImportMapping] {
    var mappings: [ImportMapping] = []
    for path in map {
      let mapping = try MappingFile.read(path)
      if let other = mappings.first(where: { $0.format == mapping.format }) {
        let format = mapping.format.map { "for \($0.rawValue)" } ?? "without \"from\""
        throw FunnelError(
          .usage, "two mappings \(format), --map \(other.source.printable) and \(path.printable), give one of them")
      }
      mappings.append(mapping)
    }
    return mappings
  }

  /// Returns the report on an import that used these options.
  func report(_ aggregate: ImportCounts) -> ImportReport {
    ImportReport(aggregate: aggregate, isFormatGiven: isFormatGiven, mappings: (try? mappings()) ?? [])
  }

  /// Returns the given format, or `nil` if it is detected from the first records of each input.
  private func checkedFormat() throws(FunnelError) -> ImportFormat? {
    guard let from, from != "auto" else { return nil }
    if let format = ImportFormat(rawValue: from) { return format }
    let names = ["auto"] + ImportFormat.allCases.map(\.rawValue)
    let nearest =
      NearestName.find(from.lowercased(), in: names).map { "did you mean \($0)?" }
      ?? "give one of \(names.joined(separator: ", "))"
    throw FunnelError(.usage, "unknown format, --from \(from.printable), \(nearest)")
  }

  /// Throws `usage` if the format is CSV and there is no mapping for it.
  private func requireMapping(_ format: ImportFormat?, _ mappings: [ImportMapping]) throws(FunnelError) {
    guard format == .csv, !mappings.contains(where: { $0.format == .csv || $0.format == nil }) else { return }
    throw FunnelError(
      .usage, "CSV needs a mapping, --from csv, make one with 'funnel map init FILE > todo.map.json' and give it with --map")
  }
}
