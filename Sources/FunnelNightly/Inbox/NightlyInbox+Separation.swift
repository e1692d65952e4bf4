package import FunnelModel
import FunnelStore
import FunnelSystem

/// Checks that the inbox, whose files are moved, does not overlap with the store or the reports.
extension NightlyInbox {
  /// Checks that the inbox exists, and that its files do not include those of a store or of the reports.
  ///
  /// - Throws: `noInput` if there is no inbox; `usage` if the store or the reports are in the inbox, or the
  ///   inbox is in a store.
  package func requireApart(store: String, out: String) throws(FunnelError) {
    guard let status = try fileSystem.status(of: root) else {
      throw FunnelError(.noInput, "no such inbox, \(root.description.printable), create the folder or check --inbox")
    }
    guard status.kind == .directory else {
      throw FunnelError(.noInput, "the inbox is not a folder, \(root.description.printable), name the folder where logs arrive")
    }
    for (option, path) in [("--store", store), ("--out", out)]
    where foldersAbove(path).contains(where: { $0.status.identity == status.identity }) {
      throw FunnelError(
        .usage,
        "\(option) is inside the inbox, \(path.printable), its files would be read as input, choose another place")
    }
    let storeIdentity = (try? fileSystem.status(of: StoragePath(store)))?.identity
    for (path, status) in foldersAbove(root.description)
    where status.identity == storeIdentity || StoreReader.isStore(path) {
      throw FunnelError(
        .usage, "the inbox is inside a store, \(root.description.printable), its files would be moved, choose another place")
    }
  }

  /// Throws `usage` if a folder of the inbox is a store or a log, whose files must not be moved.
  func refuseStore(in folder: String, names: [String]) throws(FunnelError) {
    let path = root.inside(folder).description
    let isLog = names.contains("journal.ndjson") && names.contains { $0.hasPrefix("dt=") }
    guard isLog || StoreReader.isStore(path) else { return }
    throw FunnelError(.usage, "a store is inside the inbox, \(path.printable), its files would be moved, choose another place")
  }

  /// Returns the folder at a path, or its nearest existing ancestor, and all folders above it. Resolves links.
  private func foldersAbove(_ path: String) -> [(path: String, status: FileStatus)] {
    var existing = StoragePath(path)
    while (try? fileSystem.status(of: existing)) == nil, existing.parent != existing { existing = existing.parent }
    var folders: [(path: String, status: FileStatus)] = []
    var above = existing.description
    while let status = try? fileSystem.status(of: StoragePath(above)), status.kind == .directory,
      status.identity != folders.last?.status.identity
    {
      folders.append((above, status))
      above += "/.."
    }
    return folders
  }
}
