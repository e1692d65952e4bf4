import Testing

@testable import FunnelRendering

/// An emoji of several scalars keeps its joiners, which count as hidden text anywhere else.
@Suite struct EmojiTests {
  @Test(arguments: [
    "👨‍👩‍👧‍👦", "👩🏽‍🚀", "🏳️‍🌈", "🏴‍☠️", "❤️", "❤️‍🔥", "👍🏽", "🇩🇪", "1️⃣", "#️⃣", "👩🏻‍❤️‍💋‍👨🏻", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "a👨‍👩‍👧b",
  ])
  func anEmojiKeepsItsJoiners(_ text: String) {
    #expect(("\(text)" as TerminalText).text.unicodeScalars.elementsEqual(text.unicodeScalars))
    let markdown = ("\(text)" as MarkdownText).text
    #expect(markdown.unicodeScalars.elementsEqual(text.unicodeScalars), "\(markdown)")
  }

  @Test(arguments: [
    ("a\u{200D}b", "a\\u{200D}b"), ("\u{200D}👩", "\\u{200D}👩"), ("👩\u{200D}", "👩\\u{200D}"), ("👩\u{200D}x", "👩\\u{200D}x"),
    ("👩\u{200D}\u{200D}👩", "👩\\u{200D}\\u{200D}👩"), ("x\u{FE0F}", "x"), ("1\u{FE0F}", "1"), ("❤\u{FE0E}", "❤"),
    ("👩\u{FE0F}\u{FE0F}", "👩\u{FE0F}"), ("👩\u{200D}\u{202E}👩", "👩\\u{200D}\\u{202E}👩"), ("🇩\u{200D}🇪", "🇩\\u{200D}🇪"),
  ])
  func aJoinerWithoutEmojiOnBothSidesIsMadeVisible(_ text: String, _ shown: String) {
    #expect(("\(text)" as TerminalText).text.unicodeScalars.elementsEqual(shown.unicodeScalars))
  }

  @Test func noMoreThanFourEmojiAreJoined() {
    let text = "👩\u{200D}👩\u{200D}👩\u{200D}👩\u{200D}👩"
    let shown: TerminalText = "\(text)"
    #expect(shown.text == "👩\u{200D}👩\u{200D}👩\u{200D}👩\\u{200D}👩")
    #expect(shown.displayWidth == 2 + 8 + 2)
  }

  @Test func lettersOfAFlagThatIsNoneAreMadeVisible() {
    let tags = "hi".unicodeScalars.map { Unicode.Scalar(0xE0000 + $0.value)! } + ["\u{E007F}"]
    let text = String(String.UnicodeScalarView(["\u{1F3F4}"] + tags))
    #expect(("\(text)" as TerminalText).text == "\u{1F3F4}\\u{E0068}\\u{E0069}\\u{E007F}")
  }

  @Test func aCutNeverFallsIntoAnEmoji() {
    let text: TerminalText = "👨‍👩‍👧‍👦👨‍👩‍👧‍👦"
    #expect(text.prefix(columns: 3).text == "👨‍👩‍👧‍👦")
  }
}
