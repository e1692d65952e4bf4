internal import FunnelMaintenance

extension EventStore {
  /// The result of forgetting subjects.
  public struct ForgetResult: Hashable, Sendable {
    /// The number of subjects of which the store had data, with those of the persons.
    public let found: Int
    /// The number of deleted events.
    public let events: Int
    /// The number of deleted rejected lines.
    public let rejectedLines: Int
    /// The number of events of other subjects that contain one of the subjects as a value. They stay in the store.
    public let mentions: Int
    /// The number of the commit, or `nil` if there was nothing to delete.
    public let commit: Int?
    /// The number of events in the store afterwards.
    public let eventsInStore: Int
  }

  /// Deletes all data of some subjects from the store, and rejects their events from now on.
  ///
  ///     let result = try await store.forget(["inst_4f2a91"])
  ///     print(result.events, "events deleted")
  ///
  /// - Warning: The data can't be restored. Copies of the store, of its input files and of earlier reports are not reached.
  ///
  /// - Parameters:
  ///   - subjects: The raw IDs of the subjects, at least one, also if the store holds pseudonyms.
  ///   - asPersons: Whether the IDs are those of persons, who are deleted with all their subjects. All events of these subjects
  ///     are deleted, those of other persons on a shared device too.
  ///   - keyFile: The file with the key of the pseudonyms, or `nil` for the key in the store.
  ///   - isDryRun: Whether to count the data without deleting it.
  /// - Throws: ``EventStoreError`` (`invalidArgument`) if a text can't be a subject, (`inputOutput`) if the store is damaged,
  ///   (`locked`) if another process did not stop writing in time.
  @discardableResult
  public func forget(
    _ subjects: [String], asPersons: Bool = false, keyFile: String? = nil, isDryRun: Bool = false
  ) async throws(EventStoreError) -> ForgetResult {
    try Self.checkSubjects(subjects)
    return try await EventStoreError.blocking {
      let operation = ErasureOperation(
        storePath: path, subjects: subjects, isOfPersons: asPersons, keyFile: keyFile, now: WallClock.now(),
        threads: configuration.threadCount, lockTimeout: lockTimeout)
      let monitor = SilentMonitor()
      return ForgetResult(isDryRun ? try operation.preview(monitor: monitor) : try operation.apply(monitor: monitor))
    }
  }

  private static func checkSubjects(_ subjects: [String]) throws(EventStoreError) {
    guard !subjects.isEmpty else {
      throw EventStoreError(code: .invalidArgument, message: "no subject given, name the subjects to forget")
    }
    for (index, subject) in subjects.enumerated() {
      // The message must not contain the subject: it may end in a log.
      guard let problem = SubjectList.complaint(about: subject) else { continue }
      throw EventStoreError(
        code: .invalidArgument, message: "not a subject, at index \(index), \(problem), write it exactly as in the events")
    }
  }
}

extension EventStore.ForgetResult {
  init(_ outcome: ErasureOutcome) {
    found = outcome.plan.foundCount
    events = outcome.plan.events
    rejectedLines = outcome.plan.deadLetters
    mentions = outcome.plan.mentions
    commit = outcome.commit
    eventsInStore = outcome.eventsInStore
  }
}
