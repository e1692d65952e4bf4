public import FunnelModel

/// Reads mappings of foreign records.
public enum MappingFile {
  /// The folder of a store whose mappings are always in effect, beside its `schemas/`.
  public static let storeFolder = "mappings"

  /// Reads a mapping.
  ///
  /// - Throws: `noInput` if the file can't be read, `configuration` with the place of the first problem if it is wrong.
  public static func read(_ path: String) throws(FunnelError) -> ImportMapping {
    guard try ConfigurationFile.kind(of: path) == .file else {
      throw FunnelError(.configuration, "\(path.printable): not a file, give a mapping such as 'funnel map init' prints")
    }
    return try ImportMapping(parsing: try ConfigurationFile.bytes(of: path), source: path)
  }

  /// Reads all mappings of a store, none if it has none.
  ///
  /// - Throws: `configuration` if one is wrong, or if two are for the same format.
  public static func all(inStore store: String) throws(FunnelError) -> [ImportMapping] {
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
