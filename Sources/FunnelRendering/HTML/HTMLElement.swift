/// An element of HTML or SVG: its name, its attributes and its content.
///
/// ```swift
/// HTMLElement("p", ["class": "note"], .line) { "read \(untrusted) with care" }
/// ```
///
/// Names and attribute names are literals of the program. Values and texts are escaped (``Escaped``), so an element
/// contains exactly the tags that its code shows.
package struct HTMLElement {
  /// The line breaks around the tags of an element. They have no effect on the page, but keep its source readable.
  package enum Layout {
    /// The element is part of a line.
    case inline
    /// A line ends after the element.
    case line
    /// Lines end after both tags. The content consists of lines.
    case block
    /// A line ends after the start tag. The content consists of lines, and more follows in the line of the end tag.
    case lines
  }

  /// The attributes of an element in order. An attribute whose value is `nil` is omitted.
  package typealias Attributes = KeyValuePairs<HTMLText, HTMLText?>

  /// The source of the element.
  package let html: HTMLText

  /// Creates an element with content, which may be empty.
  package init(
    _ name: HTMLText, _ attributes: Attributes = [:], _ layout: Layout = .inline, @HTMLBuilder content: () -> HTMLText
  ) {
    let start: HTMLText = "<" + Self.tag(name, attributes) + ">"
    let content = content()
    let end: HTMLText = "</\(name)>"
    html =
      switch layout {
      case .inline: [start, content, end].joined()
      case .line: [start, content, end, "\n"].joined()
      case .block: [start, "\n", content, end, "\n"].joined()
      case .lines: [start, "\n", content, end].joined()
      }
  }

  /// Creates an element that has no end tag, such as `input`, or a shape of SVG.
  package init(empty name: HTMLText, _ attributes: Attributes = [:], _ layout: Layout = .inline) {
    let tag: HTMLText = "<" + Self.tag(name, attributes) + "/>"
    html = layout == .inline ? tag : tag + "\n"
  }

  private static func tag(_ name: HTMLText, _ attributes: Attributes) -> HTMLText {
    assert(isName(name), "\(name.text) is not a name of an element")
    assert(Set(attributes.map(\.key)).count == attributes.count, "an attribute of \(name.text) is repeated")
    return attributes.reduce(into: name) { tag, attribute in
      assert(isName(attribute.key), "\(attribute.key.text) is not a name of an attribute")
      if let value = attribute.value { tag += " \(attribute.key)=\"\(value)\"" }
    }
  }

  private static func isName(_ name: HTMLText) -> Bool {
    !name.isEmpty && name.text.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") }
  }
}

extension UInt8 {
  fileprivate var isASCIIAlphanumeric: Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }
}

/// Joins the texts and elements of a block of code in their order.
@resultBuilder
package enum HTMLBuilder {
  package static func buildExpression(_ text: HTMLText) -> HTMLText { text }
  package static func buildExpression(_ element: HTMLElement) -> HTMLText { element.html }
  package static func buildBlock(_ pieces: HTMLText...) -> HTMLText { pieces.joined() }
  package static func buildArray(_ pieces: [HTMLText]) -> HTMLText { pieces.joined() }
  package static func buildOptional(_ piece: HTMLText?) -> HTMLText { piece ?? "" }
  package static func buildEither(first piece: HTMLText) -> HTMLText { piece }
  package static func buildEither(second piece: HTMLText) -> HTMLText { piece }
}

extension Escaped where Rule == HTMLEscape {
  /// Creates a text from elements and texts.
  package init(@HTMLBuilder _ content: () -> HTMLText) { self = content() }

  /// Returns a text whose direction of writing cannot affect the text around it.
  package static func isolated(_ text: String) -> HTMLText {
    let hasControls = text.unicodeScalars.contains(where: \.isControlOfDirectionOrDevice)
    return hasControls ? HTMLElement("bdi") { "\(text)" }.html : "\(text)"
  }

  /// The text without its tags. Character references are not decoded.
  var visibleText: String {
    var isTag = false
    return String(
      text.filter { character in
        if character == "<" { isTag = true }
        defer { if character == ">" { isTag = false } }
        return !isTag
      })
  }
}
