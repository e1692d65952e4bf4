package import FunnelStore
package import FunnelModel

/// The result of searching a gzip member for subjects to forget.
package struct MemberFindings: Sendable {
  /// The number of lines to remove.
  package var lines = 0
  /// The numbers of the subjects that own these lines.
  package var subjects: Set<Int> = []
  /// The number of events of other subjects in which a whole string is one of the subjects. They are not removed.
  package var mentions = 0
}

/// Finds and removes the lines of subjects to forget in gzip members of a store. Thread-safe.
package struct MemberSearch: Sendable {
  package let subjects: SubjectSet

  /// Creates a search for some subjects.
  package init(subjects: SubjectSet) {
    self.subjects = subjects
  }

  /// Searches a decompressed member.
  ///
  /// - Throws: `inputOutput` if a line is not a record of the store.
  package func findings(in raw: [UInt8], of member: MemberReference) throws(FunnelError) -> MemberFindings {
    var findings = MemberFindings()
    try forEachLine(of: raw, member) { (line, _, owner) in
      if let owner {
        findings.lines += 1
        findings.subjects.insert(owner)
      } else if member.logFile.area == .log, mentions(line) {
        findings.mentions += 1
      }
    }
    return findings
  }

  /// Returns the remaining lines of a decompressed member, unchanged byte for byte.
  ///
  /// - Throws: `inputOutput` if a line is not a record of the store.
  package func remainder(of raw: [UInt8], of member: MemberReference) throws(FunnelError) -> RecordBatch {
    var lines: [RecordBatch.Line] = []
    try forEachLine(of: raw, member) { (_, line, owner) in
      if owner == nil { lines.append(line) }
    }
    return RecordBatch(chunks: [raw], lines: lines[...])
  }

  /// Calls a closure with each line of a decompressed member.
  ///
  /// - Parameter body: Receives the text of a line, its position, and the number of the subject that owns it.
  ///   The latter is `nil` if the line is not to be removed.
  /// - Throws: `inputOutput` if a line is not a record of the store.
  private func forEachLine(
    of raw: [UInt8], _ member: MemberReference,
    _ body: (_ text: UnsafeRawBufferPointer, _ line: RecordBatch.Line, _ owner: Int?) -> Void
  ) throws(FunnelError) {
    let isWhole = raw.withUnsafeBytes { bytes in
      for line in RecordLines(of: raw) {
        let text = UnsafeRawBufferPointer(rebasing: bytes[line.text])
        guard line.isEnded,
          let (timestamp, owner) = member.logFile.area == .log ? owner(ofEvent: text) : owner(ofLetter: text)
        else { return false }
        body(text, line.batchLine(at: timestamp), owner)
      }
      return true
    }
    guard isWhole else {
      throw FunnelError(
        .inputOutput,
        "a record can't be read, \(member.logFile), so nothing was forgotten; check the store with 'funnel log verify'")
    }
  }

  /// Returns the time of an event, and the number of its subject if the subject is to be forgotten. Returns
  /// `nil` if the line is not an event.
  private func owner(ofEvent line: UnsafeRawBufferPointer) -> (Timestamp, Int?)? {
    guard let head = StoredLine(line) else { return nil }
    let text = UnsafeRawBufferPointer(rebasing: line[head.subject])
    guard head.hasEscapes else { return (head.timestamp, subjects.subject(text)) }
    return (head.timestamp, JSONEscapes.removed(from: text).withUnsafeBytes { subjects.subject($0) })
  }

  /// Returns the time of a dead letter, and the number of the first subject to forget that it mentions. Returns
  /// `nil` if the line is not a dead letter.
  private func owner(ofLetter line: UnsafeRawBufferPointer) -> (Timestamp, Int?)? {
    guard let (letter, time) = DeadLetter.parse(Array(line)) else { return nil }
    return (time, DeadLetterSearch(subjects: subjects).subject(in: letter))
  }

  /// Whether a string in the line equals one of the subjects.
  private func mentions(_ line: UnsafeRawBufferPointer) -> Bool {
    var start = 0
    while let quote = ByteSearch.offset(of: UInt8(ascii: "\""), in: line, start..<line.count) {
      guard let (end, hasEscapes) = JSONText.end(in: line, from: quote + 1) else { return false }
      let text = UnsafeRawBufferPointer(rebasing: line[(quote + 1)..<end])
      if hasEscapes {
        if JSONEscapes.removed(from: text).withUnsafeBytes({ subjects.subject($0) }) != nil { return true }
      } else if subjects.subject(text) != nil {
        return true
      }
      start = end + 1
    }
    return false
  }
}
