/// One of the values that `=` and `!=` compare with, as a person writes it. The empty string represents an absent value.
public struct ConditionItem: Hashable, Sendable {
  /// The text, without surrounding whitespace.
  public let text: String
  /// The text as a number, if it is one, so that `3.0` matches the number 3.
  private let number: WrittenNumber?

  public init(_ text: String) {
    self.text = text
    number = WrittenNumber(text)
  }

  /// Returns whether a value, as a segment has it (``PropertyValue/segmentValue(isText:)``), equals the item: a number by its numeric value,
  /// anything else by its text.
  public func matches(_ candidate: PropertyValue) -> Bool {
    switch candidate {
    case .null: text.isEmpty
    case .string(let string): !text.isEmpty && string.utf8.elementsEqual(text.utf8)
    case .bool(let flag): text == (flag ? "true" : "false")
    case .integer, .double: number?.order(of: candidate) == .same
    }
  }

  /// Returns the text of a list, which parses to the same items.
  public static func text(of items: [ConditionItem]) -> String {
    // A space separates a backslash at the end of an item from the comma after it.
    items.dropLast().map { $0.escapedText + ($0.text.utf8.last == UInt8(ascii: "\\") ? " ," : ",") }.joined()
      + (items.last?.escapedText ?? "")
  }

  private var escapedText: String { text.utf8.contains(UInt8(ascii: ",")) ? text.replacingCommas : text }

  /// Parses a list: commas separate items, `\,` is a comma within an item, and whitespace around items is ignored.
  public static func list(_ text: String) -> [ConditionItem] {
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
  fileprivate var replacingCommas: String {
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar == "," { result.append("\\") }
      result.append(scalar)
    }
    return String(result)
  }

  /// The text without leading and trailing spaces, tabs and line breaks.
  var withoutOuterBlanks: String {
    let isBlank: (Unicode.Scalar) -> Bool = { [" ", "\t", "\n", "\r"].contains($0) }
    guard let first = unicodeScalars.firstIndex(where: { !isBlank($0) }),
      let last = unicodeScalars.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return String(unicodeScalars[first...last])
  }
}
