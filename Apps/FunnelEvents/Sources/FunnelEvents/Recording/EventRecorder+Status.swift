extension EventRecorder {
  /// The state of a recorder at one moment.
  public struct Status: Sendable, Hashable {
    /// The subject of later events, or `nil` if the folder could not be opened yet.
    public var subject: String?
    /// The user of later events, or `nil` if none is signed in.
    public var user: String?
    /// Whether recording is stopped (``EventRecording/optOut()``).
    public var isOptedOut: Bool
    /// The number of events written since the recorder was created.
    public var recorded: Int
    /// The number of events rejected since the recorder was created.
    public var refused: Int
    /// The number of events dropped because a limit was reached, since the folder was first used by any process.
    public var dropped: Int
    /// The number of events in files that the server will never take, since the recorder was created.
    public var discarded: Int
    /// The number of closed files that wait to be uploaded.
    public var closedFiles: Int
    /// The size of all event files.
    public var diskBytes: Int
    /// The `seq` of the next event.
    public var nextSequence: Int
    /// The ID of the current attempt of each flow.
    public var attempts: [String: String]
    /// The last problem, or `nil` if there was none.
    public var lastProblem: EventRecorderError?
  }

  /// The numbers of events that a flush delivered, kept and discarded.
  public struct Delivery: Sendable, Hashable {
    /// The events that the server has.
    public var delivered = 0
    /// The events that stay on the device and are tried again.
    public var kept = 0
    /// The events that the server will never take, and that were deleted.
    public var discarded = 0

    /// Creates a delivery, for an app's tests.
    public init(delivered: Int = 0, kept: Int = 0, discarded: Int = 0) {
      self.delivered = delivered
      self.kept = kept
      self.discarded = discarded
    }
  }

  /// The counts since the recorder was created.
  struct Counts: Sendable {
    var recorded = 0
    var refused = 0
    var discarded = 0
    /// The number of events dropped while there was no folder to store the count in.
    var droppedEarly = 0
    var lastProblem: EventRecorderError?
  }
}

extension RecorderEngine {
  func currentStatus() -> EventRecorder.Status {
    let state = folder?.state
    return EventRecorder.Status(
      subject: state?.subject, user: state?.user, isOptedOut: state?.isOptedOut ?? false, recorded: counts.recorded,
      refused: counts.refused, dropped: counts.droppedEarly + (state?.dropped ?? 0), discarded: counts.discarded,
      closedFiles: folder?.closedFiles.files.count ?? 0, diskBytes: folder?.byteCount ?? 0,
      nextSequence: state?.nextSequence ?? 0, attempts: state?.attempts ?? [:], lastProblem: counts.lastProblem)
  }
}
