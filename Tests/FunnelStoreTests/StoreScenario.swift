import FunnelStore
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

/// Batches of events that tests commit, and the lines that a store then has.
enum StoreScenario {
  static let now = Timestamp(rfc3339: "2026-11-21T12:00:00Z")!

  /// Returns options for small members and parts, so that a few events fill several of both.
  static func options(threads: Int = 1) -> StoreWriter.Options {
    var options = StoreWriter.Options()
    options.threads = threads
    options.memberRawBytesTarget = 200
    options.logFileBytesTarget = 900
    return options
  }

  /// Returns a batch of events of two days and a dead letter; `number` distinguishes its lines from those of other batches.
  static func batch(_ number: Int, events: Int = 12) -> CommitBatch {
    var batch = CommitBatch(kind: .ingest, at: now)
    for index in 0..<events {
      let timestamp = Timestamp(milliseconds: now.milliseconds - Int64(index % 2) * Timestamp.millisecondsPerDay - Int64(index))
      let line = #"{"name":"opened","ts":"\#(timestamp)","subject":"s\#(number)-\#(index)"}"#
      batch.events[timestamp.day, default: RecordBatch()].append(line.utf8, timestamp: timestamp)
    }
    batch.deadLetters[now.day, default: RecordBatch()].append("{\"line\":\(number)}".utf8, timestamp: now)
    return batch
  }

  static func writer(
    _ path: String, options: StoreWriter.Options = options(), _ fileSystem: any FileSystem = FaultyFileSystem()
  ) throws -> StoreWriter {
    try StoreWriter.open(path, lockTimeout: lockPatience, options: options, fileSystem: fileSystem)
  }

  /// Returns the lines of an area of a store, as readers see them.
  static func lines(_ path: String, _ area: LogFileName.Area = .log) throws -> [String] {
    try lines(StoreReader.open(path), area)
  }

  static func lines(_ reader: StoreReader, _ area: LogFileName.Area = .log) throws -> [String] {
    try reader.members(of: area).flatMap { member in
      String(decoding: try reader.read(member), as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  /// Returns the lines that batches have for an area, sorted.
  static func lines(of batches: [CommitBatch], _ area: LogFileName.Area = .log) -> [String] {
    batches.flatMap { batch in
      switch area {
      case .log: batch.events.values
      case .rejected: batch.deadLetters.values
      case .forgotten: batch.tombstones.values
      case .snapshots: batch.snapshots.values
      }
    }
    .flatMap { String(decoding: $0.bytes, as: UTF8.self).split(separator: "\n").map(String.init) }.sorted()
  }
}
