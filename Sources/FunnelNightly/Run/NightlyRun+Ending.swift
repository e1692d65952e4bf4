import FunnelDecoding
import FunnelKit
import FunnelModel
import FunnelReports
import FunnelSystem

extension NightlyRun {
  /// Writes the metrics and the status of the earlier stages, and sends the notification.
  mutating func finish() {
    let status = NightlyRunStatus(folder: reports.root)
    let before = status.lastSuccess()
    let finished = WallClock.now()
    if let path = settings.metrics {
      let metrics = NightlyRunMetrics(
        lastSuccess: stages.problems.code == nil ? finished : before, lastRun: finished, seconds: clock.secondsSince,
        events: eventsInStore,
        lines: ["accepted": outcome.accepted, "duplicates": outcome.duplicates, "rejected": outcome.rejected],
        rejected: RejectionReason.allCases.map { ($0.rawValue, outcome.rejectedByReason[$0] ?? 0) },
        flows: numbers?.recent ?? [])
      _ = stages.run(.metrics) { (_) throws(FunnelError) in
        try AtomicFile.write(StoragePath(path), Array(metrics.text.utf8), permissions: .shared)
      }
    }
    messages += stages.problems.messages.map { NightlyRunMessage(.problem, $0) }
    // The status must not wait for a command of the user. It is written again with the outcome of the command.
    let isWritten = writeStatus(status, finished, lastSuccess: before)
    guard let command = settings.notify, !messages.isEmpty else { return }
    notify(command)
    if isWritten { writeStatus(status, finished, lastSuccess: before) }
  }

  /// Writes the status file. Returns whether it succeeded.
  @discardableResult
  private mutating func writeStatus(_ status: NightlyRunStatus, _ finished: Timestamp, lastSuccess before: Timestamp?) -> Bool {
    let lastSuccess = stages.problems.code == nil ? finished : before
    let stages = stages
    let alarms = alarms
    let asOf = settings.days.now
    return self.stages.problems.tolerating { () throws(FunnelError) in
      try status.write(stages, alarms: alarms, asOf: asOf, lastRun: finished, lastSuccess: lastSuccess)
    }
  }

  /// Runs the stage `notify`.
  private mutating func notify(_ command: String) {
    let notification = Notification(
      command: command, messages: messages, asOf: settings.days.now, store: settings.storePath)
    let outcome = stages.runOptional(.notify) { () throws(FunnelError) in try notification.send() }
    // A failed notification, for example of a chat that is down, must not fail the run.
    if case .failure(let error) = outcome { monitor.note(error.message) }
  }
}
