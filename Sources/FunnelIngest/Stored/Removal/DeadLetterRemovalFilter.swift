package import FunnelStore
package import FunnelModel

/// Removes the dead letters that a retention drops from members of `rejected/`, by the time of rejection and the app they name.
package struct DeadLetterRemovalFilter: Sendable {
  private let reaches: [RetentionCut.Reach]

  /// Creates a sieve that drops the dead letters within any of the reaches.
  package init(_ reaches: [RetentionCut.Reach]) {
    self.reaches = reaches
  }

  /// Returns the lines of an inflated member that stay, unchanged byte for byte, and the number of dead letters that do not.
  ///
  /// - Throws: `inputOutput` if a line is not a dead letter.
  package func sift(_ raw: [UInt8], _ member: MemberReference) throws(FunnelError) -> (rest: RecordBatch, goneCount: Int) {
    var lines: [RecordBatch.Line] = []
    var goneCount = 0
    try DeadLetters.forEach(in: raw, of: member.part) { letter, time, line in
      if goes(letter, refusedAt: time) {
        goneCount += 1
      } else {
        lines.append(line.batchLine(at: time))
      }
    }
    return (RecordBatch(chunks: [raw], lines: lines[...]), goneCount)
  }

  private func goes(_ letter: DeadLetter, refusedAt time: Timestamp) -> Bool {
    let reaches = reaches.filter { time < $0.start }
    if reaches.contains(where: \.apps.isEmpty) { return true }
    guard !reaches.isEmpty, let app = letter.app else { return false }
    return reaches.contains { $0.apps.contains(app) }
  }
}

extension DeadLetter {
  /// The app that the line names or, if it names none, the app that the ingest assigned to such lines; nil if there is neither.
  ///
  /// A line that is not valid JSON may still name its app: then the value after the first key `app` is used.
  var app: String? {
    if let document = try? JSONDocument(parsing: raw) { return document.root["app"]?.string ?? defaultApp }
    return appInBrokenLine ?? defaultApp
  }

  private var appInBrokenLine: String? {
    let key = Array("\"app\"".utf8)
    return raw.withUnsafeBytes { line in
      guard let found = key.withUnsafeBytes({ ByteSearch.offset(of: $0, in: line) }) else { return nil }
      let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
      var rest = line[(found + key.count)...].drop(while: isBlank)
      guard rest.popFirst() == UInt8(ascii: ":") else { return nil }
      rest = rest.drop(while: isBlank)
      guard rest.popFirst() == UInt8(ascii: "\"") else { return nil }
      let name = UnsafeRawBufferPointer(rebasing: rest.prefix { $0 != UInt8(ascii: "\"") })
      return name.isName ? name.text : nil
    }
  }
}
