public import Foundation

extension EventRecorder {
  /// What a recorder needs to know, its limits, and what tests replace.
  public struct Configuration: Sendable {
    /// The app, as the flow definitions name it.
    public var app: String
    /// The pseudonymous id of the install or the user.
    public var subject: String
    /// The folder of the recorder's files, which is made if it is missing. One recorder at a time uses it; no other files belong there.
    ///
    /// On iOS it should be in the app's own container: the system ends apps that keep a lock in a shared one while they are suspended.
    public var directory: URL
    /// What holds for all events: `app_version`, `os`, `device`, `locale`, `country`, `variant`, …
    public var context: [String: EventValue]
    /// Sends a closed file, `*.ndjson.gz`, to wherever `funnel ingest` will find it. The file is deleted when this returns, and tried
    /// again later if it throws. Without it, closed files stay until they are dropped.
    public var upload: (@Sendable (URL) async throws -> Void)?
    /// Is told each problem. It is called on the recorder's actor, so it must return soon.
    public var onProblem: (@Sendable (EventRecorderError) -> Void)?
    /// The size at which a file is closed, before compression; also the longest line.
    public var fileBytesMax = 256 << 10
    /// The age at which a file is closed.
    public var fileAgeMax = Duration.seconds(3600)
    /// The size of all files of the folder together, beyond which the oldest closed ones are dropped; at least four files.
    public var diskBytesMax = 16 << 20
    /// The number of events that may wait in memory; events beyond it are dropped.
    public var queuedEventsMax = 20_000
    /// The delay after the first upload that fails; it doubles with each further one.
    public var uploadDelayMin = Duration.seconds(10)
    /// The longest delay between two uploads.
    public var uploadDelayMax = Duration.seconds(3600)
    /// The clock.
    public var clock: @Sendable () -> Date = { Date() }
    /// Waits for a time, and throws if the task is cancelled meanwhile.
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

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

    /// The size that closed files may have together: the rest is for the open file and its compressed copy.
    var closedBytesMax: Int { diskBytesMax - 2 * fileBytesMax }

    /// Throws if the limits exclude one another.
    func requireSoundLimits() throws(EventRecorderError) {
      guard fileBytesMax >= 1024 else {
        throw EventRecorderError(.configuration, "fileBytesMax is \(fileBytesMax); give 1024 or more")
      }
      guard diskBytesMax / 4 >= fileBytesMax else {
        throw EventRecorderError(
          .configuration, "diskBytesMax is \(diskBytesMax); give at least four times fileBytesMax, which is \(fileBytesMax)")
      }
      guard queuedEventsMax >= 1, fileAgeMax > .zero, uploadDelayMin > .zero, uploadDelayMax >= uploadDelayMin else {
        throw EventRecorderError(
          .configuration,
          "queuedEventsMax, fileAgeMax and uploadDelayMin must be above zero and uploadDelayMax no less than uploadDelayMin; raise them"
        )
      }
    }
  }
}
