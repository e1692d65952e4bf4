public import FunnelModel
import FunnelSystem

/// The record of whether a store holds pseudonyms, and of the key they were made with. The key itself is only in its own file.
///
/// It is the file `pseudonyms.json` in the store: `{"v":1,"form":"hmac-sha256-128","key_check":"<32 hexadecimal digits>"}`. It is written
/// before the first commit and never changes: a store holds only pseudonyms, or only raw ids.
struct StorePseudonyms {
  static let name = "pseudonyms.json"
  static let keyName = "key"

  private let files: StoreFiles

  init(_ files: StoreFiles) {
    self.files = files
  }

  private var path: StoragePath { files.root.inside(Self.name) }

  /// Returns the path of the key: the user's, or by default the store's own.
  private func keyPath(_ keyFile: String?) -> StoragePath {
    keyFile.map { StoragePath($0) } ?? files.root.inside(Self.keyName)
  }

  /// Returns the check of the store's key, or nil for a store of raw ids.
  func keyCheck() throws(FunnelError) -> String? {
    guard try files.fileSystem.status(of: path) != nil else { return nil }
    let bytes = try files.fileSystem.readAll(path, bytesMax: Limits.configurationBytesMax)
    guard let root = try? JSONDocument(parsing: bytes).root, root["v"]?.integer == 1, let check = root["key_check"]?.string
    else {
      throw FunnelError(.configuration, "\(path) is not what funnel wrote, restore it from a backup")
    }
    return check
  }

  /// Returns the key of a store of pseudonyms, which must have the given check.
  func key(_ keyFile: String?, check: String) throws(FunnelError) -> PseudonymKey {
    let path = keyPath(keyFile)
    guard let key = try readKey(path) else {
      throw FunnelError(
        .configuration, "the key of the store's pseudonyms is missing, \(path), restore it from a backup or give --key-file")
    }
    guard key.check == check else {
      throw FunnelError(
        .configuration,
        "\(path) is not the key that the pseudonyms of \(files.root) were made with, give that one with --key-file")
    }
    return key
  }

  /// Turns a store that has no commit yet into one of pseudonyms. Uses the existing key, or creates one.
  func begin(_ keyFile: String?) throws(FunnelError) -> PseudonymKey {
    let path = keyPath(keyFile)
    let key: PseudonymKey
    if let present = try readKey(path) {
      key = present
      try flush(path.parent)
    } else {
      key = .random()
      // The key is written first: a store that names a key must have it.
      try AtomicFile.write(path, key.fileContents, permissions: .owner, fileSystem: files.fileSystem)
    }
    let text = "{\"v\":1,\"form\":\"hmac-sha256-128\",\"key_check\":\"\(key.check)\"}\n"
    try AtomicFile.write(self.path, Array(text.utf8), permissions: .owner, fileSystem: files.fileSystem)
    return key
  }

  /// Flushes the folder of a key that an earlier command may have created without flushing it. A folder that can't be opened holds a key
  /// that somebody else put there.
  private func flush(_ folder: StoragePath) throws(FunnelError) {
    do throws(FunnelError) {
      try files.fileSystem.syncDirectory(folder)
    } catch {
      if error.code == .inputOutput { throw error }
    }
  }

  private func readKey(_ path: StoragePath) throws(FunnelError) -> PseudonymKey? {
    guard let status = try files.fileSystem.status(of: path) else { return nil }
    let contents = try files.fileSystem.readAll(path, bytesMax: Limits.configurationBytesMax)
    guard let key = PseudonymKey(file: contents) else {
      throw FunnelError(
        .configuration, "\(path) is not a key: a key is 64 hexadecimal digits, give the right file with --key-file")
    }
    // As in ssh, a key that belongs to another user who made it readable for this one is accepted: that is its owner's decision.
    guard !status.isOwnAndExposed else {
      throw FunnelError(
        .configuration,
        "other users can read or write the key \(path): anyone who has it can match pseudonyms to people, make it private with: chmod 600 \(path)"
      )
    }
    return key
  }
}

extension StoreReader {
  /// Returns whether the store holds pseudonyms in place of subjects.
  ///
  /// - Throws: `configuration` if the record of that is damaged.
  public func holdsPseudonyms() throws(FunnelError) -> Bool { try StorePseudonyms(files).keyCheck() != nil }

  /// Returns the key of the store's pseudonyms, or nil if it holds raw ids.
  ///
  /// - Parameter keyFile: the path of the key; nil for the store's own.
  /// - Throws: `configuration` if the key is missing, is not a key, is another one, or may be read by others.
  public func pseudonymKey(_ keyFile: String?) throws(FunnelError) -> PseudonymKey? {
    let pseudonyms = StorePseudonyms(files)
    guard let check = try pseudonyms.keyCheck() else { return nil }
    return try pseudonyms.key(keyFile, check: check)
  }

  /// Returns the key for an ingest, or nil if raw ids are ingested. Nothing is written: for a store without a commit a key is created that
  /// is used only once.
  ///
  /// - Throws: `usage` if the store is of the other kind; the errors of ``pseudonymKey(_:)``.
  public func ingestKey(pseudonymizing: Bool, keyFile: String?) throws(FunnelError) -> PseudonymKey? {
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
  /// Returns the key for an ingest, or nil if raw ids are ingested. A store without a commit becomes one of pseudonyms, and gets a key if
  /// there is none.
  ///
  /// - Throws: `usage` if the store is of the other kind; `configuration` if its key is missing, is not a key, is another one, or may be
  ///   read by others; `cannotCreate` or `inputOutput` if a key can't be written.
  public func ingestKey(pseudonymizing: Bool, keyFile: String?) throws(FunnelError) -> PseudonymKey? {
    try reader.ingestKey(pseudonymizing, keyFile) { () throws(FunnelError) in try StorePseudonyms(files).begin(keyFile) }
  }
}
