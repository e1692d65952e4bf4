import ArgumentParser
import FunnelImport
import FunnelIngest
import FunnelModel
import FunnelSchemas

/// The options that say what the records of inputs are.
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

  /// Whether the format is given, so that it is not told from the records.
  var isFormatGiven: Bool { from != nil && from != "auto" }

  /// The first of the options that is given, or nil if none is.
  var given: String? { from != nil ? "--from" : !map.isEmpty ? "--map" : sourceTz != nil ? "--source-tz" : nil }

  /// Returns how records are read, with the mappings given and those beside the definitions of a store.
  ///
  /// - Throws: `usage` for an unknown format or zone, `noInput` for a mapping that can't be read, `configuration` for a wrong one.
  ///
  /// - Parameters:
  ///   - store: The store whose mappings are in effect too.
  ///   - needsMapping: Whether records that can't be read without a mapping are an error.
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

  /// Returns the mappings that are given.
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

  /// Returns what is told of an import that was read with these options.
  func report(_ aggregate: ImportCounts) -> ImportReport {
    ImportReport(aggregate: aggregate, isFormatGiven: isFormatGiven, mappings: (try? mappings()) ?? [])
  }

  /// The format that is given, or nil if the first records of each input tell it.
  private func checkedFormat() throws(FunnelError) -> ImportFormat? {
    guard let from, from != "auto" else { return nil }
    if let format = ImportFormat(rawValue: from) { return format }
    let names = ["auto"] + ImportFormat.allCases.map(\.rawValue)
    let nearest =
      NearestName.find(from.lowercased(), in: names).map { "did you mean \($0)?" }
      ?? "give one of \(names.joined(separator: ", "))"
    throw FunnelError(.usage, "unknown format, --from \(from.printable), \(nearest)")
  }

  private func requireMapping(_ format: ImportFormat?, _ mappings: [ImportMapping]) throws(FunnelError) {
    guard format == .csv, !mappings.contains(where: { $0.format == .csv || $0.format == nil }) else { return }
    throw FunnelError(
      .usage, "CSV needs a mapping, --from csv, make one with 'funnel map init FILE > todo.map.json' and give it with --map")
  }
}
