package import FunnelStore
package import FunnelModel

/// Removes expired dead letters from members of `rejected/`, by the time of rejection and the app.
package struct DeadLetterRemovalFilter: Sendable {
  private let reaches: [RetentionCut.Reach]

  /// Creates a filter that removes the dead letters to which any of the limits applies.
  package init(_ reaches: [RetentionCut.Reach]) {
    self.reaches = reaches
  }

  /// Returns the remaining lines of a decompressed member, unchanged byte for byte, and the number of removed
  /// dead letters.
  ///
  /// - Throws: `inputOutput` if a line is not a dead letter.
  package func sift(_ raw: [UInt8], _ member: MemberReference) throws(FunnelError) -> (rest: RecordBatch, goneCount: Int) {
    var lines: [RecordBatch.Line] = []
    var goneCount = 0
    try DeadLetters.forEach(in: raw, of: member.logFile) { letter, time, line in
      if goes(letter, refusedAt: time) {
        goneCount += 1
      } else {
        lines.append(line.batchLine(at: time))
      }
    }
    return (RecordBatch(chunks: [raw], lines: lines[...]), goneCount)
  }

  /// Whether a dead letter is removed.
  private func goes(_ letter: DeadLetter, refusedAt time: Timestamp) -> Bool {
    let reaches = reaches.filter { time < $0.start }
    if reaches.contains(where: \.apps.isEmpty) { return true }
    guard !reaches.isEmpty, let app = letter.app else { return false }
    return reaches.contains { $0.apps.contains(app) }
  }
}

extension DeadLetter {
  /// The app that the line names, or else the app that the ingest assigned to lines without one, or `nil` if
  /// there is neither.
  ///
  /// In a line that is not valid JSON, it is the value of the first key `app`.
  var app: String? {
    if let document = try? JSONDocument(parsing: raw) { return document.root["app"]?.string ?? defaultApp }
    return appInBrokenLine ?? defaultApp
  }

  /// The value of the first key `app` in a line that is not valid JSON, or `nil` if there is none or it is not
  /// a valid name.
  private var appInBrokenLine: String? {
    let key = Array("\"app\"".utf8)
    return raw.withUnsafeBytes { line in
      guard let found = key.withUnsafeBytes({ ByteSearch.offset(of: $0, in: line) }) else { return nil }
      let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
      var remainder = line[(found + key.count)...].drop(while: isBlank)
      guard remainder.popFirst() == UInt8(ascii: ":") else { return nil }
      remainder = remainder.drop(while: isBlank)
      guard remainder.popFirst() == UInt8(ascii: "\"") else { return nil }
      let name = UnsafeRawBufferPointer(rebasing: remainder.prefix { $0 != UInt8(ascii: "\"") })
      return name.isName ? name.text : nil
    }
  }
}
