package import FunnelModel
package import FunnelStore

/// Removes the lines of some commits from gzip members, to undo the commits. Thread-safe.
package struct OriginFilter: Sendable {
  private let gone: Set<Int>

  /// Creates a filter.
  ///
  /// - Parameter gone: The numbers of the commits whose lines are removed.
  package init(removing gone: Set<Int>) { self.gone = gone }

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
    let isWhole = raw.withUnsafeBytes { bytes in
      for line in RecordLines(of: raw) {
        let text = UnsafeRawBufferPointer(rebasing: bytes[line.text])
        guard line.isEnded, let commit = commits.popFirst(), let time = Self.time(of: text, in: member.logFile.area) else {
          return false
        }
        if !gone.contains(commit) { lines.append(line.batchLine(at: time)) }
      }
      return commits.isEmpty
    }
    guard isWhole else {
      throw FunnelError(
        .inputOutput,
        "a record can't be read, \(member.logFile), so nothing was undone; check the store with 'funnel log verify'")
    }
    return RecordBatch(chunks: [raw], lines: lines[...])
  }

  /// Returns the time of an event or a dead letter, or `nil` if the line is neither.
  private static func time(of line: UnsafeRawBufferPointer, in area: LogFileName.Area) -> Timestamp? {
    area == .log ? StoredLine(line)?.timestamp : DeadLetter.parse(Array(line))?.1
  }
}
