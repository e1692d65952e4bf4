internal import FunnelDecoding
internal import FunnelIngest
internal import FunnelModel
internal import FunnelStore
internal import FunnelSystem
public import Foundation

extension EventStore {
  /// The options of an ingest.
  public struct IngestOptions: Hashable, Sendable {
    /// The form in which the store keeps the subjects of events. A store holds only one form.
    public enum Subjects: Hashable, Sendable {
      /// As they are in the input.
      case raw
      /// As pseudonyms: the HMAC-SHA-256 of each subject under a key. The key is in a file, or in the store if that is `nil`. The
      /// first ingest creates a missing key.
      case pseudonyms(keyFile: String? = nil)
    }

    /// The app of events that do not name one.
    public var app: String?
    /// The name of the records' format, such as `segment`, or `nil` to detect it.
    public var format: String?
    /// The files that map another product's records to events.
    public var mappingFiles: [String] = []
    /// The form of subjects in the store.
    public var subjects = Subjects.raw
    /// Whether one rejected line prevents the commit.
    public var isStrict = false
    /// The time of the ingest, or `nil` for the clock. Events after it are rejected.
    public var now: Date?

    /// Creates the default options.
    public init() {}
  }

  /// The result of an ingest. Each line of the input is accepted, a duplicate, or rejected.
  public struct IngestResult: Hashable, Sendable {
    /// A rejected line.
    public struct Rejection: Hashable, Sendable {
      /// The path of the file.
      public let file: String
      /// The number of the line, from 1.
      public let line: Int
      /// The code of the reason, such as `invalid_json`.
      public let reason: String
      /// A sentence about the problem.
      public let message: String
    }

    /// The number of lines that are not blank.
    public let lines: Int
    /// The number of events that are new to the store.
    public let accepted: Int
    /// The number of events that the input or the store already had.
    public let duplicates: Int
    /// The number of rejected lines.
    public let rejected: Int
    /// The first rejected lines. The store keeps all of them.
    public let firstRejections: [Rejection]
    /// The number of the last commit, or `nil` if nothing was new.
    public let commit: Int?
    /// The number of events in the store after the ingest.
    public let eventsInStore: Int
    /// The flow versions whose definitions the ingest added to the store.
    public let addedFlows: [String]
    /// Messages about likely mistakes in the app's logging, and about an index that could not be written.
    public let notes: [String]
  }

  /// Appends the events of files and folders to the store.
  ///
  ///     let result = try await store.ingest(files: ["logs/", "today.ndjson.gz"])
  ///     print(result.accepted, "new events")
  ///
  /// Files are NDJSON, CSV or exports of other products, plain, gzip or zip. Ingesting the same events again adds nothing. The
  /// files are read in blocks, so they may be larger than the memory.
  ///
  /// - Throws: ``EventStoreError`` (`noInput`) if a file can't be read, (`unusableInput`) if the ingest is strict and a line was
  ///   rejected, (`locked`) if another process did not stop writing in time.
  @discardableResult
  public func ingest(
    files paths: [String], options: IngestOptions = IngestOptions()
  ) async throws(EventStoreError) -> IngestResult {
    try await EventStoreError.blocking {
      let files = try InputFile.files(at: paths)
      let monitor = NoteCollector()
      let outcome = try operation(options).ingest(files, isStrict: options.isStrict, monitor: monitor)
      return IngestResult(outcome, notes: monitor.notes)
    }
  }

  /// Appends the events of NDJSON lines to the store.
  ///
  ///     try await store.ingest(lines: [#"{"name":"app_opened","ts":"2026-11-20T10:00:00Z","subject":"a","app":"todo"}"#])
  ///
  /// The lines are first written to a temporary file, so their number is limited only by the disk.
  ///
  /// - Throws: ``EventStoreError`` (`cannotCreate`) if the temporary file can't be written, and the errors of
  ///   ``ingest(files:options:)``.
  @discardableResult
  public func ingest<Lines: AsyncSequence & Sendable>(
    lines: Lines, options: IngestOptions = IngestOptions()
  ) async throws -> IngestResult where Lines.Element == String {
    let file = try LineFile()
    defer { file.remove() }
    for try await line in lines { try file.append(line) }
    return try await ingest(file, options)
  }

