public import Foundation

/// Delivers closed files of events to a server: ``HTTPUploader``, or an app's own.
public protocol EventUploader: Sendable {
  /// Whether the uploader itself sends ``EventFile/sentAt`` to the server.
  ///
  /// If it is `false`, the recorder writes the time into each event before each try.
  var tellsTimeOfSending: Bool { get }

  /// Tries once to deliver a file. Files are uploaded one after another.
  func upload(_ file: EventFile) async -> UploadResult
}

/// A closed file of events that is to be delivered.
public struct EventFile: Sendable, Hashable {
  /// The file, `*.ndjson.gz`, or `*.ndjson` if there was no room to compress it. Its name is different for each file of each install, and the
  /// same at each try. The folder may differ, and the file may be gone after the try.
  public var url: URL
  /// The number of events.
  public var eventCount: Int
  /// The time of this try, by the clock that dated the events. From it and its own time, a server can tell how wrong that clock is, and
  /// correct the times of the events.
  public var sentAt: Date

  /// Creates a file, for tests of an uploader.
  public init(url: URL, eventCount: Int, sentAt: Date) {
    self.url = url
    self.eventCount = eventCount
    self.sentAt = sentAt
  }
}

/// The result of one try to deliver a file.
public enum UploadResult: Sendable, Hashable {
  /// The server has the events. The file is deleted.
  case delivered
  /// The server has the file, but rejected some of its events. `rejected` has one reason for each of them. The file is deleted, the rejected
  /// events are counted (``EventRecorder/Status/rejectedByServer``), and ``EventRecorder/Configuration/onProblem`` is called.
  case partlyDelivered(rejected: [String])
  /// The file is kept and tried again.
  case retry(after: RetryDelay, reason: String = "the server can't be reached")
  /// The server will never take the file. It is deleted, and ``EventRecorder/Configuration/onProblem`` is called with the reason.
  case discard(reason: String)
}

/// The time after which a file is tried again.
public enum RetryDelay: Sendable, Hashable {
  /// A delay that the recorder chooses. It grows with each failure. Meanwhile, one other file may be tried.
  case automatic
  /// A number of seconds, such as the server asks for. No file is tried before.
  case seconds(TimeInterval)
  /// A number of seconds, unless ``EventRecorder/flush()`` or the next launch comes first. For a failure that the operator of the server
  /// must end, such as an unknown key.
  case atMost(seconds: TimeInterval)
  /// The next launch of the app, for a failure that only an update of the app can end. No file is tried before.
  case nextLaunch
}

/// An app's closure as an uploader.
struct ClosureUploader: EventUploader {
  let body: @Sendable (EventFile) async -> UploadResult

  var tellsTimeOfSending: Bool { false }

  func upload(_ file: EventFile) async -> UploadResult { await body(file) }
}
