/// Why an event was not written, or a file not closed or uploaded: a code, and a sentence that says what and what to do.
///
/// The sentence never repeats a value that could be personal.
public struct EventRecorderError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failure. The first five are the reasons for which `funnel ingest` would refuse the event, by the same names.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// A `step_…` event has no step.
    case missingField = "missing_field"
    /// A field is not as it must be.
    case invalidField = "invalid_field"
    /// The line is too long.
    case lineTooLong = "line_too_long"
    /// The time is before 2007, or more than 24 hours ahead of the clock.
    case timestampOutOfRange = "timestamp_out_of_range"
    /// A key or a value is about a person.
    case personalData = "personal_data"
    /// The recorder was set up with values that exclude one another.
    case configuration
    /// Another recorder writes to the folder.
    case folderInUse = "folder_in_use"
    /// A file or folder can't be read or written.
    case storage
    /// The last line of a file that an earlier process left was torn off.
    case tornLine = "torn_line"
    /// Events were dropped, as memory or disk are bounded.
    case dropped
    /// The app's upload failed; it is tried again.
    case upload
    /// The recorder was closed.
    case closed
  }

  public var code: Code
  /// What happened, and what to do.
  public var message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { "\(code.rawValue): \(message)" }
}
