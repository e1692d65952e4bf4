import FunnelModel
import Testing

@Suite struct JSONTextTests {
  private func text(_ body: (inout [UInt8]) -> Void) -> String {
    var bytes: [UInt8] = []
    body(&bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `a string is escaped as little as RFC 8259 allows`() {
    #expect(text { $0.appendJSONString("") } == "\"\"")
    #expect(text { $0.appendJSONString("a\"b\\c/d\u{7F}é😀\u{2028}") } == "\"a\\\"b\\\\c/d\u{7F}é😀\u{2028}\"")
    #expect(text { $0.appendJSONString("\u{0}\u{8}\t\n\u{B}\u{C}\r\u{1F}") } == #""\u0000\b\t\n\u000b\f\r\u001f""#)
  }

  @Test func `every character reads back from its string`() throws {
    var all = String.UnicodeScalarView()
    for value in UInt32(0)...0x2FFF { if let scalar = Unicode.Scalar(value) { all.append(scalar) } }
    var bytes: [UInt8] = []
    bytes.appendJSONString(String(all))
    let read = try JSONDocument(parsing: bytes).root.string
    #expect(read.map { Array($0.utf8) } == Array(String(all).utf8))
  }

  @Test(
    arguments: [
      (0, "0"), (-0.0, "-0"), (1, "1"), (-17, "-17"), (0.1, "0.1"), (0.61, "0.61"), (1e16, "1e+16"), (1e-7, "1e-07"),
      (.leastNonzeroMagnitude, "5e-324"), (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
      (9_007_199_254_740_992, "9007199254740992"),
    ] as [(Double, String)])
  func `a double is written as the shortest text, a whole one without a point`(value: Double, expected: String) {
    #expect(text { $0.appendJSONNumber(value) } == expected)
  }

  @Test(arguments: [UInt64(11), 12, 13])
  func `every finite double reads back bit for bit`(seed: UInt64) throws {
    var state = seed
    for _ in 0..<2000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let value = Double(bitPattern: state ^ state >> 31)
      guard value.isFinite else { continue }
      var bytes: [UInt8] = []
      bytes.appendJSONNumber(value)
      let read = try JSONDocument(parsing: bytes).root.double
      #expect(read?.bitPattern == value.bitPattern, "seed \(seed), \(value)")
    }
  }

  @Test(arguments: [Int64.min, -1, 0, 7, 10, 1_795_169_730_123, .max])
  func `a whole number is written in decimal`(value: Int64) {
    #expect(text { $0.appendDecimal(value) } == String(value))
  }

  @Test(
    arguments: [
      (.string("a\"b"), #""a\"b""#), (.integer(-3), "-3"), (.double(1), "1"), (.double(0.25), "0.25"), (.bool(true), "true"),
      (.null, "null"),
    ] as [(PropertyValue, String)])
  func `a property value is written as JSON`(value: PropertyValue, expected: String) {
    #expect(text { value.appendJSON(to: &$0) } == expected)
  }

  @Test func `property values are ordered numbers, strings, booleans, null`() {
    let ordered: [PropertyValue] = [
      .integer(-1), .double(0.5), .integer(1), .string(""), .string("Z"), .string("a"), .bool(false), .bool(true), .null,
    ]
    #expect(ordered.shuffled().sorted() == ordered)
  }
}
