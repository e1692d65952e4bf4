import FunnelModel
import Testing

@Suite struct CivilDateTests {
  @Test func `days follow one another through four centuries, and have the weekdays they had`() throws {
    // The first of January 1800 was a Wednesday.
    var expected = try #require(CivilDate(year: 1800, month: 1, day: 1)).daysSinceEpoch
    var weekday = 3
    for year in 1800..<2201 {
      for month in 1...12 {
        for day in 1...31 {
          guard let date = CivilDate(year: year, month: month, day: day) else { continue }
          #expect(date.daysSinceEpoch == expected)
          #expect(date.components == (year, month, day))
          #expect(date.isoWeekday == weekday)
          expected += 1
          weekday = weekday % 7 + 1
        }
      }
    }
    #expect(expected == CivilDate(year: 2201, month: 1, day: 1)?.daysSinceEpoch)
  }

  @Test(arguments: [
    ("2026-11-20", 2026, 47), ("2021-01-03", 2020, 53), ("2021-01-04", 2021, 1), ("2024-12-30", 2025, 1),
    ("2016-01-03", 2015, 53),
    ("2027-01-01", 2026, 53), ("2023-01-01", 2022, 52), ("1970-01-01", 1970, 1), ("0000-01-01", -1, 52),
  ])
  func `a day belongs to the ISO week of its Thursday`(text: String, year: Int, week: Int) throws {
    let date = try #require(CivilDate(text))
    #expect(date.isoWeek == (year, week))
  }

  @Test(arguments: ["0000-01-01", "0001-12-31", "1970-01-01", "2024-02-29", "9999-12-31"])
  func `a day prints as it was written`(text: String) {
    #expect(CivilDate(text)?.description == text)
  }

  @Test(arguments: [
    "", "2026-2-01", "2026-02-29", "2026-02-30", "2100-02-29", "2026-13-01", "2026-00-10", "2026-01-00", "20260101",
    "2026-01-01T", "-026-01-01",
    "2026-01-0é",
  ])
  func `what is no day is refused`(text: String) {
    #expect(CivilDate(text) == nil)
  }

  @Test func `a year beyond four digits has a sign`() {
    #expect(CivilDate(year: 10_000, month: 1, day: 1)?.description == "+10000-01-01")
    #expect(CivilDate(year: -1, month: 12, day: 31)?.description == "-0001-12-31")
    #expect(CivilDate(year: -12_345, month: 1, day: 2)?.description == "-12345-01-02")
  }
}
