import Testing

@testable import FunnelRendering

/// An element has exactly the tags that its code shows.
@Suite struct HTMLElementTests {
  @Test func `texts and values of attributes are escaped`() {
    let hostile = "\"><script>&'"
    let escaped = "&quot;&gt;&lt;script&gt;&amp;&#39;"
    let element = HTMLElement("a", ["href": "\(hostile)"]) { "\(hostile)" }
    #expect(element.html.text == "<a href=\"\(escaped)\">\(escaped)</a>")
  }

  @Test func `an attribute without a value is omitted`() {
    #expect(HTMLElement("td", ["class": nil]) { "1" }.html == "<td>1</td>")
    #expect(HTMLElement(empty: "input", ["type": "text", "list": nil]).html == "<input type=\"text\"/>")
  }

  @Test func `lines end after an element, after both tags, or after the start tag`() {
    #expect(HTMLElement("p", [:], .line) { "a" }.html == "<p>a</p>\n")
    #expect(HTMLElement("ul", [:], .block) { HTMLElement("li", [:], .line) { "a" } }.html == "<ul>\n<li>a</li>\n</ul>\n")
    #expect(HTMLElement("table", [:], .lines) { "a\n" }.html == "<table>\na\n</table>")
    #expect(HTMLElement(empty: "meta", [:], .line).html == "<meta/>\n")
  }

  @Test func `a builder joins texts, elements, loops and conditions in their order`() {
    let isShown = false
    let text = HTMLText {
      "first "
      for number in 1...3 { HTMLElement("b") { "\(String(number))" } }
      if isShown { "hidden" } else { " last" }
    }
    #expect(text == "first <b>1</b><b>2</b><b>3</b> last")
    #expect(text.visibleText == "first 123 last")
  }

  @Test func `a text that controls the direction of writing is isolated`() {
    #expect(HTMLText.isolated("plain") == "plain")
    #expect(HTMLText.isolated("a\u{202E}b").text == "<bdi>a\u{202E}b</bdi>")
  }
}
