import Testing

@testable import FunnelRendering

@Suite struct CSVTests {
  @Test func `each line ends as the dialect demands`() {
    let lines: [[CSVText]] = [["a", "b"], [CSVText(number: Int64(-1)), .absent]]
    #expect(CSVDialect.plain.text(of: lines) == "a,b\n-1,\n")
    #expect(CSVDialect.excel.text(of: lines) == "\u{FEFF}a,b\r\n-1,\r\n")
  }

  @Test(arguments: [
    ("=1+1", "'=1+1"), (" +1", "' +1"), ("\u{200B}@x", "'\u{200B}@x"), ("a,b", "\"a,b\""), ("", "\"\""),
    ("a\"b", "\"a\"\"b\""),
  ])
  func `a formula begins with an apostrophe, and a separator is quoted`(_ text: String, _ cell: String) {
    #expect(("\(text)" as CSVText).text == cell)
  }
}
