import Foundation
import FunnelModel
import Testing

@testable import FunnelStore

/// Numbers of the journal are bounded, so that their sums never overflow.
@Suite struct JournalNumberTests {
  private func line(records: Int = 1, bytes: Int = 1, offset: Int = 0) throws -> [UInt8] {
    let part = try #require(LogFileName(path: "log/dt=2026-11-20/part-00000.ndjson.gz"))
    let extent = Extent(
      logFile: part, offset: offset, bytes: bytes, rawBytes: bytes, records: records, sha256: String(repeating: "0", count: 64))
    let commit = Commit(
      number: 1, kind: .ingest, continues: nil, at: Timestamp(milliseconds: 0), timestamps: nil, appended: [extent],
      removed: [],
      previousHash: String(repeating: "0", count: 64), hash: "")
    return JournalLine.format(commit).line
  }

  @Test func `a line with only one timestamp is none of a journal`() throws {
    let sound = String(decoding: try line(), as: UTF8.self)
    let time = "\"2026-11-20T08:00:00.000Z\""
    for (first, last, isSound) in [(time, time, true), (time, "null", false), ("null", time, false)] {
      let changed = sound.replacing(
        "\"first_ts\":null,\"last_ts\":null", with: "\"first_ts\":\(first),\"last_ts\":\(last)")
      var bytes = Array(changed.utf8)
      let end = try #require(changed.range(of: ",\"sha256\":\"", options: .backwards))
      bytes.removeLast(changed.utf8.distance(from: end.lowerBound, to: changed.utf8.endIndex))
      _ = SealedLine.seal(&bytes)
      let parsed = try? JournalLine.parse(bytes[...])
      #expect((parsed != nil) == isSound, "\(first) to \(last)")
    }
  }

  @Test func `a line with a number that no log has is none of a journal`() throws {
    let largest = Limits.journalNumberMax
    for sound in [try line(records: largest), try line(bytes: largest), try line(offset: largest)] {
      #expect(throws: Never.self) { try JournalLine.parse(sound[...]) }
    }
    for number in [largest + 1, 999_999_999_999_999_999, Int.max] {
      for broken in [try line(records: number), try line(bytes: number), try line(offset: number)] {
        #expect(throws: JournalLine.Mistake.self) { try JournalLine.parse(broken[...]) }
      }
    }
  }
}
