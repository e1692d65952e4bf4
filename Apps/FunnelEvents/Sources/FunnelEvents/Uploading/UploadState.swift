import Foundation

/// The state of a recorder's uploads.
struct UploadState {
  /// The upload in progress.
  struct Current {
    let file: ClosedFiles.File
    let number: Int
    let task: Task<Void, Never>
  }

  /// A pause after a failure.
  enum Pause {
    case none
    /// A delay of the recorder, which the app may end.
    case delay(Task<Void, Never>)
    /// A long delay, which the app may end, and in which no other file is tried.
    case longDelay(Task<Void, Never>)
    /// A delay that the server asked for.
    case serverDelay(Task<Void, Never>)
    case untilNextLaunch
  }

  var current: Current?
  var pause = Pause.none
  /// The number of pauses so far, which tells one from another.
  var pauseCount = 0
  /// The number of uploads so far, which tells one from another.
  var count = 0
  /// The number of consecutive failures.
  var failures = 0
  /// The number of failures of each file, by which files are ordered. A file that always fails must not delay the others.
  var failuresByFile: [String: Int] = [:]
  /// The files that failed since the last success.
  var failedInARow: Set<String> = []
  /// The callers that wait for files to be tried.
  var waiters: [DeliveryWaiter] = []

  /// Whether a file that was never tried would be uploaded now.
  ///
  /// If one file failed, the file may be the reason. If several did, the server is, which gets no request during the delay.
  var isOpenToOthers: Bool {
    switch pause {
    case .none: true
    case .delay: failedInARow.count == 1
    case .longDelay, .serverDelay, .untilNextLaunch: false
    }
  }

  /// Ends a pause. Returns whether uploads may go on.
  ///
  /// - Parameter early: Whether a delay of the recorder is ended before its time.
  mutating func endPause(early: Bool) -> Bool {
    switch pause {
    case .none: return true
    case .delay(let task) where early, .longDelay(let task) where early:
      task.cancel()
      pause = .none
      return true
    case .delay, .longDelay, .serverDelay, .untilNextLaunch: return false
    }
  }
}

/// What became of a file by one try.
enum FileFate {
  case delivered(rejectedCount: Int)
  case kept
  case discarded
}

/// A caller that waits until certain files were tried once.
struct DeliveryWaiter {
  /// The number of events of each file that was not tried yet.
  private(set) var eventCounts: [String: Int] = [:]
  /// The number of events that are in no closed file, because there was no room.
  private(set) var unclosedCount = 0
  /// The files that the caller waits for, or waited for.
  private var names: Set<String> = []
  private var delivery = EventRecorder.Delivery()
  let reply: @Sendable (Result<EventRecorder.Delivery, EventRecorderError>) -> Void

  init(reply: @escaping @Sendable (Result<EventRecorder.Delivery, EventRecorderError>) -> Void) { self.reply = reply }

  /// Waits for files too, those that it does not wait for already.
  mutating func expect(_ files: [ClosedFiles.File], unclosedCount: Int) {
    for file in files where names.insert(file.name).inserted { eventCounts[file.name] = file.eventCount }
    self.unclosedCount = unclosedCount
  }

  /// Notes what became of a file.
  mutating func end(_ file: String, _ fate: FileFate) {
    guard let events = eventCounts.removeValue(forKey: file) else { return }
    switch fate {
    case .delivered(let rejectedCount):
      delivery.delivered += events - rejectedCount
      delivery.rejected += rejectedCount
    case .kept: delivery.kept += events
    case .discarded: delivery.discarded += events
    }
  }

  /// Ends the wait. The files that were not tried are kept.
  func finish() {
    var delivery = delivery
    delivery.kept += eventCounts.values.reduce(unclosedCount, +)
    reply(.success(delivery))
  }
}
