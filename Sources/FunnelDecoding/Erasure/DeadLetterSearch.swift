/// Searches dead letters for subjects to forget.
///
/// A rejected line may contain a subject anywhere and in any form. The search therefore finds separate words in
/// the raw bytes, in the text with its escapes decoded, in the file name and in the message.
package struct DeadLetterSearch {
  let subjects: SubjectSet

  /// Creates a search for some subjects.
  package init(subjects: SubjectSet) {
    self.subjects = subjects
  }

  /// Returns the number of the first subject that a dead letter mentions, or `nil` if it mentions none.
  func subject(in letter: DeadLetter) -> Int? {
    for text in [letter.raw, Array(letter.file.utf8), Array(letter.message.utf8)] {
      if let found = text.withUnsafeBytes({ subject(in: $0) }) { return found }
    }
    var found: Int?
    _ = letter.raw.withUnsafeBytes { line in
      TextReadings.contains(line) { text in
        found = subject(cutOffIn: text)
        return found != nil
      }
    }
    return found
  }

  /// Returns the number of the first subject that a text mentions, or `nil` if it mentions none.
  package func subject(in text: UnsafeRawBufferPointer) -> Int? {
    var found: Int?
    _ = TextReadings.contains(text) { text in
      found = subjects.firstSubject(in: text)
      if found == nil, text.contains(UInt8(ascii: "\\")) {
        found = JSONEscapes.removed(from: text).withUnsafeBytes { subjects.firstSubject(in: $0) }
      }
      return found != nil
    }
    return found
  }

  /// Returns the number of the subject at the end of a line that was cut off within the subject, as in
  /// `…"subject":"inst_4f2`. Returns `nil` if the line has another end.
  private func subject(cutOffIn line: UnsafeRawBufferPointer) -> Int? {
    let key = Array("\"subject\"".utf8)
    guard let offset = Self.lastOffset(of: key, in: line) else { return nil }
    var remainder = line[(offset + key.count)...]
    for expected in [UInt8(ascii: ":"), UInt8(ascii: "\"")] {
      remainder = remainder.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      guard remainder.popFirst() == expected else { return nil }
    }
    guard !remainder.contains(UInt8(ascii: "\"")) else { return nil }
    return JSONEscapes.removed(from: UnsafeRawBufferPointer(rebasing: remainder)).withUnsafeBytes {
      subjects.firstSubject(beginningWith: $0)
    }
  }

  /// Returns the offset of the last occurrence of a text, or `nil` if there is none.
  private static func lastOffset(of wanted: [UInt8], in line: UnsafeRawBufferPointer) -> Int? {
    wanted.withUnsafeBytes { wanted in
      var last: Int?
      while let found = ByteSearch.offset(of: wanted, in: line, from: last.map { $0 + 1 } ?? 0) { last = found }
      return last
    }
  }
}
