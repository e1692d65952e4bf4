package import FunnelStore
package import FunnelModel
import FunnelSystem

/// The result of searching a gzip member for subjects to forget.
package struct MemberFindings: Sendable {
  /// The number of lines to remove.
  package var lines = 0
  /// The numbers of the subjects that own these lines.
  package var subjects: Set<Int> = []
  /// The number of events of other subjects in which a whole string is one of the subjects. They are not removed.
  package var mentions = 0
  /// The events of each subject by its number, if the search includes users.
  package var uses: [Int: SubjectUse] = [:]
}

/// Finds and removes the lines of subjects to forget in gzip members of a store. Thread-safe.
package struct MemberSearch: Sendable {
  package let subjects: SubjectSet
  /// Whether an event also belongs to a subject that is its user.
  private let includesUsers: Bool

  /// Creates a search for some subjects.
  ///
  /// - Parameter includesUsers: Whether an event is found by its user as well as by its subject.
  package init(subjects: SubjectSet, includesUsers: Bool = false) {
    self.subjects = subjects
    self.includesUsers = includesUsers
  }

  /// Searches a decompressed member.
  ///
  /// - Throws: `inputOutput` if a line is not a record of the store.
  package func findings(in raw: [UInt8], of member: MemberReference) throws(FunnelError) -> MemberFindings {
    var findings = MemberFindings()
    try forEachRecord(of: raw, member) { record, text, _ in
      if let use = record.use {
        findings.uses[use.subject, default: SubjectUse()].eventCount += 1
        if let user = use.user { findings.uses[use.subject]?.users.insert(user) }
      }
      if !record.owners.isEmpty {
        findings.lines += 1
        findings.subjects.formUnion(record.owners)
      } else if member.logFile.area == .log, mentions(text) {
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
    try forEachRecord(of: raw, member) { record, _, line in
      if record.owners.isEmpty { lines.append(line.batchLine(at: record.timestamp)) }
    }
    return RecordBatch(chunks: [raw], lines: lines[...])
  }

  /// An event or a dead letter.
  private struct Record {
    let timestamp: Timestamp
    /// The numbers of the subjects to forget that own the record. If there are none, the record remains.
    let owners: [Int]
    /// The subject to forget whose event this is, and the user of the event, if the search includes users.
    var use: (subject: Int, user: [UInt8]?)?
  }

  /// Calls a closure with each record of a decompressed member, its text and its line.
  ///
  /// - Throws: `inputOutput` if a line is not a record of the store.
  private func forEachRecord(
    of raw: [UInt8], _ member: MemberReference, _ body: (Record, _ text: Span<UInt8>, RecordLines.Line) -> Void
  ) throws(FunnelError) {
    let bytes = raw.span
    for line in RecordLines(of: raw) {
      let text = bytes.extracting(line.text)
      guard line.isEnded, let record = member.logFile.area == .log ? event(text) : deadLetter(text) else {
        throw FunnelError(
          .inputOutput,
          "a record can't be read, \(member.logFile), so nothing was forgotten; check the store with 'funnel log verify'")
      }
      body(record, text, line)
    }
  }

  /// Returns the event in a line, or `nil` if the line is not an event.
  private func event(_ line: Span<UInt8>) -> Record? {
    guard let head = StoredLine(line) else { return nil }
    let subject = head.withSubject(of: line) { subjects.subject($0) }
    guard includesUsers else { return Record(timestamp: head.timestamp, owners: subject.map { [$0] } ?? []) }
    let user = head.withUser(of: line) { subjects.subject($0) }
    return Record(
      timestamp: head.timestamp, owners: [subject, user].compactMap { $0 },
      use: subject.map { ($0, head.withUser(of: line) { [UInt8](copying: $0) }) })
  }

  /// Returns the dead letter in a line, or `nil` if the line is not a dead letter. The first subject that it mentions owns it.
  private func deadLetter(_ line: Span<UInt8>) -> Record? {
    guard let (letter, time) = DeadLetter.parse([UInt8](copying: line)) else { return nil }
    let owner = DeadLetterSearch(subjects: subjects).subject(in: letter)
    return Record(timestamp: time, owners: owner.map { [$0] } ?? [])
  }

  /// Returns whether a string in the line equals one of the subjects.
  private func mentions(_ line: Span<UInt8>) -> Bool {
    var start = 0
    while let quote = line.firstIndex(of: Byte.quote, from: start) {
      guard let end = JSONText.end(in: line, from: quote + 1) else { return false }
      let text = line.extracting(quote + 1..<end.offset)
      let subject = end.hasEscapes ? subjects.subject(JSONEscapes.removed(from: text).span) : subjects.subject(text)
      if subject != nil { return true }
      start = end.offset + 1
    }
    return false
  }
}