  /// Appends the events of NDJSON lines to the store.
  ///
  /// - Throws: ``EventStoreError``, as ``ingest(files:options:)``.
  @discardableResult
  public func ingest(
    lines: some Sequence<String>, options: IngestOptions = IngestOptions()
  ) async throws(EventStoreError) -> IngestResult {
    let file = try LineFile()
    defer { file.remove() }
    for line in lines { try file.append(line) }
    return try await ingest(file, options)
  }

  private func ingest(_ file: LineFile, _ options: IngestOptions) async throws(EventStoreError) -> IngestResult {
    try file.flush()
    return try await ingest(files: [file.path], options: options)
  }

  private func operation(_ options: IngestOptions) throws(FunnelError) -> IngestOperation {
    let subjects: SubjectForm =
      switch options.subjects {
      case .raw: .raw
      case .pseudonyms(let keyFile): .pseudonyms(keyFile: keyFile)
      }
    return IngestOperation(
      storePath: path, definitions: definitions, now: options.now.map(Timestamp.init) ?? WallClock.now(),
      threads: configuration.threadCount, lockTimeout: lockTimeout, app: try AppName.checked(options.app, option: "app"),
      subjects: subjects, imports: ImportSettings(format: options.format, mappingFiles: options.mappingFiles))
  }
}

extension EventStore.IngestResult {
  init(_ outcome: IngestOperation.Outcome, notes: [String]) {
    lines = outcome.summary.lines
    accepted = outcome.summary.accepted
    duplicates = outcome.summary.duplicates
    rejected = outcome.summary.rejected
    firstRejections = outcome.summary.firstRefusals.map {
      Rejection(file: $0.file, line: $0.line, reason: $0.reason.rawValue, message: $0.message)
    }
    commit = outcome.summary.commit
    eventsInStore = outcome.summary.eventsInStore
    addedFlows = outcome.remembered
    self.notes = notes
  }
}

/// A monitor that keeps the messages of an operation.
final class NoteCollector: OperationMonitor {
  private let collected = Guarded<[String]>([])

  /// The messages so far, in order.
  var notes: [String] { collected.withLock { $0 } }

  func begin(_ phase: String, totalBytes: Int?) -> any PhaseMonitor { SilentMonitor().begin(phase, totalBytes: totalBytes) }
  func note(_ message: String) { collected.withLock { $0.append(message) } }
}

/// A temporary file of lines, in a folder that only this user can read.
private struct LineFile {
  /// The number of bytes that are collected before they are written.
  private static let bufferBytesMax = 1 << 18

  let path: String
  private let folder: URL
  private let handle: FileHandle
  private let buffer = LineBuffer()

  private final class LineBuffer {
    var bytes: [UInt8] = []
  }

  init() throws(EventStoreError) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("funnel-\(UUID().uuidString)")
    let file = folder.appendingPathComponent("lines.ndjson")
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      try Data().write(to: file)
      handle = try FileHandle(forWritingTo: file)
    } catch {
      throw EventStoreError(
        code: .cannotCreate,
        message: "can't write, \(file.path), \(error.localizedDescription), check TMPDIR and the space on the disk")
    }
    self.folder = folder
    path = file.path
  }

  /// Appends a line.
  func append(_ line: String) throws(EventStoreError) {
    buffer.bytes.append(contentsOf: line.utf8)
    buffer.bytes.append(UInt8(ascii: "\n"))
    if buffer.bytes.count >= Self.bufferBytesMax { try flush() }
  }

  /// Writes the collected lines.
  func flush() throws(EventStoreError) {
    do {
      try handle.write(contentsOf: buffer.bytes)
    } catch {
      throw EventStoreError(
        code: .cannotCreate, message: "can't write, \(path), \(error.localizedDescription), check the space on the disk")
    }
    buffer.bytes.removeAll(keepingCapacity: true)
  }

  func remove() {
    try? handle.close()
    try? FileManager.default.removeItem(at: folder)
  }
}

extension Timestamp {
  /// Creates the time of a date, rounded down to a millisecond.
  init(_ date: Date) { self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded(.down))) }
}
