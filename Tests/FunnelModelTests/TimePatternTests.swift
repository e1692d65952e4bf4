import FunnelModel
import Testing

/// Times in forms that a mapping names.
@Suite struct TimePatternTests {
  @Test(arguments: [
    ("dd.MM.yyyy HH:mm", "23.11.2025 14:05", "2025-11-23T14:05:00.000Z"),
    ("d.M.yy H:mm", "3.1.25 4:05", "2025-01-03T04:05:00.000Z"),
    ("MM/dd/yyyy h:mm a", "11/23/2025 2:05 PM", "2025-11-23T14:05:00.000Z"),
    ("MM/dd/yyyy hh:mm a", "11/23/2025 12:05 am", "2025-11-23T00:05:00.000Z"),
    ("EEE, dd MMM yyyy HH:mm:ss", "Sun, 23 Nov 2025 14:05:00", "2025-11-23T14:05:00.000Z"),
    ("yyyyMMdd'T'HHmmss", "20251123T140500", "2025-11-23T14:05:00.000Z"),
    ("yyyy-MM-dd HH:mm:ss.SSSSSS", "2025-11-23 14:05:00.123456", "2025-11-23T14:05:00.123Z"),
    ("h 'o''clock' a, yyyy-MM-dd", "2 o'clock PM, 2025-11-23", "2025-11-23T14:00:00.000Z"),
    ("yyyy-MM-dd", "2024-02-29", "2024-02-29T00:00:00.000Z"),
    ("excel", "45984.586805", "2025-11-23T14:04:59.952Z"),
    ("excel", "1", "1899-12-31T00:00:00.000Z"),
  ])
  func `a time without a zone`(form: String, text: String, time: String) throws {
    let expected = try #require(Timestamp(rfc3339: time))
    #expect(try TimeForm(form).time(Array(text.utf8).span) == .local(expected))
  }

  @Test(arguments: [
    ("yyyy-MM-dd HH:mm XXX", "2025-11-23 14:05 +05:30", "2025-11-23T08:35:00.000Z"),
    ("yyyy-MM-dd HH:mmXXX", "2025-11-23 14:05Z", "2025-11-23T14:05:00.000Z"),
    ("dd.MM.yyyy HH:mm z", "23.11.2025 14:05 GMT", "2025-11-23T14:05:00.000Z"),
  ])
  func `a time with a zone`(form: String, text: String, time: String) throws {
    let expected = try #require(Timestamp(rfc3339: time))
    #expect(try TimeForm(form).time(Array(text.utf8).span) == .moment(expected))
  }

  @Test(arguments: [
    ("dd.MM.yyyy", "31.02.2025"), ("dd.MM.yyyy", "1.2.2025"), ("dd.MM.yyyy", "01.02.2025 "), ("dd.MM.yyyy", ""),
    ("h:mm a, yyyy-MM-dd", "13:00 PM, 2025-01-01"), ("yyyy-MM-dd HH:mm", "2025-01-01 24:00"), ("excel", "-1"), ("excel", "x"),
  ])
  func `a text that has another form is not a time`(form: String, text: String) throws {
    #expect(try TimeForm(form).time(Array(text.utf8).span) == nil)
  }

  @Test(arguments: ["HH:mm", "yyyy-MM", "yyyy-MM-dd Q", "yyyy-MM-dd hh:mm", "yyyy-MM-dd HH a", "yyyy-MM-dd 'x", "yyyyy-MM-dd"])
  func `a text without a date, or with an unknown field, is not a form`(text: String) {
    #expect(throws: TimePattern.Problem.self) { try TimeForm(text) }
  }

  @Test(arguments: [
    ("2025-11-23 14:05:00 UTC", "2025-11-23T14:05:00.000Z"), ("2025-11-23 14:05:00+00", "2025-11-23T14:05:00.000Z"),
    ("2025-11-23T14:05:00.000+0000", "2025-11-23T14:05:00.000Z"), ("2025-11-23 14:05:00 Z", "2025-11-23T14:05:00.000Z"),
    ("2025-11-23 14:05:00,25 +0130", "2025-11-23T12:35:00.250Z"), ("2025-11-23T14:05-03", "2025-11-23T17:05:00.000Z"),
  ])
  func `variants of ISO 8601 with a zone need no form`(text: String, time: String) throws {
    #expect(WrittenTime(isoLike: Array(text.utf8).span) == .moment(try #require(Timestamp(rfc3339: time))))
  }

  @Test(arguments: [
    "2025-11-23", "2025-11-23 ", "2025-11-23 14", "2025-11-23 14:5", "2025-11-23 14:05:00 CET", "2025-11-23  14:05",
    "2025-11-23 14:05:00.", "2025-11-23 25:00", "23.11.2025 14:05",
  ])
  func `other texts need a form`(text: String) {
    #expect(WrittenTime(isoLike: Array(text.utf8).span) == nil)
  }
}
