/// The subjects that a store excludes from reports by default, such as test accounts and office phones.
///
/// The list has one subject or glob per line. Blank lines and lines that begin with `#` are ignored:
///
///     # the office
///     3f8a1c
///     test-*
public struct InternalSubjects: Sendable {
  /// The name of the list's file in the store's folder.
  public static let fileName = "internal.txt"

  private let subjects: Set<[UInt8]>
  private let patterns: [GlobPattern]

  /// Parses the text of a list.
  public init(_ text: String) {
    var subjects: Set<[UInt8]> = []
    var patterns: [GlobPattern] = []
    for line in ValueList.lines(of: text) where !line.hasPrefix("#") {
      if line.unicodeScalars.contains(where: { $0 == "*" || $0 == "?" }) {
        patterns.append(GlobPattern(line))
      } else {
        subjects.insert(Array(line.utf8))
      }
    }
    self.subjects = subjects
    self.patterns = patterns
  }

  /// Whether the list is empty.
  public var isEmpty: Bool { subjects.isEmpty && patterns.isEmpty }

  /// Returns whether a subject is on the list.
  public func contains(_ subject: String) -> Bool {
    subjects.contains(Array(subject.utf8)) || patterns.contains { $0.matches(subject) }
  }
}

/// Parses files with one value per line.
public enum ValueList {
  /// Returns the non-blank lines of a text, without surrounding whitespace. A byte order mark is skipped.
  public static func lines(of text: String) -> [String] {
    let byteOrderMark: Unicode.Scalar = "\u{FEFF}"
    var scalars = text.unicodeScalars[...]
    if scalars.first == byteOrderMark { scalars = scalars.dropFirst() }
    return scalars.split(whereSeparator: { $0 == "\n" || $0 == "\r" }).map { String($0).withoutOuterBlanks }
      .filter { !$0.isEmpty }
  }
}
