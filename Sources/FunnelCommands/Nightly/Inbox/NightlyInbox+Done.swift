import FunnelIngest
import FunnelModel
import FunnelSystem

/// Removes files from `done` once the retention of their events has ended.
extension NightlyInbox {
  /// Removes the files of `done` that were moved there before a given time, and returns their number.
  ///
  /// Only files that a nightly run may have moved there are considered: regular files with the name of a log, in folders. Links are not
  /// followed, and folders are kept. A file's modification time is that of its move (``move(_:to:at:)``); if it could not be set, it is
  /// that of the last change, which was earlier.
  ///
  /// - Throws: The first failure, after removing all files that can be removed.
  func clearDone(before start: Timestamp) throws(FunnelError) -> Int {
    var clearing = Clearing(start: start)
    clear(Destination.done.rawValue, level: 0, &clearing)
    if let failure = clearing.failure { throw failure }
    return clearing.removedCount
  }

  private struct Clearing {
    let start: Timestamp
    var removedCount = 0
    var failure: FunnelError?
  }

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
