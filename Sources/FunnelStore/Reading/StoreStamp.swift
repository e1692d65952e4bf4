public import FunnelModel
public import FunnelSystem

/// What tells two states of a store apart without reading it: the file of its journal, which only grows or is replaced, and its length.
public struct StoreStamp: Hashable, Sendable {
  private let identity: [UInt64]
  private let size: Int

  /// Returns the stamp of a store, or nil if there is no journal.
  ///
  /// - Throws: `inputOutput` if the journal can't be looked at.
  public static func of(_ path: String, fileSystem: any FileSystem = LocalFileSystem()) throws(FunnelError) -> StoreStamp? {
    guard let status = try fileSystem.status(of: StoreFiles(path, fileSystem).journal) else { return nil }
    return StoreStamp(identity: status.identity, size: status.size)
  }
}
