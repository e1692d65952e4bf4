/// A glob that must match a whole text: `*` matches any text, including none, `?` one Unicode scalar, and any other scalar itself.
///
/// Matching backtracks only to the last `*`, so it takes at most as many steps as the product of the lengths of pattern and text. No
/// pattern takes exponential time.
struct GlobPattern: Hashable, Sendable {
  private enum Element: Hashable, Sendable {
    case scalar(Unicode.Scalar)
    case anyScalar
    case anyText
  }

  /// The pattern as written.
  let text: String
  private let elements: [Element]

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
    var place = scalars.startIndex
    var element = 0
    /// The element after the last `*`, and where in the text the comparison with it started.
    var retry: (element: Int, place: String.Index)?
    while place < scalars.endIndex {
      if element < elements.count, elements[element] == .anyText {
        element += 1
        retry = (element, place)
      } else if element < elements.count, elements[element] == .anyScalar || elements[element] == .scalar(scalars[place]) {
        element += 1
        place = scalars.index(after: place)
      } else if let last = retry {
        // The `*` matches one more scalar.
        let next = scalars.index(after: last.place)
        (element, place, retry) = (last.element, next, (last.element, next))
      } else {
        return false
      }
    }
    return elements[element...].allSatisfy { $0 == .anyText }
  }
}
