import FunnelModel
import FunnelSystem

/// A file to which nothing is written anymore, and that has not its final name yet.
struct UnfinishedFile: Sendable {
  /// The step to do next. All later steps follow it.
  enum Step: Sendable {
    /// Cut off what was not acknowledged.
    case cut
    /// Flush the length of the file, and rename it.
    case flush
    /// Rename the file.
    case rename
  }

  /// What an attempt to finish a file led to.
  enum Outcome {
    case finished
    /// The step failed and is tried again later.
    case failed(Step)
    /// The file stays as it is. The next process recovers it.
    case left
  }

  let file: SpoolFile
  let area: SpoolFolder.Area
  var step: Step
}

// Finishing of files: by size, by age, after a failure, and at the end.
extension SpoolWriter {
  /// The pause before a failed step is tried again.
  private static let retryPause = Duration.seconds(1)

  private var fileAgeMax: Duration { .milliseconds(settings.fileAgeMax.milliseconds) }

  /// The time at which ``finishDueFiles()`` has something to do, or `nil` if there is no file to finish.
  var deadline: ContinuousClock.Instant? {
    let due = open.values.map { $0.opened + fileAgeMax }.min()
    if unfinished.isEmpty { return due }
    let retry = ContinuousClock.now + Self.retryPause
    return min(due ?? retry, retry)
  }

  /// Finishes the files that are large or old enough, and tries again what failed before.
  mutating func finishDueFiles() {
    let now = ContinuousClock.now
    for (area, file) in open where file.writtenBytes >= settings.fileBytesTarget || now >= file.opened + fileAgeMax {
      retire(area, from: .rename)
    }
    finishRetired()
  }

  /// Finishes all open files, and tries again what failed before.
  mutating func finishFiles() {
    for area in open.keys { retire(area, from: .rename) }
    finishRetired()
  }

  /// Finishes all open files after a failure. What was not acknowledged is cut off, and they are never written again.
  mutating func abandonFiles() {
    // A write that failed may have extended a file, so each is cut.
    for area in open.keys { retire(area, from: .cut) }
    finishRetired()
  }

  /// Moves the open file of an area to those that are to be finished.
  private mutating func retire(_ area: SpoolFolder.Area, from step: UnfinishedFile.Step) {
    guard let file = open.removeValue(forKey: area) else { return }
    unfinished.append(UnfinishedFile(file: file, area: area, step: step))
    inventory.noteOpen(area, nil)
  }

  private mutating func finishRetired() {
    if unfinished.isEmpty { return }
    var remaining: [UnfinishedFile] = []
    for var file in unfinished {
      switch finish(file) {
      case .finished: break
      case .left: leftBytes += file.file.writtenBytes
      case .failed(let step):
        file.step = step
        remaining.append(file)
      }
    }
    unfinished = remaining
    inventory.noteUnfinished(bytes: leftBytes + remaining.reduce(0) { $0 + $1.file.writtenBytes })
  }

  /// Performs the remaining steps of finishing a file.
  private func finish(_ unfinished: UnfinishedFile) -> UnfinishedFile.Outcome {
    let file = unfinished.file
    let length = file.acknowledgedBytes
    var step = unfinished.step
    do throws(FunnelError) {
      if step == .cut {
        try fileSystem.truncate(file.file, to: length)
        step = length == 0 ? .rename : .flush
      }
      if step == .flush {
        // A flush must not be repeated after a failure. Without it, a power failure could give the file its old length.
        do throws(FunnelError) { try sync(file.file) } catch { return .left }
        step = .rename
      }
      guard length > 0 else {
        try fileSystem.remove(file.path)
        return .finished
      }
      let target = folder.path(of: unfinished.area).inside(file.name.finished)
      try fileSystem.rename(file.path, to: target)
      inventory.noteFinished(target, bytes: length)
      // If this fails, a power failure may leave either name. Recovery finds the file under both.
      try? syncFolder(of: unfinished.area)
      return .finished
    } catch {
      return .failed(step)
    }
  }
}
