package import FunnelStore
package import FunnelModel

/// Removes expired dead letters from members of `rejected/`, by the time of rejection and the app.
package struct ExpiredDeadLetterFilter: Sendable {
  /// The result of filtering a member.
  package struct Outcome: Sendable {
    /// The remaining lines, unchanged byte for byte.
    package var remaining: RecordBatch
    /// The number of removed dead letters.
    package var removedCount: Int
  }

  private let limits: [RetentionCut.TimeLimit]

  /// Creates a filter that removes the dead letters to which any of the limits applies.
  package init(_ limits: [RetentionCut.TimeLimit]) { self.limits = limits }

  /// Filters a decompressed member.
  ///
  /// - Throws: `inputOutput` if a line is not a dead letter.
  package func filter(_ raw: [UInt8], of member: MemberReference) throws(FunnelError) -> Outcome {
    var lines: [RecordBatch.Line] = []
    var removedCount = 0
    try DeadLetters.forEach(in: raw, of: member.logFile) { letter, time, line in
      if isExpired(letter, rejectedAt: time) {
        removedCount += 1
      } else {
        lines.append(line.batchLine(at: time))
      }
    }
    return Outcome(remaining: RecordBatch(chunks: [raw], lines: lines[...]), removedCount: removedCount)
  }

  private func isExpired(_ letter: DeadLetter, rejectedAt time: Timestamp) -> Bool {
    let limits = limits.filter { time < $0.start }
    if limits.contains(where: \.apps.isEmpty) { return true }
    guard !limits.isEmpty, let app = letter.app else { return false }
    return limits.contains { $0.apps.contains(app) }
  }
}

extension DeadLetter {
  /// The app that the line names, or else the app that the ingest assigned to lines without one, or `nil` if
  /// there is neither.
  ///
  /// In a line that is not valid JSON, it is the value of the first key `app`.
  var app: String? {
    let named =
      switch Result(catching: { try JSONDocument(parsing: raw) }) {
      case .success(let document): document.root["app"]?.string
      case .failure: appInBrokenLine
      }
    return named ?? defaultApp
  }

  /// The value of the first key `app` in a line that is not valid JSON, or `nil` if there is none or it is not
  /// a valid name.
  private var appInBrokenLine: String? {
    let key = Array("\"app\"".utf8)
    let line = raw.span
    guard var index = line.offset(of: key.span) else { return nil }
    index += key.count
    for expected in [Byte.colon, Byte.quote] {
      index = line.endOfPrefix(from: index) { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      guard index < line.count, line[index] == expected else { return nil }
      index += 1
    }
    let name = line.extracting(index..<line.endOfPrefix(from: index) { $0 != Byte.quote })
    return name.isName ? name.text : nil
  }
}
