import FunnelIngest
import FunnelModel
import FunnelSystem

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
