/// A glob that must match a whole text: `*` matches any text, including none, `?` one element of the text, and any other
/// element itself.
///
/// Matching backtracks only to the last `*`. The worst case is O(pattern length × text length), for every pattern.
private struct Glob<Element: Hashable & Sendable>: Hashable, Sendable {
  private enum Part: Hashable, Sendable {
    case element(Element)
    case anyElement
    case anyText
  }

  private let parts: [Part]

  /// Parses a pattern in which `star` and `questionMark` are wildcards. Every text is valid.
  init(_ text: some Sequence<Element>, star: Element, questionMark: Element) {
    var parts: [Part] = []
    for element in text {
      switch element {
      // Consecutive stars are equivalent to one.
      case star: if parts.last != .anyText { parts.append(.anyText) }
      case questionMark: parts.append(.anyElement)
      default: parts.append(.element(element))
      }
    }
    self.parts = parts
  }

  /// Returns whether a text matches the pattern.
  func matches<Text: Collection<Element>>(_ text: Text) -> Bool {
    var index = text.startIndex
    var part = 0
    // The part after the last `*`, and the text index at which it was last tried.
    var retry: (part: Int, index: Text.Index)?
    while index < text.endIndex {
      if part < parts.count, parts[part] == .anyText {
        part += 1
        retry = (part, index)
      } else if part < parts.count, parts[part] == .anyElement || parts[part] == .element(text[index]) {
        part += 1
        text.formIndex(after: &index)
      } else if let last = retry {
        // The last `*` matches one more element.
        part = last.part
        index = text.index(after: last.index)
        retry = (part, index)
      } else {
        return false
      }
    }
    assert(part <= parts.count, "every part of the pattern is matched once")
    return parts[part...].allSatisfy { $0 == .anyText }
  }
}

/// A pattern of any text, such as a subject: `*` matches any text, including none, and `?` one Unicode scalar.
struct GlobPattern: Hashable, Sendable {
  /// The pattern as written.
  let text: String
  private let glob: Glob<Unicode.Scalar>

  /// Parses a pattern. Every text is valid.
  init(_ text: String) {
    self.text = text
    glob = Glob(text.unicodeScalars, star: "*", questionMark: "?")
  }

  /// Returns whether a text matches the pattern.
  func matches(_ candidate: String) -> Bool { glob.matches(candidate.unicodeScalars) }
}

/// A pattern of event names, such as `focus_session_*`: `*` matches any number of characters, `?` exactly one.
package struct NamePattern: Hashable, Sendable, CustomStringConvertible {
  // The longest names have `Limits.nameBytesMax` characters. With a star before each, a pattern has twice as many, and no
  // shorter limit would allow a star between any two of them. Stars that follow each other are counted as they are written.
  /// The maximum length of a pattern in bytes.
  private static let bytesMax = 2 * Limits.nameBytesMax
  private static let star = UInt8(ascii: "*")
  private static let questionMark = UInt8(ascii: "?")

  /// The pattern as written.
  package let description: String
  private let glob: Glob<UInt8>

  /// Parses a pattern of lower-case letters, digits, `_`, `*` and `?`.
  ///
  /// Returns `nil` for an empty text, for one with other characters, which could match no name, and for one that is longer than
  /// twice the longest name.
  package init?(_ text: String) {
    let isAllowed = text.utf8.allSatisfy { byte in
      byte.isLowercaseASCIILetter || byte.isASCIIDigit || [UInt8(ascii: "_"), Self.star, Self.questionMark].contains(byte)
    }
    guard !text.isEmpty, text.utf8.count <= Self.bytesMax, isAllowed else { return nil }
    description = text
    glob = Glob(text.utf8, star: Self.star, questionMark: Self.questionMark)
  }

  /// Returns whether the whole name matches.
  package func matches(_ name: some RandomAccessCollection<UInt8>) -> Bool { glob.matches(name) }
}
