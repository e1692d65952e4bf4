import FunnelModel
import Testing

/// The cases follow Nicolas Seriot's JSONTestSuite ("Parsing JSON is a minefield"): what RFC 8259 demands and what it forbids.
@Suite struct JSONDocumentTests {
  @Test(arguments: [
    "[]", "{}", "null", " true ", "\t\r\n false", "0", "-0", "-1", "1.5", "1E+2", "1e-2", "0e1",
    "123456789012345678901234567890", "1e9999",
    "\"\"", #""\"\\\/\b\f\n\r\t""#, #""\u0000""#, #""\uD834\uDD1E""#, #""\uFFFF""#, "\"\u{7F}\"", "\"\u{2028}\"", "\"😀\"",
    "[[],[{}]]",
    #"{"":0}"#, #"{"a":1,"A":2}"#, #"{"a":{"a":1}}"#, "[1 ,\n2]", "\u{FEFF}[]", "\"\u{FEFF}\"",
  ])
  func `what RFC 8259 allows is read`(text: String) throws {
    _ = try JSONDocument(parsing: Array(text.utf8))
  }

  @Test(arguments: [
    "", " ", "[", "]", "{", "}", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1,,2]", "{\"a\":1,}", "{,}", "{\"a\"}", "{\"a\":}",
    "{\"a\" 1}",
    "{a:1}", "{'a':1}", "{1:1}", "{\"a\":1 \"b\":2}", "nul", "nulll", "True", "NaN", "Infinity", "-Infinity", "undefined", "+1",
    "-", "01",
    "-01", "1.", ".5", "-.5", "1e", "1e+", "1.e1", "0x10", "1_000", "1 2", "[] []", "\"", "\"a", "'a'", "\"\n\"", "\"\t\"",
    "\"\u{0}\"",
    #""\x41""#, #""\u12""#, #""\u12G4""#, #""\U0041""#, #""\uD834""#, #""\uDD1E""#, #""\uD834\u0041""#, #""\uD834x""#,
    #""\uDD1E\uD834""#,
    #""\"#, "// c\n1", "/* c */1", "[1]//", #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, "\u{A0}1", "[\u{B}1]",
    "\u{FEFF}\u{FEFF}1", "１",
  ])
  func `what RFC 8259 forbids is refused`(text: String) {
    #expect(throws: JSONDocument.SyntaxError.self) { try JSONDocument(parsing: Array(text.utf8)) }
  }

  @Test(
    arguments: [
      [0x22, 0xFF, 0x22], [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
      [0x22, 0xE2, 0x82],
      [0xFF, 0xFE, 0x5B, 0x00], [0x22, 0x80, 0x22],
    ] as [[UInt8]])
  func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
    let error = #expect(throws: JSONDocument.SyntaxError.self) { try JSONDocument(parsing: bytes) }
    #expect(error?.message == "the text is not UTF-8 here")
  }

  @Test(arguments: [
    ("", 1, 1, "a value is missing: the text ends here"), ("[1,\n 2", 2, 3, "a comma or a closing bracket is missing here"),
    ("{\"a\":1\n}\nx", 3, 1, "there is text after the end of the value"),
    ("{\"é\":1,\"b\" 2}", 1, 12, "a colon is missing after the key \"b\""),
    ("{\n\t\"a\": tru}", 2, 7, "no JSON value starts like this"), ("[01]", 1, 4, "a number has a leading zero"),
    ("[\"😀\", \"a\nb\"]", 1, 9, "a control character in a string is not escaped"),
    ("[1.]", 1, 4, "digits are missing after the decimal point"),
    ("[1e]", 1, 4, "digits are missing in the exponent"), ("{\"a\":1,\n\"a\":2}", 2, 1, "the key \"a\" appears twice"),
    ("{1:2}", 1, 2, "a key in double quotes is missing here"),
    ("{\"a\":1 2}", 1, 8, "a comma or a closing brace is missing here"),
    ("\"abc", 1, 5, "a string is not closed"), (#"["\q"]"#, 1, 5, "an escape sequence that JSON does not have"),
    (#"["\u12"]"#, 1, 5, "four hexadecimal digits are missing after \\u"),
    (#"["\ud800"]"#, 1, 9, "half of a surrogate pair is missing"),
    ("\r\n\r\n[x]", 3, 2, "no JSON value starts like this"),
  ])
  func `a mistake is told with its line and column`(text: String, line: Int, column: Int, message: String) {
    let error = #expect(throws: JSONDocument.SyntaxError.self) { try JSONDocument(parsing: Array(text.utf8)) }
    #expect(error?.position.line == line)
    #expect(error?.position.column == column)
    #expect(error?.message == message)
  }

  @Test func `the place of a byte that is not UTF-8 is told`() {
    let bytes = Array("[\n \"é".utf8) + [0xFF] + Array("\"]".utf8)
    let error = #expect(throws: JSONDocument.SyntaxError.self) { try JSONDocument(parsing: bytes) }
    #expect(error?.position.line == 2)
    #expect(error?.position.column == 4)
  }

  @Test func `nesting has a limit, which protects the stack`() throws {
    func nested(_ levels: Int) -> [UInt8] {
      Array((String(repeating: "[", count: levels) + String(repeating: "]", count: levels)).utf8)
    }
    _ = try JSONDocument(parsing: nested(Limits.nestingLevelsMax + 1))
    let error = #expect(throws: JSONDocument.SyntaxError.self) { try JSONDocument(parsing: nested(100_000)) }
    #expect(error?.message == "nested deeper than 64 levels")
  }

  @Test func `values keep their places and their text`() throws {
    let root = try JSONDocument(parsing: Array("{\"é\": [1.0, 2e0,\n  \"x\"],\n\"b\": null}".utf8)).root
    let members = try #require(root.object)
    #expect(members.map(\.key) == ["é", "b"])
    #expect(members.map { [$0.position.line, $0.position.column] } == [[1, 2], [3, 1]])
    let elements = try #require(root["é"]?.array)
    #expect(elements.map { [$0.position.line, $0.position.column] } == [[1, 8], [1, 13], [2, 3]])
    #expect(elements.map(\.value) == [.number("1.0"), .number("2e0"), .string("x")])
    #expect(root["none"] == nil)
  }

  @Test func `numbers are read as what they can be`() throws {
    func node(_ text: String) throws -> JSONDocument.Node { try JSONDocument(parsing: Array(text.utf8)).root }
    #expect(try node("3").integer == 3)
    #expect(try node("3.0").integer == 3)
    #expect(try node("3e2").integer == 300)
    #expect(try node("3.5").integer == nil)
    #expect(try node("-9223372036854775808").integer == .min)
    #expect(try node("9223372036854775808").integer == nil)
    #expect(try node("9223372036854775808").scalar == .double(9_223_372_036_854_775_808))
    #expect(try node("1e400").double == nil)
    #expect(try node("-1e400").scalar == nil)
    #expect(try node("1e400").integer == nil)
    #expect(try node("1e-400").double == 0)
    #expect(try node("3").scalar == .integer(3))
    #expect(try node("3.0").scalar == .double(3))
    #expect(try node("true").scalar == .bool(true))
    #expect(try node("null").scalar == .null)
    #expect(try node("[]").scalar == nil)
    #expect(try node("\"3\"").integer == nil)
  }
}
