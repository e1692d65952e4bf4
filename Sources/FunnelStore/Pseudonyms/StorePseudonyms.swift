public import FunnelModel
import FunnelSystem

/// Whether a store holds pseudonyms, and with which key they were made. What the key itself is, only the key's file says.
///
/// `pseudonyms.json` in the store: `{"v":1,"form":"hmac-sha256-128","key_check":"<32 hexadecimal digits>"}`. It is written before the first
/// commit and never changes: a store holds pseudonyms only, or raw ids only.
struct StorePseudonyms {
  static let name = "pseudonyms.json"
  static let keyName = "key"

  private let files: StoreFiles

  init(_ files: StoreFiles) {
    self.files = files
  }

  private var path: StoragePath { files.root.inside(Self.name) }

  /// Where the key lies: where the user says, else in the store.
  private func keyPath(_ keyFile: String?) -> StoragePath {
    keyFile.map { StoragePath($0) } ?? files.root.inside(Self.keyName)
  }

  /// What the store's key is known again by; nil for a store of raw ids.
  func keyCheck() throws(FunnelError) -> String? {
    guard try files.fileSystem.status(of: path) != nil else { return nil }
    let bytes = try files.fileSystem.readAll(path, bytesMax: Limits.configurationBytesMax)
    guard let root = try? JSONDocument(parsing: bytes).root, root["v"]?.integer == 1, let check = root["key_check"]?.string
    else {
      throw FunnelError(.configuration, "\(path) is not what funnel wrote, restore it from a backup")
    }
    return check
  }

  /// The key of a store of pseudonyms whose check is given.
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

  /// Makes a store, which has no commit yet, one of pseudonyms; with the key that is there, or a new one.
  func begin(_ keyFile: String?) throws(FunnelError) -> PseudonymKey {
    let path = keyPath(keyFile)
    let key: PseudonymKey
    if let present = try readKey(path) {
      key = present
      try flush(path.parent)
    } else {
      key = .random()
      // The key first: a store that says it has one must have it.
      try AtomicFile.write(path, key.fileContents, permissions: .owner, fileSystem: files.fileSystem)
    }
    let text = "{\"v\":1,\"form\":\"hmac-sha256-128\",\"key_check\":\"\(key.check)\"}\n"
    try AtomicFile.write(self.path, Array(text.utf8), permissions: .owner, fileSystem: files.fileSystem)
    return key
  }

  /// Flushes the folder of a key that the command before may have made without being able to; a folder that may not be read is that of a key
  /// somebody else put there.
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
        .configuration, "\(path) is no key: a key is 64 hexadecimal digits, give the right file with --key-file")
    }
    // As ssh does it: what belongs to somebody else, and was given to this user to read, is that one's decision.
    guard !status.isOwnAndExposed else {
      throw FunnelError(
        .configuration,
        "others may read or write the key \(path): who has it can tell whose the pseudonyms are, make it private with: chmod 600 \(path)"
      )
    }
    return key
  }
}

extension StoreReader {
  /// Whether the store holds pseudonyms in place of subjects.
  ///
  /// - Throws: `configuration` where what says so is damaged.
  public func holdsPseudonyms() throws(FunnelError) -> Bool { try StorePseudonyms(files).keyCheck() != nil }

  /// The key of the store's pseudonyms; nil where it holds raw ids.
  ///
  /// - Parameter keyFile: where the key lies; nil for the store's own place.
  /// - Throws: `configuration` where the key is missing, is no key, is another one, or may be read by others.
  public func pseudonymKey(_ keyFile: String?) throws(FunnelError) -> PseudonymKey? {
    let pseudonyms = StorePseudonyms(files)
    guard let check = try pseudonyms.keyCheck() else { return nil }
    return try pseudonyms.key(keyFile, check: check)
  }

  /// The key to ingest with; nil where raw ids go in. Nothing is made: a store without a commit gets a key that is used once.
  ///
  /// - Throws: `usage` where the store is of the other kind; what ``pseudonymKey(_:)`` throws.
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
  /// The key to ingest with; nil where raw ids go in. A store without a commit becomes one of pseudonyms, and gets a key where there is none.
  ///
  /// - Throws: `usage` where the store is of the other kind; `configuration` where its key is missing, is no key, is another one, or may be
  ///   read by others; `cannotCreate` or `inputOutput` where a key can't be written.
  public func ingestKey(pseudonymizing: Bool, keyFile: String?) throws(FunnelError) -> PseudonymKey? {
    try reader.ingestKey(pseudonymizing, keyFile) { () throws(FunnelError) in try StorePseudonyms(files).begin(keyFile) }
  }
}
