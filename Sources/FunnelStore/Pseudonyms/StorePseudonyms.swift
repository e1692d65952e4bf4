import FunnelModel
import FunnelSystem

/// The file `pseudonyms.json` of a store, which records that the store holds pseudonyms, and identifies their key.
///
///     {"v":1,"form":"hmac-sha256-128","key_check":"<32 hexadecimal digits>"}
///
/// It is written before the first commit and never changes: a store holds only pseudonyms, or only raw IDs. The key
/// itself is in a file of its own.
struct StorePseudonyms {
  /// The name of the file in the store.
  static let name = "pseudonyms.json"
  /// The name of the key's file in the store, unless the user names another file.
  static let keyName = "key"

  private let files: StoreFiles

  init(_ files: StoreFiles) {
    self.files = files
  }

  private var path: StoragePath { files.root.inside(Self.name) }

  /// Returns the path of the key's file: `keyFile`, or the file in the store if that is `nil`.
  private func keyPath(_ keyFile: String?) -> StoragePath {
    keyFile.map { StoragePath($0) } ?? files.root.inside(Self.keyName)
  }

  /// Returns the ``PseudonymKey/check`` of the store's key, or `nil` for a store of raw IDs.
  func keyCheck() throws(FunnelError) -> String? {
    guard try files.fileSystem.status(of: path) != nil else { return nil }
    let bytes = try files.fileSystem.readAll(path, bytesMax: Limits.configurationBytesMax)
    guard let root = try? JSONDocument(parsing: bytes).root, root["v"]?.integer == 1, let check = root["key_check"]?.string
    else {
      throw FunnelError(.configuration, "\(path) is not what funnel wrote, restore it from a backup")
    }
    return check
  }

  /// Reads the key of a store of pseudonyms.
  ///
  /// - Parameters:
  ///   - keyFile: The path of the key's file, or `nil` for the file in the store.
  ///   - check: The ``PseudonymKey/check`` that the key must have.
  /// - Throws: `configuration` if the key is missing, is invalid, is another one, or can be read by other users.
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

  /// Makes a store without a commit a store of pseudonyms. Returns the existing key, or a new one.
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

  /// Flushes the folder of an existing key, which an interrupted command may have created without flushing it.
  private func flush(_ folder: StoragePath) throws(FunnelError) {
    // If the folder can't be opened, the key was created by another user.
    do throws(FunnelError) {
      try files.fileSystem.syncDirectory(folder)
    } catch {
      if error.code == .inputOutput { throw error }
    }
  }

  /// Returns the key in a file, or `nil` if there is no file.
  private func readKey(_ path: StoragePath) throws(FunnelError) -> PseudonymKey? {
    guard let status = try files.fileSystem.status(of: path) else { return nil }
    let contents = try files.fileSystem.readAll(path, bytesMax: Limits.configurationBytesMax)
    guard let key = PseudonymKey(file: contents) else {
      throw FunnelError(
        .configuration, "\(path) is not a key: a key is 64 hexadecimal digits, give the right file with --key-file")
    }
    // As in ssh, a key that belongs to another user who made it readable for this one is accepted: that is its
    // owner's decision.
    guard !status.isOwnAndExposed else {
      throw FunnelError(
        .configuration,
        "other users can read or write the key \(path): anyone who has it can match pseudonyms to people, make it private with: chmod 600 \(path)"
      )
    }
    return key
  }
}
