package import FunnelModel

extension StoreReader {
  /// Returns whether the store holds pseudonyms instead of raw IDs.
  ///
  /// - Throws: `configuration` if `pseudonyms.json` is damaged.
  package func holdsPseudonyms() throws(FunnelError) -> Bool { try StorePseudonyms(files).keyCheck() != nil }

  /// Returns the key of the store's pseudonyms, or `nil` if the store holds raw IDs.
  ///
  /// - Parameter keyFile: The path of the key's file, or `nil` for the file in the store.
  /// - Throws: `configuration` if the key is missing, is invalid, is another one, or can be read by other users.
  package func pseudonymKey(_ keyFile: String?) throws(FunnelError) -> PseudonymKey? {
    let pseudonyms = StorePseudonyms(files)
    guard let check = try pseudonyms.keyCheck() else { return nil }
    return try pseudonyms.key(keyFile, check: check)
  }

  /// Returns the key for a dry run of an ingest, or `nil` if raw IDs are ingested. Writes nothing: a store without
  /// a commit gets a temporary key.
  ///
  /// - Throws: `usage` if the store holds pseudonyms and raw IDs are ingested, or the reverse; the errors of
  ///   ``pseudonymKey(_:)``.
  package func ingestKey(pseudonymizing: Bool, keyFile: String?) throws(FunnelError) -> PseudonymKey? {
    try ingestKey(pseudonymizing, keyFile) { .random() }
  }

  fileprivate func ingestKey(
    _ pseudonymizing: Bool, _ keyFile: String?, begin: () throws(FunnelError) -> PseudonymKey
  ) throws(FunnelError) -> PseudonymKey? {
    let key = try pseudonymKey(keyFile)
    switch (pseudonymizing, key) {
    case (true, let key?): return key
    case (false, nil): return nil
    case (false, _?):
      throw FunnelError(
        .usage, "the store \(path) holds pseudonyms, raw ids must not get into it, ingest with --pseudonymize")
    case (true, nil):
      guard commits.isEmpty else {
        throw FunnelError(
          .usage, "the store \(path) holds raw ids, --pseudonymize can't change them, ingest into a new store with --store")
      }
      return try begin()
    }
  }
}

extension StoreWriter {
  /// Returns the key for an ingest, or `nil` if raw IDs are ingested. A store without a commit becomes a store of
  /// pseudonyms, with a new key if there is none.
  ///
  /// - Throws: `usage` if the store holds pseudonyms and raw IDs are ingested, or the reverse; `configuration` if
  ///   the key is missing, is invalid, is another one, or can be read by other users; `cannotCreate` or
  ///   `inputOutput` if a key can't be written.
  package func ingestKey(pseudonymizing: Bool, keyFile: String?) throws(FunnelError) -> PseudonymKey? {
    try reader.ingestKey(pseudonymizing, keyFile) { () throws(FunnelError) in try StorePseudonyms(files).begin(keyFile) }
  }
}
