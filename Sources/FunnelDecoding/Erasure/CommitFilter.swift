package import FunnelModel
package import FunnelStore
import FunnelSystem

/// Removes the lines of some commits from gzip members, to undo the commits. Thread-safe.
package struct CommitFilter: Sendable {
  private let removedCommits: Set<Int>

  /// Creates a filter.
  ///
  /// - Parameter commits: The numbers of the commits whose lines are removed.
  package init(removing commits: Set<Int>) { removedCommits = commits }

  /// Returns the remaining lines of a decompressed member, unchanged byte for byte.
  ///
  /// - Parameters:
  ///   - raw: The decompressed member.
  ///   - member: The position of the member.
  ///   - origins: The commits of the member's lines, in the order of the lines.
  /// - Throws: `inputOutput` if a line is not a record of the store.
  package func remainder(
    of raw: [UInt8], _ member: MemberReference, _ origins: [RecordOrigin]
  ) throws(FunnelError) -> RecordBatch {
    var lines: [RecordBatch.Line] = []
    var commits = origins.flatMap { Array<Int>(repeating: $0.commit, count: $0.records) }[...]
    let unreadable = FunnelError(
      .inputOutput,
      "a record can't be read, \(member.logFile), so nothing was undone; check the store with 'funnel log verify'")
    let bytes = raw.span
    for line in RecordLines(of: raw) {
      guard line.isEnded, let commit = commits.popFirst(),
        let time = Self.time(of: bytes.extracting(line.text), in: member.logFile.area)
      else { throw unreadable }
      if !removedCommits.contains(commit) { lines.append(line.batchLine(at: time)) }
    }
    guard commits.isEmpty else { throw unreadable }
    return RecordBatch(chunks: [raw], lines: lines[...])
  }

  /// Returns the time of an event or a dead letter, or `nil` if the line is neither.
  private static func time(of line: Span<UInt8>, in area: LogFileName.Area) -> Timestamp? {
    area == .log ? StoredLine(line)?.timestamp : DeadLetter.parse([UInt8](copying: line))?.time
  }
}
