import FunnelStore
import FunnelModel
import FunnelSystem

/// Keeps the inbox, whose files are moved, separate from the store and the reports.
extension NightlyInbox {
  /// Checks that the inbox exists, and that neither a store nor the reports can be mistaken for input.
  ///
  /// - Throws: `noInput` if there is no inbox; `usage` if the store or the reports are in the inbox, or the inbox is in a store.
  func requireApart(store: String, out: String) throws(FunnelError) {
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

  /// Throws if a folder of the inbox is a store or a log, whose files must not be moved.
  func refuseStore(in folder: String, names: [String]) throws(FunnelError) {
    let path = root.inside(folder).description
    let isLog = names.contains("journal.ndjson") && names.contains { $0.hasPrefix("dt=") }
    guard isLog || StoreReader.isStore(path) else { return }
    throw FunnelError(.usage, "a store is inside the inbox, \(path.printable), its files would be moved, choose another place")
  }

  /// Returns the folder at a path, or its nearest existing ancestor, and all folders above it, with links resolved.
  private func foldersAbove(_ path: String) -> [(path: String, status: FileStatus)] {
    var place = StoragePath(path)
    while (try? fileSystem.status(of: place)) == nil, place.parent != place { place = place.parent }
    var folders: [(path: String, status: FileStatus)] = []
    var above = place.description
    while let status = try? fileSystem.status(of: StoragePath(above)), status.kind == .directory,
      status.identity != folders.last?.status.identity
    {
      folders.append((above, status))
      above += "/.."
    }
    return folders
  }
}
