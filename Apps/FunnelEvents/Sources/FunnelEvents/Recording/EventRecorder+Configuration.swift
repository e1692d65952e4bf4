public import Foundation

extension EventRecorder {
  /// Receives a problem of a recorder.
  ///
  /// The closure is called on the recorder's actor, on any thread, and never twice at once. No event is written while it runs, so
  /// it must return soon.
  ///
  /// It may call the recorder's methods that are not `async`, which only append to a queue. To call another method, it
  /// starts a task: to wait for the recorder in the closure would be a deadlock. It must not record an event that may be
  /// rejected, because the rejection would call the closure again, without end.
  public typealias ProblemHandler = @Sendable (EventRecorderError) -> Void

  /// The app, the folder, the limits and the dependencies of a recorder.
  public struct Configuration: Sendable {
    /// The app, as the flow definitions name it.
    public var app: String
    /// The pseudonymous ID of the install or the user.
    public var subject: String
    /// The folder of the recorder's files. It is created if it does not exist.
    ///
    /// One recorder at a time uses it, and it contains no other files. On iOS it should be in the app's own container: the
    /// system terminates apps that hold a lock in a shared container while they are suspended.
    public var directory: URL
    /// The context of all events: `app_version`, `os`, `device`, `locale`, `country`, `variant`, …
    public var context: [String: EventValue]
    /// Uploads a closed file, `*.ndjson.gz`, to a place where `funnel ingest` finds it.
    ///
    /// The file is deleted after the closure returns. If the closure throws, it is called again later. If it is `nil`, closed
    /// files stay until ``diskBytesMax`` is reached.
    public var upload: (@Sendable (URL) async throws -> Void)?
    /// Receives each problem.
    public var onProblem: ProblemHandler?
    /// The size before compression at which a file is closed, and the maximum length of a line. At least 1024.
    public var fileBytesMax = 256 << 10
    /// The age at which a file is closed.
    public var fileAgeMax: TimeInterval = 3600
    /// The maximum size of all files of the folder. Beyond it, the oldest closed files are deleted. At least four times
    /// ``fileBytesMax``.
    public var diskBytesMax = 16 << 20
    /// The maximum number of events that wait in memory. Further events are dropped.
    public var queuedEventsMax = 20_000
    /// The delay after the first failed upload. It doubles with each further failure.
    public var uploadDelayMin: TimeInterval = 10
    /// The maximum delay after a failed upload.
    public var uploadDelayMax: TimeInterval = 3600
    /// Returns the current time.
    public var clock: @Sendable () -> Date = { Date() }
    /// Waits for a number of seconds, or throws if the task is cancelled.
    public var sleep: @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(nanoseconds: UInt64($0 * 1e9)) }

    /// Creates a configuration with the default limits.
    public init(
      app: String, subject: String, directory: URL, context: [String: EventValue] = [:],
      upload: (@Sendable (URL) async throws -> Void)? = nil
    ) {
      self.app = app
      self.subject = subject
      self.directory = directory
      self.context = context
      self.upload = upload
    }

    /// The maximum size of all closed files. The remainder is for the open file and its compressed copy.
    var closedBytesMax: Int { diskBytesMax - 2 * fileBytesMax }

    /// The minimum of ``fileBytesMax``. Smaller files would hold only a few events.
    private static let fileBytesMin = 1024

    /// The minimum number of files for which the disk has room: the open one, its compressed copy, and two closed ones.
    private static let filesMin = 4

    /// Throws if the limits contradict each other.
    func requireSoundLimits() throws(EventRecorderError) {
      guard fileBytesMax >= Self.fileBytesMin else {
        throw EventRecorderError(.configuration, "fileBytesMax is \(fileBytesMax); give \(Self.fileBytesMin) or more")
      }
      guard diskBytesMax / Self.filesMin >= fileBytesMax else {
        throw EventRecorderError(
          .configuration, "diskBytesMax is \(diskBytesMax); give at least four times fileBytesMax, which is \(fileBytesMax)")
      }
      guard queuedEventsMax >= 1, fileAgeMax > 0, uploadDelayMin > 0, uploadDelayMax >= uploadDelayMin else {
        throw EventRecorderError(
          .configuration,
          "queuedEventsMax, fileAgeMax and uploadDelayMin must be above zero and uploadDelayMax no less than uploadDelayMin; raise them"
        )
      }
    }
  }
}
