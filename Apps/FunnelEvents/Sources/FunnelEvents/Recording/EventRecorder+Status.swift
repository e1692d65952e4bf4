extension EventRecorder {
  /// The state of a recorder at one moment.
  public struct Status: Sendable, Hashable {
    /// The number of events written since the recorder was created.
    public var recorded: Int
    /// The number of events rejected since the recorder was created.
    public var refused: Int
    /// The number of events dropped because a limit was reached, since the folder was first used by any process.
    public var dropped: Int
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

  /// The counts since the recorder was created.
  struct Counts: Sendable {
    var recorded = 0
    var refused = 0
    /// The number of events dropped while there was no folder to store the count in.
    var droppedEarly = 0
    var lastProblem: EventRecorderError?
  }

  func currentStatus() -> Status {
    Status(
      recorded: counts.recorded, refused: counts.refused, dropped: counts.droppedEarly + (folder?.state.dropped ?? 0),
      closedFiles: folder?.closedFiles.files.count ?? 0, diskBytes: folder?.byteCount ?? 0,
      nextSequence: folder?.state.nextSequence ?? 0, attempts: folder?.state.attempts ?? [:], lastProblem: counts.lastProblem)
  }
}
