internal import FunnelIndex
internal import FunnelModel
internal import FunnelStore

/// A store of onboarding events: an append-only log of events, with the flow definitions that reports use.
///
///     let store = try EventStore.openOrCreate(at: "funnel-store")
///     try await store.ingest(files: ["logs/"])
///     let report = try await store.report(Query(flows: ["cleaner/permissions_flow"]))
///     for row in report.funnel { print(row.flow, row.conversion?.value ?? 0) }
///
/// An event store is a value that names a folder, and holds no file open between two calls. Any number of programs may read a store
/// at the same time. ``ingest(files:options:)`` and ``forget(_:)`` write: they wait for another writer at most
/// ``Configuration/lockTimeout``.
///
/// Methods that read or write events are `async` and run on threads of their own. They can't be cancelled: a call that has begun
/// ends with its result, and an ingest is committed wholly or not at all.
public struct EventStore: Sendable {
  /// The settings of a store's operations.
  public struct Configuration: Hashable, Sendable {
    /// The number of threads that an operation uses, at least 1. Results do not depend on it.
    public var threadCount: Int
    /// The time to wait for another writer.
    public var lockTimeout: Duration
    /// The memory that a report may use, in bytes. Larger inputs go to a temporary file. At least 64 MiB.
    public var memoryBytesMax: Int
    /// Files and folders of flow definitions, which take precedence over those of the store and the built-in ones. An ingest copies
    /// them to the store.
    public var definitionPaths: [String]

    /// Creates a configuration.
    public init(
      threadCount: Int? = nil, lockTimeout: Duration = .seconds(30), memoryBytesMax: Int = 1 << 30,
      definitionPaths: [String] = []
    ) {
      self.threadCount = threadCount ?? Environment.processorCount
      self.lockTimeout = lockTimeout
      self.memoryBytesMax = memoryBytesMax
      self.definitionPaths = definitionPaths
    }
  }

  /// The path of the store's folder.
  public let path: String
  /// The settings of operations.
  public let configuration: Configuration

  /// Opens the store at a path.
  ///
  /// - Throws: ``EventStoreError`` (`noInput`) if there is no store, (`inputOutput`) if its journal was lost, or
  ///   (`invalidArgument`) if the configuration is not valid.
  public init(at path: String, configuration: Configuration = Configuration()) throws(EventStoreError) {
    try self.init(checking: path, configuration)
    try EventStoreError.catching { try StoreReader.requireStore(path) }
  }

  /// Opens the store at a path, or creates an empty one if there is none.
  ///
  /// - Throws: ``EventStoreError`` (`cannotCreate`) if the store can't be created, (`locked`) if another process is creating it, or
  ///   the errors of ``init(at:configuration:)``.
  public static func openOrCreate(
    at path: String, configuration: Configuration = Configuration()
  ) throws(EventStoreError) -> EventStore {
    let store = try EventStore(checking: path, configuration)
    try EventStoreError.catching {
      guard !StoreReader.isStore(path) else { return }
      // Writing the first time creates the store.
      _ = try StoreWriter.open(path, lockTimeout: store.lockTimeout)
    }
    return store
  }

  /// Creates the value without a check of the folder.
  private init(checking path: String, _ configuration: Configuration) throws(EventStoreError) {
    guard !path.isEmpty else {
      throw EventStoreError(code: .invalidArgument, message: "the path of the store is empty, name a folder")
    }
    guard configuration.threadCount > 0 else {
      throw EventStoreError(
        code: .invalidArgument, message: "not a number of threads, \(configuration.threadCount), give at least 1")
    }
    guard configuration.memoryBytesMax >= MemoryLimit.bytesMin else {
      throw EventStoreError(
        code: .invalidArgument,
        message: "too little memory, \(configuration.memoryBytesMax) bytes, give at least \(MemoryLimit.bytesMin)")
    }
    self.path = path
    self.configuration = configuration
  }
}

extension EventStore {
  /// The number of events in the store.
  ///
  /// - Throws: ``EventStoreError`` (`inputOutput`) if the store is damaged.
  public var eventCount: Int {
    get throws(EventStoreError) { try EventStoreError.catching { try StoreReader.open(path).eventCount } }
  }

  /// The flow versions on which the store can report, such as `cleaner/permissions_flow@1`, sorted.
  ///
  /// - Throws: ``EventStoreError`` (`configuration`) if a definition is invalid.
  public var flows: [String] {
    get throws(EventStoreError) {
      try EventStoreError.catching { try definitions.catalog(store: path).definitions.map(\.reference) }
    }
  }

  /// Keeps the files of indexes open, for a process that computes many reports.
  package static func keepIndexesOpen() { EventIndex.keepRunsOpen() }

  var definitions: DefinitionSources { DefinitionSources(folders: configuration.definitionPaths) }

  var lockTimeout: TimeSpan { TimeSpan(configuration.lockTimeout) }
}
