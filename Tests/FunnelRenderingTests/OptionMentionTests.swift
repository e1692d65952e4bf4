import Testing

@testable import FunnelRendering

/// A sentence that names options of the command line names the controls of a page instead.
@Suite struct OptionMentionTests {
  private func option(_ name: String, _ value: String? = nil) -> SentencePart { .options([OptionMention(name, value)]) }

  @Test func `an option has a value where the next word is one`() {
    #expect(
      SentencePart.parts(of: "3 of 9 dropped; --order any counts those who took all steps")
        == [.text("3 of 9 dropped; "), option("order", "any"), .text(" counts those who took all steps")])
    #expect(
      SentencePart.parts(of: "--sides names the values that are compared")
        == [option("sides"), .text(" names the values that are compared")])
    #expect(
      SentencePart.parts(of: "no pin, given with --exclude, (--window 12d, or --stratify day.)")
        == [
          .text("no pin, given with "), option("exclude"), .text(", ("), option("window", "12d"), .text(", or "),
          option("stratify", "day"), .text(".)"),
        ])
  }

  @Test func `options with only a space between them belong together`() {
    #expect(
      SentencePart.parts(of: "--since 2026-11-04 --until 2026-11-09 compares the days")
        == [
          .options([OptionMention("since", "2026-11-04"), OptionMention("until", "2026-11-09")]), .text(" compares the days"),
        ])
  }

  @Test func `a command line in quotes is one piece, dashes alone are text`() {
    #expect(
      SentencePart.parts(of: "see 'funnel schema check --against', -- or don't --")
        == [.text("see "), .command("funnel schema check --against"), .text(", -- or don't --")])
    #expect(SentencePart.parts(of: "") == [])
  }

  @Test func `a page without controls has the option as code, a page with them a link or a name`() {
    let sentence = "<b> --order any, --by"
    #expect(
      HTMLRenderer.words(of: sentence).text == "&lt;b&gt; <code>--order any</code>, <code>--by</code>")
    let page = HTMLRenderer.words(of: sentence) { options in
      options[0].name == "by" ? OptionControl("By") : OptionControl("Order: any", target: "/flows/a/b?x=1&order=any")
    }
    #expect(page.text == #"&lt;b&gt; <a href="/flows/a/b?x=1&amp;order=any">Order: any</a>, <strong>By</strong>"#)
  }
}
