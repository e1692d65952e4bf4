package import FunnelModel

/// Parses lists of subjects: one ID per line, spelled as in the events.
package enum SubjectList {
  /// The UTF-8 encoding of the byte order mark.
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Returns the subjects of a list without duplicates, in their order. Accepts a byte order mark, CRLF, blank
  /// lines and a missing last line feed.
  ///
  /// - Parameter name: The name of the list, for messages. They never contain a line of the list.
  /// - Throws: `unusableInput` if a line can't be a subject.
  package static func parse(_ bytes: [UInt8], named name: String) throws(FunnelError) -> [String] {
    var subjects: [String] = []
    // Subjects are compared as bytes, because Swift treats canonically equivalent strings as equal.
    var known: Set<[UInt8]> = []
    let markBytes = bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
    let lines = bytes.dropFirst(markBytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
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

  /// Returns the reason why a text is not a valid subject, as a clause, or `nil` if it is valid.
  package static func complaint(about subject: String) -> String? {
    if subject.isEmpty { return "it is empty" }
    if subject.utf8.count > Limits.identifierBytesMax { return "it is longer than \(Limits.identifierBytesMax) bytes" }
    return subject.unicodeScalars.contains { $0.properties.generalCategory == .control } ? "it has control characters" : nil
  }
}
