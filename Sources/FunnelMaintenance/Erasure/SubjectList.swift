public import FunnelModel

/// Reads lists of subjects: one per line, spelled as in the events.
public enum SubjectList {
  /// Returns the subjects of a list, each once, in their order. A byte order mark, CRLF, blank lines and a missing last line feed are
  /// accepted.
  ///
  /// - Parameter name: The name of the list for messages, which never repeat a line of it.
  /// - Throws: `unusableInput` if a line can't be a subject.
  public static func parse(_ bytes: [UInt8], named name: String) throws(FunnelError) -> [String] {
    var subjects: [String] = []
    // Compared as bytes: strings that are canonically equivalent, such as composed and decomposed ones, are two subjects.
    var known: Set<[UInt8]> = []
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    let lines = bytes.dropFirst(hasMark ? 3 : 0).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() {
      let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      if text.isEmpty { continue }
      guard let subject = String(validUTF8: text), complaint(about: subject) == nil else {
        throw FunnelError(
          .unusableInput,
          "\(name.printable) line \(number + 1) is not a valid subject: it must be UTF-8, 1 to \(Limits.identifierBytesMax) bytes, without control"
            + " characters; fix the list, nothing was forgotten")
      }
      if known.insert(Array(text)).inserted { subjects.append(subject) }
    }
    return subjects
  }

  /// Returns the reason why a text can't be the subject of an event, or nil if it can.
  public static func complaint(about subject: String) -> String? {
    if subject.isEmpty { return "it is empty" }
    if subject.utf8.count > Limits.identifierBytesMax { return "it is longer than \(Limits.identifierBytesMax) bytes" }
    return subject.unicodeScalars.contains { $0.properties.generalCategory == .control } ? "it has control characters" : nil
  }
}
