import FunnelModel
import Testing

@Suite struct TimeSpanTests {
  @Test(arguments: [
    ("500ms", 500), ("90s", 90_000), ("30m", 1_800_000), ("12h", 43_200_000), ("7d", 604_800_000), ("2w", 1_209_600_000),
    ("0s", 0),
    ("007d", 604_800_000), ("3650d", 315_360_000_000),
  ])
  func `a whole number and a unit are read`(text: String, milliseconds: Int64) {
    #expect(TimeSpan(text)?.milliseconds == milliseconds)
  }

  @Test(arguments: [
    "", "7", "d", "7 d", " 7d", "7d ", "-7d", "+7d", "1.5h", "7D", "7days", "1d12h", "7µs", "٧d", "3651d", "522w",
    "9223372036854775807ms",
    "999999999999999w", "99999999999999999999d",
  ])
  func `anything else, and more than ten years, is refused`(text: String) {
    #expect(TimeSpan(text) == nil)
  }

  @Test(arguments: [
    ("7d", "7d"), ("36h", "36h"), ("24h", "1d"), ("2w", "14d"), ("90s", "90s"), ("60s", "1m"), ("1500ms", "1500ms"),
    ("0d", "0ms"),
  ])
  func `a span prints in the largest unit that divides it`(text: String, printed: String) {
    #expect(TimeSpan(text)?.description == printed)
  }
}
