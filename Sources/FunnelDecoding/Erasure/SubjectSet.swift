/// A hash set of the subjects to forget.
///
/// A subject is identified by its number. It has one text, or two if the store may contain its pseudonym.
package struct SubjectSet: Sendable {
  /// A text of a subject.
  private struct Text: Sendable {
    var bytes: [UInt8]
    /// The number of the subject.
    var subject: Int
  }

  private var texts: [Text] = []
  /// The indices in `texts`, by the hash of the text.
  private var indices: [Hash128: Int] = [:]
  /// The distinct lengths of the texts in bytes, ascending.
  private(set) var lengths: [Int] = []
  /// Whether a text has a given length in bytes: most other texts are excluded without hashing.
  private var hasLength: [Bool] = []

  /// The length of the shortest prefix that identifies a subject, in bytes. Shorter ones would match by chance.
  private static let prefixBytesMin = 4

  /// Creates an empty set.
  package init() {}

  /// Adds a text of a subject, unless the set contains the text.
  package mutating func insert(_ bytes: [UInt8], subject: Int) {
    let hash = Hash128(of: bytes.span)
    guard indices[hash] == nil else { return }
    indices[hash] = texts.count
    texts.append(Text(bytes: bytes, subject: subject))
    if let index = lengths.firstIndex(where: { $0 >= bytes.count }) {
      if lengths[index] != bytes.count { lengths.insert(bytes.count, at: index) }
    } else {
      lengths.append(bytes.count)
    }
    while hasLength.count <= bytes.count { hasLength.append(false) }
    hasLength[bytes.count] = true
  }

  /// Returns the number of the subject with a given text, or `nil` if there is none.
  func subject(_ text: Span<UInt8>) -> Int? {
    guard text.count < hasLength.count, hasLength[text.count], let index = indices[Hash128(of: text)] else { return nil }
    let known = texts[index].bytes
    return known.span.isEqual(to: text) ? texts[index].subject : nil
  }

  /// Returns the number of the first subject that occurs in a text as a separate word, or `nil` if there is
  /// none. No letter or digit may be adjacent to it: `u1` does not occur in `u10`.
  func firstSubject(in text: Span<UInt8>) -> Int? {
    guard let shortest = lengths.first else { return nil }
    for start in 0..<max(text.count - shortest + 1, 0) where start == 0 || !text[start - 1].isLetterOrDigit {
      for length in lengths where start + length <= text.count {
        let end = start + length
        if end < text.count, text[end].isLetterOrDigit { continue }
        if let subject = subject(text.extracting(start..<end)) { return subject }
      }
    }
    return nil
  }

  /// Returns the number of the first subject of which a truncated text is a prefix, or `nil` if there is none.
  /// The prefix must be at least half of the subject, and at least four bytes.
  func firstSubject(beginningWith text: Span<UInt8>) -> Int? {
    guard text.count >= Self.prefixBytesMin else { return nil }
    for candidate in texts where candidate.bytes.count > text.count && candidate.bytes.count <= 2 * text.count {
      if candidate.bytes.span.extracting(first: text.count).isEqual(to: text) { return candidate.subject }
    }
    return nil
  }
}
