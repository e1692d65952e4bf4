package import FunnelModel

/// Reads the mapping files that translate imported records to events.
package enum MappingFile {
  /// The folder in a store whose mappings apply to every import. It is next to the store's `schemas/`.
  package static let storeFolder = "mappings"

  /// Reads a mapping file.
  ///
  /// - Parameter mayBePartial: Whether a mapping of CSV or of any JSON may lack the paths that such a format needs.
  /// - Throws: `noInput` if the file cannot be read, `configuration` with the position of the first problem if it is invalid.
  package static func read(_ path: String, mayBePartial: Bool = false) throws(FunnelError) -> ImportMapping {
    guard try ConfigurationFile.kind(of: path) == .file else {
      throw FunnelError(.configuration, "\(path.printable): not a file, give a mapping such as 'funnel map init' prints")
    }
    return try ImportMapping(parsing: try ConfigurationFile.bytes(of: path), source: path, mayBePartial: mayBePartial)
  }

  /// Reads all mappings of a store. Returns an empty array if the store has no mapping folder.
  ///
  /// - Throws: `configuration` if a mapping is invalid, or if two are for the same format.
  package static func all(inStore store: String) throws(FunnelError) -> [ImportMapping] {
    let folder = store.hasSuffix("/") ? store + storeFolder : "\(store)/\(storeFolder)"
    guard (try? ConfigurationFile.kind(of: folder)) == .directory else { return [] }
    var mappings: [ImportMapping] = []
    for name in try ConfigurationFile.names(in: folder) where name.hasSuffix(".json") {
      let mapping = try read("\(folder)/\(name)")
      if let other = mappings.first(where: { $0.format == mapping.format }) {
        throw FunnelError(
          .configuration,
          "\(mapping.source.printable): \(other.source.printable) is for the same format, keep one, or name another format in \"from\""
        )
      }
      mappings.append(mapping)
    }
    return mappings
  }
}
