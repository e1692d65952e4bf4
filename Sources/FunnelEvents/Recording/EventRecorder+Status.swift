extension EventRecorder {
  /// The state of a recorder.
  public struct Status: Sendable, Hashable {
    /// The number of events written since the recorder was created.
    public var recorded: Int
    /// The number of events refused since the recorder was created.
    public var refused: Int
    /// The number of events dropped for want of room since the folder was first used, also by earlier processes.
    public var dropped: Int
    /// The number of closed files that wait to be uploaded.
    public var closedFiles: Int
    /// The size of all files that hold events.
    public var diskBytes: Int
    /// The `seq` of the next event.
    public var nextSequence: Int
    /// The ids of the runs in progress, by flow.
    public var attempts: [String: String]
    /// The last problem.
    public var lastProblem: EventRecorderError?
  }

  /// What is counted while the recorder lives.
  struct Counts: Sendable {
    var recorded = 0
    var refused = 0
    /// Events that were dropped while there was no folder to count them in.
    var droppedEarly = 0
    var lastProblem: EventRecorderError?
  }

  func currentStatus() -> Status {
    Status(
      recorded: counts.recorded, refused: counts.refused, dropped: counts.droppedEarly + (folder?.state.dropped ?? 0),
      closedFiles: folder?.closedFiles.count ?? 0, diskBytes: folder?.byteCount ?? 0,
      nextSequence: folder?.state.nextSequence ?? 0, attempts: folder?.state.attempts ?? [:], lastProblem: counts.lastProblem)
  }
}
