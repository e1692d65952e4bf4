import FunnelStore
import FunnelModel
import FunnelSystem

/// Keeps what a run moves and what it writes apart.
extension NightlyInbox {
  /// Makes sure that there is an inbox, and that neither the store, nor any other, nor the reports can be taken for input.
  ///
  /// - Throws: `noInput` where there is no inbox; `usage` where the store or the reports lie in the inbox, or the inbox in a store.
  func requireApart(store: String, out: String) throws(FunnelError) {
    guard let status = try fileSystem.status(of: root) else {
      throw FunnelError(.noInput, "no such inbox, \(root.description.printable), make the folder or check --inbox")
    }
    guard status.kind == .directory else {
      throw FunnelError(.noInput, "the inbox is no folder, \(root.description.printable), name the folder where logs arrive")
    }
    for (option, path) in [("--store", store), ("--out", out)]
    where foldersAbove(path).contains(where: { $0.status.identity == status.identity }) {
      throw FunnelError(
        .usage,
        "\(option) lies in the inbox, \(path.printable), what is written there would be read as input, choose another place")
    }
    let storeIdentity = (try? fileSystem.status(of: StoragePath(store)))?.identity
    for (path, status) in foldersAbove(root.description)
    where status.identity == storeIdentity || StoreReader.isStore(path) {
      throw FunnelError(
        .usage, "the inbox lies in a store, \(root.description.printable), its files would be moved, choose another place")
    }
  }

  /// Makes sure that a folder of the inbox is no store and no log, whose files must stay where they are.
  func refuseStore(in folder: String, names: [String]) throws(FunnelError) {
    let path = root.inside(folder).description
    let isLog = names.contains("journal.ndjson") && names.contains { $0.hasPrefix("dt=") }
    guard isLog || StoreReader.isStore(path) else { return }
    throw FunnelError(.usage, "a store lies in the inbox, \(path.printable), its files would be moved, choose another place")
  }

  /// The folder at a path, or the nearest one above it that is there, and all above that, whatever links lead there.
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
