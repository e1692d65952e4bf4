/// The subjects to be forgotten, as a hash set: the cost of looking up a text does not depend on their number.
package struct SubjectSet: Sendable {
  /// A text and the number of the subject it stands for: a subject has one, or two if the store may contain its pseudonym.
  private struct Text: Sendable {
    var bytes: [UInt8]
    var subject: Int
  }

  private var texts: [Text] = []
  private var places: [Hash128: Int] = [:]
  /// The distinct lengths of the texts in bytes, ascending.
  private(set) var lengths: [Int] = []
  private var hasLength: [Bool] = []

  package init() {}

  /// Adds a text that stands for a subject.
  package mutating func insert(_ bytes: [UInt8], subject: Int) {
    let hash = bytes.withUnsafeBytes { Hash128(of: $0) }
    guard places[hash] == nil else { return }
    places[hash] = texts.count
    texts.append(Text(bytes: bytes, subject: subject))
    if let place = lengths.firstIndex(where: { $0 >= bytes.count }) {
      if lengths[place] != bytes.count { lengths.insert(bytes.count, at: place) }
    } else {
      lengths.append(bytes.count)
    }
    while hasLength.count <= bytes.count { hasLength.append(false) }
    hasLength[bytes.count] = true
  }

  /// Returns the number of the subject that a text stands for, or nil if there is none.
  @inline(__always)
  func subject(_ text: UnsafeRawBufferPointer) -> Int? {
    guard text.count < hasLength.count, hasLength[text.count], let place = places[Hash128(of: text)],
      texts[place].bytes.elementsEqual(text)
    else { return nil }
    return texts[place].subject
  }

  /// Returns the first subject that occurs in a text as a separate word: no letter or digit is adjacent to it, so that `u1` is not found
  /// in `u10`.
  func firstSubject(in text: UnsafeRawBufferPointer) -> Int? {
    guard let shortest = lengths.first else { return nil }
    for start in 0..<max(text.count - shortest + 1, 0) where start == 0 || !text[start - 1].isLetterOrDigit {
      for length in lengths where start + length <= text.count {
        if start + length < text.count, text[start + length].isLetterOrDigit { continue }
        if let subject = subject(UnsafeRawBufferPointer(rebasing: text[start..<(start + length)])) { return subject }
      }
    }
    return nil
  }

  /// Returns the first subject that a text which was cut off may be a prefix of: at least half of the subject, and at least four bytes.
  func firstSubject(beginningWith text: UnsafeRawBufferPointer) -> Int? {
    guard text.count >= 4 else { return nil }
    return texts.first { $0.bytes.count > text.count && 2 * text.count >= $0.bytes.count && $0.bytes.starts(with: text) }?
      .subject
  }
}
