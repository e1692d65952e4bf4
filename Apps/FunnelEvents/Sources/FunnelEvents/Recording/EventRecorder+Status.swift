extension EventRecorder {
  /// The state of a recorder at one moment.
  public struct Status: Sendable, Hashable {
    /// The subject of later events. It is `nil` while recording is stopped, and if the folder could not be opened.
    public var subject: String?
    /// The user of later events, or `nil` if none is signed in.
    public var user: String?
    /// Whether recording is stopped, by ``EventRecording/optOut()`` or until ``EventRecording/optIn()``.
    public var isOptedOut: Bool
    /// The number of events written since the recorder was created.
    public var recorded: Int
    /// The number of events that the recorder rejected since it was created.
    public var refused: Int
    /// The number of events that the server rejected since the recorder was created. It keeps them as dead letters.
    public var rejectedByServer: Int
    /// The number of events that wait in memory because they can't be written, such as on a full disk.
    public var waiting: Int
    /// The number of events dropped since the folder was first used by any process: because a limit was reached, or because there was no room
    /// on the disk and the process ended.
    public var dropped: Int
    /// The number of events lost since the recorder was created because the server will never take their files.
    public var discarded: Int
    /// The number of closed files that wait to be uploaded.
    public var closedFiles: Int
    /// The size of all event files, in bytes.
    public var diskBytes: Int
    /// The `seq` of the next event.
    public var nextSequence: Int
    /// The ID of the current attempt of each flow.
    public var attempts: [String: String]
    /// The last problem, or `nil` if there was none.
    public var lastProblem: EventRecorderError?
  }

  /// The result of a flush, in numbers of events.
  public struct Delivery: Sendable, Hashable {
    /// The events that the server took.
    public var delivered = 0
    /// The events that stay on the device and are tried again. On a full disk, some of them may be only in memory.
    public var kept = 0
    /// The events that the server will never take, and that were deleted.
    public var discarded = 0
    /// The events that the server rejected and keeps as dead letters.
    public var rejected = 0

    /// Creates a delivery, for an app's tests.
    public init(delivered: Int = 0, kept: Int = 0, discarded: Int = 0, rejected: Int = 0) {
      self.delivered = delivered
      self.kept = kept
      self.discarded = discarded
      self.rejected = rejected
    }
  }

  /// The counts since the recorder was created.
  struct Counts: Sendable {
    var recorded = 0
    var refused = 0
    var discarded = 0
    var rejectedByServer = 0
    /// The number of events dropped while there was no folder to store the count in.
    var droppedEarly = 0
    var lastProblem: EventRecorderError?
  }
}

extension RecorderEngine {
  private var waitingCount: Int {
    (folder?.waiting.count ?? 0) + held.filter { if case .event = $0 { true } else { false } }.count
  }

  func currentStatus() -> EventRecorder.Status {
    let state = folder?.state
    return EventRecorder.Status(
      subject: state?.subject, user: state?.user, isOptedOut: folder?.isOptedOut ?? heldChoice ?? configuration.startsOptedOut,
      recorded: counts.recorded, refused: counts.refused, rejectedByServer: counts.rejectedByServer, waiting: waitingCount,
      dropped: counts.droppedEarly + (state?.dropped ?? 0), discarded: counts.discarded,
      closedFiles: folder?.closedFiles.files.count ?? 0, diskBytes: folder?.byteCount ?? 0,
      nextSequence: state?.nextSequence ?? 0, attempts: state?.attempts ?? [:], lastProblem: counts.lastProblem)
  }
}
