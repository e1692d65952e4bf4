extension EventStore {
  /// A difference between a file of the store and what was written to it.
  public struct Damage: Hashable, Sendable, CustomStringConvertible {
    /// The path of the file.
    public let path: String
    /// The offset in the file in bytes, or `nil` if the whole file is affected.
    public let offset: Int?
    /// The number of the record in its gzip member, from 1, or `nil` if the damage is not in one record.
    public let record: Int?
    /// The problem, as a clause.
    public let reason: String

    public let description: String
  }

  /// Reads every byte of the store, and returns the damage: an empty array if there is none.
  ///
  ///     let damage = try await store.verify()
  ///     if !damage.isEmpty { print("restore a backup, or run: funnel log repair") }
  ///
  /// It checks the hashes of the journal, the checksum of each gzip member, and each record.
  ///
  /// - Throws: ``EventStoreError`` (`noInput`) if the store was removed, (`configuration`) if it is of a newer version.
  public func verify() async throws(EventStoreError) -> [Damage] {
    try await EventStoreError.blocking {
      try VerificationOperation(storePath: path, threads: configuration.threadCount).run(monitor: SilentMonitor()).damage
    }
  }
}
