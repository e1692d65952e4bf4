/// A pattern of a whole text: `*` stands for any text, also none, `?` for one Unicode scalar, and everything else for itself.
///
/// Only the last `*` met is ever gone back to, so matching takes at most as many steps as pattern and text are long, multiplied: no pattern
/// makes it take exponential time.
struct GlobPattern: Hashable, Sendable {
  private enum Element: Hashable, Sendable {
    case scalar(Unicode.Scalar)
    case anyScalar
    case anyText
  }

  /// The pattern as it is written.
  let text: String
  private let elements: [Element]

  init(_ text: String) {
    self.text = text
    var elements: [Element] = []
    for scalar in text.unicodeScalars {
      switch scalar {
      // Several in a row are as good as one.
      case "*": if elements.last != .anyText { elements.append(.anyText) }
      case "?": elements.append(.anyScalar)
      default: elements.append(.scalar(scalar))
      }
    }
    self.elements = elements
  }

  /// Whether a text has this form.
  func matches(_ candidate: String) -> Bool {
    let scalars = candidate.unicodeScalars
    var place = scalars.startIndex
    var element = 0
    /// The element behind the last `*` met, and where the text begins that it is being compared with.
    var retry: (element: Int, place: String.Index)?
    while place < scalars.endIndex {
      if element < elements.count, elements[element] == .anyText {
        element += 1
        retry = (element, place)
      } else if element < elements.count, elements[element] == .anyScalar || elements[element] == .scalar(scalars[place]) {
        element += 1
        place = scalars.index(after: place)
      } else if let last = retry {
        // The `*` stands for one scalar more.
        let next = scalars.index(after: last.place)
        (element, place, retry) = (last.element, next, (last.element, next))
      } else {
        return false
      }
    }
    return elements[element...].allSatisfy { $0 == .anyText }
  }
}
