/// The error of an event that was not written, or of a file that was not closed or uploaded.
///
/// The message states the problem and the remedy. It never contains a value that could be personal.
public struct EventRecorderError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure. The first five are the reasons for which `funnel ingest` would reject the event, with the same names.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// A `step_…` event has no step.
    case missingField = "missing_field"
    /// The value of a field is invalid.
    case invalidField = "invalid_field"
    /// The line is too long.
    case lineTooLong = "line_too_long"
    /// The time is before 2007, or more than 24 hours ahead of the clock.
    case timestampOutOfRange = "timestamp_out_of_range"
    /// A key or a value is personal data.
    case personalData = "personal_data"
    /// The limits of the configuration contradict each other.
    case configuration
    /// Another recorder writes to the folder.
    case folderInUse = "folder_in_use"
    /// A file or folder can't be read or written.
    case storage
    /// The last line of a file of an earlier process is incomplete.
    case tornLine = "torn_line"
    /// Events were dropped because a limit of memory or disk was reached.
    case dropped
    /// The server rejected single events of a file that it took.
    case rejected
    /// An upload failed. It will be tried again.
    case upload
    /// The server will never take a file, which was deleted.
    case discarded
    /// Recording was stopped by ``EventRecording/optOut()``.
    case optedOut = "opted_out"
    /// The recorder was closed.
    case closed
  }

  /// The kind of failure.
  public var code: Code
  /// The problem and the remedy, in one sentence.
  public var message: String

  /// Creates an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The error of an event after an opt-out.
  static let recordingIsStopped = EventRecorderError(.optedOut, "recording is stopped; call optIn() to record again")

  public var description: String { "\(code.rawValue): \(message)" }
}
