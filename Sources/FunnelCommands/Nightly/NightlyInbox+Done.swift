import FunnelIngest
import FunnelModel
import FunnelSystem

/// What was taken in does not stay in `done` for ever, where events were promised to go.
extension NightlyInbox {
  /// Removes the files of `done` that were moved there before a moment, and returns how many.
  ///
  /// Only what a night moves there is looked at: regular files that are named like a log, in folders. No link is followed, and folders stay. A file's
  /// date is that of its move (``move(_:to:at:)``); one that could not be dated has that of its last change, which was before.
  ///
  /// - Throws: the first failure, after all that could be removed is.
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
        case .file where InputFile.endings.contains(where: name.hasSuffix):
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
