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
      if let found = subject(in: text.span) { return found }
    }
    return Self.first(in: letter.raw.span) { subject(cutOffIn: $0) }
  }

  /// Returns the number of the first subject that a text mentions, or `nil` if it mentions none.
  package func subject(in text: Span<UInt8>) -> Int? {
    Self.first(in: text) { reading in
      if let found = subjects.firstSubject(in: reading) { return found }
      return reading.contains(Byte.backslash) ? subjects.firstSubject(in: JSONEscapes.removed(from: reading).span) : nil
    }
  }

  /// Returns the first result for a decoding of a text that is not `nil`, or `nil` if there is none.
  private static func first(in text: Span<UInt8>, _ subject: (Span<UInt8>) -> Int?) -> Int? {
    var found: Int?
    _ = TextReadings.contains(text) { reading in
      found = subject(reading)
      return found != nil
    }
    return found
  }

  /// Returns the number of the subject at the end of a line that was cut off within its subject or its user, as in
  /// `…"subject":"inst_4f2`. Returns `nil` if the line has another end.
  private func subject(cutOffIn line: Span<UInt8>) -> Int? {
    for key in Self.idKeys { if let found = subject(cutOffIn: line, after: key) { return found } }
    return nil
  }

  /// Returns the number of the subject at the end of a line that was cut off within the value of a key, or `nil` if the line
  /// has another end.
  private func subject(cutOffIn line: Span<UInt8>, after key: [UInt8]) -> Int? {
    guard let start = Self.lastOffset(of: key.span, in: line) else { return nil }
    var index = start + key.count
    for expected in [Byte.colon, Byte.quote] {
      index = line.endOfPrefix(from: index) { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      guard index < line.count, line[index] == expected else { return nil }
      index += 1
    }
    let text = line.extracting(droppingFirst: index)
    guard !text.contains(Byte.quote) else { return nil }
    return subjects.firstSubject(beginningWith: JSONEscapes.removed(from: text).span)
  }

  /// The keys of the fields that contain a subject or a user, with their quotes.
  private static let idKeys = ["\"subject\"", "\"user\""].map { Array($0.utf8) }

  /// Returns the offset of the last occurrence of a text, or `nil` if there is none.
  private static func lastOffset(of wanted: Span<UInt8>, in line: Span<UInt8>) -> Int? {
    var last: Int?
    while let found = line.offset(of: wanted, from: last.map { $0 + 1 } ?? 0) { last = found }
    return last
  }
}
