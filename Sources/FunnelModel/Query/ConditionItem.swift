/// One value in the list of an `=` or `!=` condition: `ctx.country=DE,AT` has two. An empty item matches an absent value.
package struct ConditionItem: Hashable, Sendable {
  /// The text of the item. ``list(_:)`` removes surrounding whitespace; ``init(_:)`` keeps the text as it is.
  package let text: String
  /// The text as a number, or `nil` if it is not one. `3.0` matches the number 3.
  private let number: WrittenNumber?

  package init(_ text: String) {
    self.text = text
    number = WrittenNumber(text)
  }

  /// Returns whether a normalized value (``PropertyValue/segmentValue(isText:)``) equals the item. Numbers are
  /// compared by value, everything else by text.
  package func matches(_ candidate: PropertyValue) -> Bool {
    switch candidate {
    case .null: text.isEmpty
    case .string(let string): !text.isEmpty && string.utf8.elementsEqual(text.utf8)
    case .bool(let flag): text == (flag ? "true" : "false")
    case .integer, .double: number?.order(of: candidate) == .same
    }
  }

  /// Returns the items as a list that ``list(_:)`` parses to the same items.
  package static func text(of items: [ConditionItem]) -> String {
    // The space prevents a backslash at the end of an item from escaping the comma after it.
    items.dropLast().map { $0.escapedText + ($0.text.utf8.last == UInt8(ascii: "\\") ? " ," : ",") }.joined()
      + (items.last?.escapedText ?? "")
  }

  private var escapedText: String { text.utf8.contains(UInt8(ascii: ",")) ? text.escapingCommas : text }

  /// Parses a list: commas separate items, `\,` is a comma within an item, and whitespace around items is ignored.
  package static func list(_ text: String) -> [ConditionItem] {
    var items: [ConditionItem] = []
    var item = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if scalar == "," {
        if isEscaped {
          item.removeLast()
          item.append(",")
        } else {
          items.append(ConditionItem(String(item).withoutOuterBlanks))
          item = String.UnicodeScalarView()
        }
      } else {
        item.append(scalar)
      }
      isEscaped = scalar == "\\"
    }
    return items + [ConditionItem(String(item).withoutOuterBlanks)]
  }
}

extension String {
  /// The text with every comma escaped as `\,`.
  fileprivate var escapingCommas: String {
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar == "," { result.append("\\") }
      result.append(scalar)
    }
    return String(result)
  }
}
