import Foundation
import FunnelDecoding
import FunnelStore
import FunnelModel
import FunnelSystem
import FunnelTestSupport

/// Stores of canonical records, in many small members.
enum RecordLog {
  static let now = Timestamp(rfc3339: "2026-11-21T12:00:00Z")!

  static func options(threads: Int = 1) -> StoreWriter.Options {
    var options = StoreWriter.Options()
    options.threads = threads
    options.memberRawBytesTarget = 1000
    options.logFileBytesTarget = 1500
    return options
  }

  static func writer(
    _ path: String, threads: Int = 1, _ fileSystem: any FileSystem = FaultyFileSystem()
  ) throws -> StoreWriter {
    try StoreWriter.open(path, lockTimeout: lockPatience, options: options(threads: threads), fileSystem: fileSystem)
  }

  /// Returns a record a number of milliseconds before now.
  static func record(_ id: String, millisecondsAgo: Int64) -> (line: String, timestamp: Timestamp) {
    let time = Timestamp(milliseconds: now.milliseconds - millisecondsAgo)
    let line =
      #"{"name":"opened","ts":"\#(time)","subject":"s-\#(id)","app":"cleaner","id":"\#(id)","received_at":"\#(now)","v":1}"#
    return (line, time)
  }

  /// Commits batches of random events of the last days, each with a dead letter.
  static func fill(
    _ path: String, commits: Range<Int>, eventsMax: Int = 9, days: Int64 = 5, seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed &* 1000 &+ UInt64(commits.lowerBound))
    let writer = try writer(path)
    for commit in commits {
      var batch = CommitBatch(kind: .ingest, at: now)
      for number in 0..<Int.random(in: 1...eventsMax, using: &random) {
        let (line, time) = record(
          "\(commit)-\(number)",
          millisecondsAgo: Int64.random(in: 0..<days * Timestamp.millisecondsPerDay, using: &random))
        batch.events[time.day, default: RecordBatch()].append(line.utf8, timestamp: time)
      }
      let letter =
        #"{"v":1,"at":"\#(now)","file":"f","line":\#(commit),"offset":0,"reason":"invalid_json","message":"m","raw":"{","raw_bytes":1}"#
      batch.deadLetters[now.day, default: RecordBatch()].append(letter.utf8, timestamp: now)
      _ = try writer.commit(batch)
    }
  }

  /// Returns the lines of an area, in order, each with the day of its part.
  static func lines(_ reader: StoreReader, _ area: LogFileName.Area = .log) throws -> [String] {
    try reader.members(of: area).flatMap { member in
      String(decoding: try reader.read(member), as: UTF8.self).split(separator: "\n").map { "\(member.logFile.day) \($0)" }
    }
  }

  static func lines(_ path: String, _ area: LogFileName.Area = .log) throws -> [String] {
    try lines(StoreReader.open(path), area)
  }

  /// Returns the findings of a verification.
  static func findings(_ path: String, threads: Int = 1) throws -> [String] {
    try StoreVerification.run(path, checker: StoredRecordChecker(), threads: threads).map(\.description)
  }

  /// Returns the calls that a sweep tries: a sample of about eight, or all with `FUNNEL_SWEEP=full`.
  static func sweep(_ calls: Int) -> [Int] {
    Array(stride(from: 1, through: calls, by: Sweeps.isFull ? 1 : max(1, calls / 8)))
  }
}
