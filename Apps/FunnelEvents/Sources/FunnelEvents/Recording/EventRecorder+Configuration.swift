public import Foundation

extension EventRecorder {
  /// Receives a problem of a recorder.
  ///
  /// The closure is called on the recorder's queue, and never twice at the same time. No event is written while it runs, so it must return
  /// soon.
  ///
  /// It may call the recorder's methods that are not `async`; for the others it must start a task. It must not record an event that may be
  /// rejected: each rejection would call the closure again, without end.
  public typealias ProblemHandler = @Sendable (EventRecorderError) -> Void

  /// The app, the folder, the limits and the dependencies of a recorder.
  public struct Configuration: Sendable {
    /// The app, as the flow definitions name it.
    public var app: String
    /// The pseudonymous ID of the install in a new folder, or `nil` for a random one.
    ///
    /// The folder keeps the first one, whatever this says at the next launch. ``EventRecording/setSubject(_:)`` changes it.
    public var subject: String?
    /// The folder of the recorder's files. It is created if it does not exist, and excluded from backups.
    ///
    /// Only one recorder at a time may use it, and nothing else should be in it. On iOS, choose a folder in the app's own container: the system
    /// terminates apps that hold a lock in a shared container while they are suspended.
    public var directory: URL
    /// The context of all events, such as `variant`. A value here replaces the one that the recorder would fill in.
    public var context: [String: EventValue] = [:]
    /// Whether the recorder fills in `app_version`, `app_build`, `os`, `os_version`, `device`, `locale` and `country`.
    public var fillsContext = true
    /// Whether nothing is recorded before ``EventRecording/optIn()``, for an app that asks for consent first.
    ///
    /// Before consent, the recorder makes no ID and keeps no event. It keeps a user of ``EventRecording/identify(user:)`` in memory alone, and
    /// deletes events that an earlier version of the app has not delivered. A later ``EventRecording/optIn()`` or ``EventRecording/optOut()``
    /// is stored, and overrides this value at all later launches.
    public var startsOptedOut = false
    /// Delivers closed files. If it is `nil`, closed files stay until ``diskBytesMax`` is reached.
    public var uploader: (any EventUploader)?
    /// Receives each problem.
    public var onProblem: ProblemHandler?
    /// The number of seconds after the first event of a file at which the file is closed and uploaded, or infinity for never. While uploads
    /// fail, events stay in one file.
    public var flushInterval: TimeInterval = 30
    /// The number of events at which a file is closed and uploaded.
    public var flushEventCount = 50
    /// The size before compression at which a file is closed, and the maximum length of a line. At least 1024.
    public var fileBytesMax = 256 << 10
    /// The age at which a file is closed, in seconds.
    public var fileAgeMax: TimeInterval = 3600
    /// The maximum size of all files of the folder. Beyond it, the oldest closed files are deleted. At least four times
    /// ``fileBytesMax``.
    public var diskBytesMax = 16 << 20
    /// The maximum number of events that wait in memory to be written, also while the disk is full. Further events are dropped.
    public var queuedEventsMax = 20_000
    /// The delay after the first failed upload, in seconds. It doubles with each further failure.
    public var uploadDelayMin: TimeInterval = 10
    /// The maximum delay after a failed upload, in seconds.
    public var uploadDelayMax: TimeInterval = 3600
    /// Returns the current time.
    ///
    /// The recorder notices that the device's clock was set by comparing it with the time since the device was started. It does not do so
    /// after this property was set, such as by a test.
    public var clock: @Sendable () -> Date = { Date() } {
      didSet { steadyClock = nil }
    }
    /// Waits for a number of seconds, or throws if the task is cancelled.
    public var sleep: @Sendable (TimeInterval) async throws -> Void = { seconds in
      try await Task.sleep(nanoseconds: UInt64(min(max(seconds, 0), sleepMax) * nanosecondsPerSecond))
    }

    /// The clock by which a change of ``clock`` is noticed, or `nil` if none is.
    var steadyClock: SteadyClock? = .system
    /// The system call that writes. Tests let it fail.
    var write: SystemCalls.Write = SystemCalls.write

    private static let nanosecondsPerSecond: Double = 1e9
    /// A century, in seconds. The nanoseconds of more would not be a number of 64 bits.
    private static let sleepMax: TimeInterval = 100 * 365 * 86_400

    /// Creates a configuration with the default limits.
    ///
    /// - Parameter directory: The folder, or `nil` for one of the app in Application Support.
    public init(app: String, subject: String? = nil, directory: URL? = nil, uploader: (any EventUploader)? = nil) {
      self.app = app
      self.subject = subject
      self.directory = directory ?? Self.directory(of: app)
      self.uploader = uploader
    }

    /// Creates a configuration that delivers to `funnel collect`.
    ///
    /// - Parameters:
    ///   - collector: The address of `funnel collect`.
    ///   - key: The key of the app.
    ///   - onRejectedEvents: Receives the reasons for which the server rejected single events of a delivered file.
    public init(
      app: String, subject: String? = nil, directory: URL? = nil, deliveringTo collector: URL, key: String,
      onRejectedEvents: (@Sendable (_ reasons: [String]) -> Void)? = nil
    ) {
      let uploader = HTTPUploader(url: collector, key: key, onRejectedEvents: onRejectedEvents)
      self.init(app: app, subject: subject, directory: directory, uploader: uploader)
    }

    /// Creates a configuration with an upload of the app's own.
    ///
    /// - Parameter upload: Tries once to deliver a file. Each event of the file has the time of the try, `sent_at`.
    public init(
      app: String, subject: String? = nil, directory: URL? = nil,
      upload: @escaping @Sendable (EventFile) async -> UploadResult
    ) {
      self.init(app: app, subject: subject, directory: directory, uploader: ClosureUploader(body: upload))
    }

    /// Returns the current time, with the setting of the device's clock.
    func moment() -> Moment { steadyClock?.moment(of: clock) ?? Moment(date: clock(), clock: nil) }

    private static func directory(of app: String) -> URL {
      let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      return (support ?? FileManager.default.temporaryDirectory).appendingPathComponent("FunnelEvents/\(app)")
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
      let counts = [queuedEventsMax, flushEventCount]
      let times = [flushInterval, fileAgeMax, uploadDelayMin]
      guard counts.allSatisfy({ $0 > 0 }), times.allSatisfy({ $0 > 0 }), uploadDelayMax >= uploadDelayMin else {
        throw EventRecorderError(
          .configuration,
          "queuedEventsMax, flushEventCount, flushInterval, fileAgeMax and uploadDelayMin must be above zero and uploadDelayMax no "
            + "less than uploadDelayMin; raise them"
        )
      }
    }
  }
}
