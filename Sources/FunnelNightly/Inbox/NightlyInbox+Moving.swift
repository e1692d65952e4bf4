import FunnelDecoding
import FunnelIngest
package import FunnelModel
import FunnelStore
import FunnelSystem

extension NightlyInbox {
  /// The folders that processed files are moved to.
  enum Destination: String {
    case done, failed
  }

  /// Moves a processed file to `done` or `failed`. Never replaces a file: if the name is taken, a number is added.
  ///
  /// The modification time of a file moved to `done` is set to `now`, by which ``clearDone(before:)``
  /// determines its age there. A file of another user keeps its earlier time.
  ///
  /// - Returns: The new path relative to the inbox, or `nil` if the file has changed since it was read and
  ///   stays for the next run.
  /// - Throws: `cannotCreate` or `inputOutput` if the file cannot be moved.
  func move(_ arrival: Arrival, to destination: Destination, at now: Timestamp) throws(FunnelError) -> String? {
    let place = root.inside(arrival.name)
    guard try fileSystem.status(of: place) == arrival.status else { return nil }
    let wanted = root.inside("\(destination.rawValue)/\(arrival.name)")
    try fileSystem.createDirectories(wanted.parent)
    // Another nightly run of this store waits for the lock, so no other process takes the name between check and rename.
    var target = wanted
    var number = 2
    while try fileSystem.status(of: target) != nil {
      target = wanted.sibling(named: Self.numbered(wanted.name, number))
      number += 1
    }
    if destination == .done { try? fileSystem.setModified(place, to: now) }
    try fileSystem.rename(place, to: target)
    try fileSystem.syncDirectory(target.parent)
    try fileSystem.syncDirectory(place.parent)
    return target.inside
  }

  /// The number of bytes to read at a time.
  private static let readByteCount = 1 << 18

  /// Reads a file to its end. Returns the error, or `nil` if the file is readable.
  func readFailure(of arrival: Arrival) -> FunnelError? {
    do throws(FunnelError) {
      let file = try fileSystem.open(root.inside(arrival.name), for: .read)
      let stream = FileStream(file, fileSystem: fileSystem)
      while try !stream.read(upTo: Self.readByteCount).isEmpty {}
      return nil
    } catch {
      return error
    }
  }

  /// Returns a name with a number before the extension, such as `events.2.ndjson.gz` for `events.ndjson.gz`.
  private static func numbered(_ name: String, _ number: Int) -> String {
    let ending = InputFile.ending(of: name)
    return "\(name.dropLast(ending.count)).\(number)\(ending)"
  }
}

/// Removes files from `done` after the retention period of their events.
extension NightlyInbox {
  /// Removes the files of `done` that were moved there before a given time. Returns the number of removed files.
  ///
  /// Considers only files that a nightly run may have moved there: regular files with the name of a log. Does
  /// not follow links, and keeps folders. The modification time of a file is the time of its move
  /// (``move(_:to:at:)``), or that of its last change, which is earlier, if it could not be set.
  ///
  /// - Throws: The first failure, after all removable files are removed.
  func clearDone(before start: Timestamp) throws(FunnelError) -> Int {
    var clearing = Clearing(start: start)
    clear(Destination.done.rawValue, level: 0, &clearing)
    if let failure = clearing.failure { throw failure }
    return clearing.removedCount
  }

  /// The state of one ``clearDone(before:)``.
  private struct Clearing {
    let start: Timestamp
    var removedCount = 0
    var failure: FunnelError?
  }

  /// Removes the old files of a folder and of its subfolders.
  private func clear(_ folder: String, level: Int, _ clearing: inout Clearing) {
    do throws(FunnelError) {
      let place = root.inside(folder)
      guard level <= Limits.folderLevelsMax, try fileSystem.status(of: place)?.kind == .directory else { return }
      var isChanged = false
      for name in try fileSystem.list(place) where !name.hasPrefix(".") {
        let path = "\(folder)/\(name)"
        switch try fileSystem.status(of: root.inside(path))?.kind {
        case .directory: clear(path, level: level + 1, &clearing)
        case .file where InputFile.isSearched(name):
          guard let modified = try fileSystem.modified(root.inside(path)), modified < clearing.start else { continue }
          try fileSystem.remove(root.inside(path))
          clearing.removedCount += 1
          isChanged = true
        default: break
        }
      }
      if isChanged { try fileSystem.syncDirectory(place) }
    } catch {
      clearing.failure = clearing.failure ?? error
    }
  }
}

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
