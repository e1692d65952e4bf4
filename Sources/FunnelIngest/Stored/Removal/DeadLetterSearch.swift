/// Searches dead letters for subjects.
///
/// A rejected line may contain them anywhere and in any form, so they are searched for as words: in the raw bytes, in the text with its
/// escapes decoded, in the file's name and in the message.
package struct DeadLetterSearch {
  let subjects: SubjectSet

  package init(subjects: SubjectSet) {
    self.subjects = subjects
  }

  /// Returns the first subject that a dead letter mentions.
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

  /// Returns the first subject that a text mentions.
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

  /// Returns the subject in the middle of which a line was cut off: `…"subject":"inst_4f2`.
  private func subject(cutOffIn line: UnsafeRawBufferPointer) -> Int? {
    guard let key = Self.lastOffset(of: Array("\"subject\"".utf8), in: line) else { return nil }
    var rest = line[(key + 9)...]
    for expected in [UInt8(ascii: ":"), UInt8(ascii: "\"")] {
      rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      guard rest.popFirst() == expected else { return nil }
    }
    guard !rest.contains(UInt8(ascii: "\"")) else { return nil }
    return JSONEscapes.removed(from: UnsafeRawBufferPointer(rebasing: rest)).withUnsafeBytes {
      subjects.firstSubject(beginningWith: $0)
    }
  }

  private static func lastOffset(of wanted: [UInt8], in line: UnsafeRawBufferPointer) -> Int? {
    wanted.withUnsafeBytes { wanted in
      var last: Int?
      while let found = ByteSearch.offset(of: wanted, in: line, from: last.map { $0 + 1 } ?? 0) { last = found }
      return last
    }
  }
}
