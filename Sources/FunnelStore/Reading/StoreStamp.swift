package import FunnelModel
package import FunnelSystem

/// The version of a store, determined without reading it: two stamps are equal if no commit was made in between.
///
/// It consists of the identity and the length of the journal, because a journal only grows or is replaced.
package struct StoreStamp: Hashable, Sendable {
  private let identity: FileStatus.Identity
  private let size: Int

  /// Returns the stamp of a store, or `nil` if there is no journal.
  ///
  /// - Throws: `inputOutput` if the journal can't be examined.
  package static func of(_ path: String, fileSystem: any FileSystem = LocalFileSystem()) throws(FunnelError) -> StoreStamp? {
    guard let status = try fileSystem.status(of: StoreFiles(path, fileSystem).journal) else { return nil }
    return StoreStamp(identity: status.identity, size: status.size)
  }
}
