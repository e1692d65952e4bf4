/// A glob that must match a whole text: `*` matches any text, including none, `?` one Unicode scalar, and any
/// other scalar itself.
///
/// Matching backtracks only to the last `*`. The worst case is O(pattern length × text length), for every pattern.
struct GlobPattern: Hashable, Sendable {
  private enum Element: Hashable, Sendable {
    case scalar(Unicode.Scalar)
    case anyScalar
    case anyText
  }

  /// The pattern as written.
  let text: String
  private let elements: [Element]

  /// Parses a pattern. Every text is valid.
  init(_ text: String) {
    self.text = text
    var elements: [Element] = []
    for scalar in text.unicodeScalars {
      switch scalar {
      // Consecutive stars are equivalent to one.
      case "*": if elements.last != .anyText { elements.append(.anyText) }
      case "?": elements.append(.anyScalar)
      default: elements.append(.scalar(scalar))
      }
    }
    self.elements = elements
  }

  /// Returns whether a text matches the pattern.
  func matches(_ candidate: String) -> Bool {
    let scalars = candidate.unicodeScalars
    var index = scalars.startIndex
    var element = 0
    /// The element after the last `*`, and the text index at which it was last tried.
    var retry: (element: Int, index: String.Index)?
    while index < scalars.endIndex {
      if element < elements.count, elements[element] == .anyText {
        element += 1
        retry = (element, index)
      } else if element < elements.count, elements[element] == .anyScalar || elements[element] == .scalar(scalars[index]) {
        element += 1
        index = scalars.index(after: index)
      } else if let last = retry {
        // The last `*` matches one more scalar.
        element = last.element
        index = scalars.index(after: last.index)
        retry = (element, index)
      } else {
        return false
      }
    }
    return elements[element...].allSatisfy { $0 == .anyText }
  }
}
