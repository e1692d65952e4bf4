import FunnelModel
import Testing

@testable import FunnelRendering

@Suite struct HumanNumberTests {
  @Test(arguments: [
    (0, "0 s"), (1, "1 ms"), (999, "999 ms"), (1000, "1.0 s"), (1540, "1.5 s"), (9949, "9.9 s"), (9950, "10 s"),
    (59_499, "59 s"),
    (59_500, "1 m"), (123_000, "2 m 3 s"), (3_599_499, "59 m 59 s"), (3_599_500, "1 h"), (12_000_000, "3 h 20 m"),
    (86_369_999, "23 h 59 m"), (86_370_000, "1.0 d"), (104_000_000, "1.2 d"), (604_800_000, "7.0 d"), (8_640_000_000, "100 d"),
    (Int64.max, "106,751,991,167 d"),
  ])
  func durationsHaveTheUnitsPeopleUse(_ milliseconds: Int64, _ text: String) {
    #expect(HumanNumbers.duration(milliseconds: milliseconds) == text)
  }

  @Test(arguments: [
    (0.0, "0 %"), (1.0, "100 %"), (0.0004, "<0.1 %"), (0.0005, "0.1 %"), (0.625, "62.5 %"), (0.9994, "99.9 %"),
    (0.9996, ">99.9 %"),
    (1.5, "100 %"), (-0.5, "0 %"),
  ])
  func onlyAllIsAHundredPercentAndOnlyNothingIsNone(_ share: Double, _ text: String) {
    #expect(HumanNumbers.percent(share) == text)
  }

  @Test(arguments: [(0.0, "0"), (1.0, "100"), (0.004, "<1"), (0.005, "1"), (0.142, "14"), (0.994, "99"), (0.996, ">99")])
  func `a percentage without decimals is only all or nothing if it is exactly that`(share: Double, text: String) {
    #expect(HumanNumbers.wholePercent(share) == text)
  }

  @Test(arguments: [
    (0, "0"), (999, "999"), (1000, "1,000"), (-1234, "-1,234"), (1_234_567, "1,234,567"),
    (Int.max, "9,223,372,036,854,775,807"),
  ])
  func thousandsAreSeparated(_ count: Int, _ text: String) {
    #expect(HumanNumbers.count(count) == text)
  }

  @Test(arguments: [("0", "0"), ("999.5", "999.5"), ("4064", "4,064"), ("-1234567.891", "-1,234,567.891")])
  func `an amount has separators, and all its decimal places`(number: String, text: String) throws {
    #expect(HumanNumbers.amount(try #require(ExactDecimal(number))) == text)
  }

  @Test(arguments: [(0.125, "0.13"), (4064, "4,064"), (-12_345.5, "-12,345.5")])
  func `a statistic has separators, and two decimal places`(number: Double, text: String) {
    #expect(HumanNumbers.statistic(number) == text)
  }

  @Test(arguments: [
    ("abc", 3), ("é", 1), ("e\u{301}", 1), ("家族", 4), ("각", 2), ("👍", 2), ("🇩🇪", 2), ("█▌", 2), ("ｱ", 1), ("Ａ", 2), ("✓", 1),
    ("שלום", 4), ("👨‍👩‍👧‍👦", 2), ("👍🏽", 2), ("❤️", 2), ("1️⃣", 2), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2), ("🇩", 1), ("👩🏽‍🚀 ok", 5),
  ])
  func textTakesTheColumnsATerminalGivesIt(_ text: String, _ columns: Int) {
    #expect(("\(text)" as TerminalText).displayWidth == columns)
  }

  @Test(arguments: [
    ("a\u{202E}b", "a\\u{202E}b"), ("\u{1B}[31m", "\\u{1B}[31m"), ("a\u{200D}b", "a\\u{200D}b"),
    ("\u{301}x", "\\u{301}x"), ("z\u{36F}\u{36F}\u{36F}\u{36F}\u{36F}", "z\u{36F}\u{36F}\u{36F}\u{36F}\\u{36F}"),
  ])
  func whatCannotBeSeenIsMadeVisible(_ text: String, _ shown: String) {
    #expect(("\(text)" as TerminalText).text.unicodeScalars.elementsEqual(shown.unicodeScalars))
  }
}
