package import FunnelImport
package import FunnelDecoding
package import FunnelModel
import FunnelSchemas

/// The format of input records: `--from`, `--map` and `--source-tz`.
package struct ImportSettings: Hashable, Sendable {
  /// The name of the format, or `nil` or `auto` to detect it from the first records of each input.
  package var format: String?
  /// The files that map another product's records to events, or built-in mappings such as `builtin:umami`.
  package var mappingFiles: [String] = []
  /// The time zone of times that do not name one, or `nil` for UTC.
  package var sourceTimeZone: String?

  package init(format: String? = nil, mappingFiles: [String] = [], sourceTimeZone: String? = nil) {
    self.format = format
    self.mappingFiles = mappingFiles
    self.sourceTimeZone = sourceTimeZone
  }

  /// Whether the format is given, by an option or by the only mapping, in which case it is not detected.
  package var isFormatGiven: Bool {
    (format != nil && format != "auto") || impliedFormat((try? mappings()) ?? []) != nil
  }

  /// The options and their values, as on the command line.
  var arguments: [String] {
    (format.map { ["--from", $0] } ?? []) + mappingFiles.flatMap { ["--map", $0] }
      + (sourceTimeZone.map { ["--source-tz", $0] } ?? [])
  }

  /// The first of the options that is given, or `nil` if none is.
  package var firstOption: String? {
    if format != nil { return "--from" }
    if !mappingFiles.isEmpty { return "--map" }
    return sourceTimeZone != nil ? "--source-tz" : nil
  }

  /// Returns the import plans, with the given mappings and those of a store.
  ///
  /// A given mapping replaces one of the store for the same format.
  ///
  /// - Parameters:
  ///   - store: The store whose mappings also apply, or `nil` for none.
  ///   - needsMapping: Whether a format that needs a mapping and has none, or one without all paths, is an error.
  /// - Throws: `usage` for an unknown format or time zone, `noInput` for a mapping that does not exist or cannot be read,
  ///   `configuration` for an invalid one.
  package func plans(store: String? = nil, needsMapping: Bool = true) throws(FunnelError) -> ImportPlans {
    let given = try mappings(mayBePartial: !needsMapping)
    let format = try checkedFormat() ?? impliedFormat(given)
    let stored = try store.map { (path) throws(FunnelError) in try MappingFile.all(inStore: path) } ?? []
    let mappings = given + stored.filter { mapping in !given.contains { $0.format == mapping.format } }
    if needsMapping { try requireMapping(format, mappings) }
    let zone = try sourceTimeZone.map { (name) throws(FunnelError) in
      try TimeZoneRules.named(name, option: "--source-tz")
    }
    return ImportPlans(format: format, mappings: mappings, sourceZone: zone)
  }

  /// Returns the report on an import with these settings.
  package func report(_ aggregate: ImportCounts) -> ImportReport {
    ImportReport(aggregate: aggregate, isFormatGiven: isFormatGiven, mappings: (try? mappings()) ?? [])
  }

  /// Reads the mappings of ``mappingFiles``.
  ///
  /// - Parameter mayBePartial: Whether mappings may lack the paths that their formats need.
  private func mappings(mayBePartial: Bool = false) throws(FunnelError) -> [ImportMapping] {
    var mappings: [ImportMapping] = []
    for path in mappingFiles {
      let isBuiltIn = path.hasPrefix(BuiltInMapping.prefix)
      let mapping = try isBuiltIn ? BuiltInMapping.named(path).mapping() : MappingFile.read(path, mayBePartial: mayBePartial)
      if let other = mappings.first(where: { $0.format == mapping.format }) {
        let format = mapping.format.map { "for \($0.rawValue)" } ?? "without \"from\""
        throw FunnelError(
          .usage, "two mappings \(format), --map \(other.source.printable) and \(path.printable), give one of them")
      }
      mappings.append(mapping)
    }
    return mappings
  }

  /// Returns the format that the only given mapping names, or `nil` to detect it.
  private func impliedFormat(_ given: [ImportMapping]) -> ImportFormat? {
    // A mapping of the store says nothing about other inputs, and `auto` asks for detection.
    format == nil && given.count == 1 ? given[0].format : nil
  }

  /// Returns the given format, or `nil` if it is detected.
  private func checkedFormat() throws(FunnelError) -> ImportFormat? {
    guard let name = format, name != "auto" else { return nil }
    if let format = ImportFormat(rawValue: name) { return format }
    let names = ["auto"] + ImportFormat.allCases.map(\.rawValue)
    let nearest =
      NearestName.find(name.lowercased(), in: names).map { "did you mean \($0)?" }
      ?? "give one of \(names.joined(separator: ", "))"
    throw FunnelError(.usage, "unknown format, --from \(name.printable), \(nearest)")
  }

  /// Throws `usage` if the format has no paths of its own and there is no mapping for it.
  private func requireMapping(_ format: ImportFormat?, _ mappings: [ImportMapping]) throws(FunnelError) {
    guard let format, format == .csv || format == .json,
      !mappings.contains(where: { $0.format == format || $0.format == nil })
    else { return }
    let kind = format == .csv ? "CSV" : "JSON of your own"
    throw FunnelError(
      .usage,
      "\(kind) needs a mapping, --from \(format.rawValue), make one with 'funnel map init FILE > todo.map.json' and give it with --map"
    )
  }
}
