import FunnelModel
import Testing

@Suite struct PropertySchemaTests {
  /// Returns the schema that a definition file gives a property.
  private func schema(_ json: String) throws -> PropertySchema {
    let text =
      "{\"app\":\"a\",\"flow\":\"f\",\"version\":1,\"steps\":[{\"id\":\"s\"}],\"events\":{\"e\":{\"props\":{\"k\":\(json)}}}}"
    let flow = try FlowDefinition(json: Array(text.utf8), source: "f.json")
    return try #require(flow.events[0].props["k"])
  }

  @Test(
    arguments: [
      (#"{}"#, .null), (#"{"type":"string"}"#, .string("")), (#"{"type":"integer"}"#, .integer(3)),
      (#"{"type":"integer"}"#, .double(3.0)),
      (#"{"type":"integer"}"#, .double(1e300)), (#"{"type":"number"}"#, .integer(3)), (#"{"type":"number"}"#, .double(0.5)),
      (#"{"type":"boolean"}"#, .bool(false)), (#"{"type":"null"}"#, .null), (#"{"type":["null","string"]}"#, .null),
      (#"{"enum":[1,"a",null,true]}"#, .double(1.0)), (#"{"enum":[1.0]}"#, .integer(1)), (#"{"const":0}"#, .double(-0.0)),
      (#"{"enum":[1,"a",null,true]}"#, .null), (#"{"minimum":1}"#, .integer(1)), (#"{"minimum":1,"maximum":2}"#, .double(1.5)),
      (#"{"minimum":5}"#, .string("a")), (#"{"minLength":5}"#, .integer(1)), (#"{"maxLength":1}"#, .string("😀")),
      (#"{"minLength":2,"maxLength":2}"#, .string("e\u{301}")), (#"{"pattern":"b+"}"#, .string("abba")),
      (#"{"pattern":"^a"}"#, .integer(1)),
      (#"{"pattern":"^a.c$"}"#, .string("a😀c")), (#"{"maximum":9007199254740992}"#, .integer(9_007_199_254_740_992)),
    ] as [(String, PropertyValue)])
  func `a value that fulfils its schema`(json: String, value: PropertyValue) throws {
    let schema = try schema(json)
    #expect(schema.violation(of: value, key: "k") == nil)
    #expect(CompiledPropertySchema(schema).violation(of: value, key: "k") == nil)
  }

  @Test(
    arguments: [
      (#"{"type":"string"}"#, .integer(3), "props.k must be a string, not 3"),
      (#"{"type":"integer"}"#, .double(1.5), "props.k must be an integer, not 1.5"),
      (#"{"type":"integer"}"#, .string("3"), "props.k must be an integer, not \"3\""),
      (#"{"type":"number"}"#, .bool(true), "props.k must be a number, not true"),
      (#"{"type":["null","string"]}"#, .integer(1), "props.k must be a string or null, not 1"),
      (
        #"{"enum":["first_launch",1,null]}"#, .string("later"),
        "props.k must be one of \"first_launch\", 1, null, not \"later\""
      ),
      (#"{"enum":[1]}"#, .bool(true), "props.k must be one of 1, not true"),
      (#"{"enum":[0]}"#, .bool(false), "props.k must be one of 0, not false"),
      (#"{"enum":["é"]}"#, .string("e\u{301}"), "props.k must be one of \"é\", not \"e\u{301}\""),
      (#"{"const":"x"}"#, .null, "props.k must be \"x\", not null"),
      (#"{"minimum":1}"#, .integer(0), "props.k must be at least 1, not 0"),
      (#"{"maximum":5}"#, .double(5.5), "props.k must be at most 5, not 5.5"),
      (
        #"{"maximum":9007199254740992}"#, .integer(9_007_199_254_740_993),
        "props.k must be at most 9007199254740992, not 9007199254740993"
      ),
      (#"{"minLength":3}"#, .string("😀😀"), "props.k must have at least 3 characters, not 2"),
      (#"{"maxLength":1}"#, .string("e\u{301}"), "props.k must have at most 1 characters, not 2"),
      (#"{"pattern":"^[a-z]+$"}"#, .string("A\n"), "props.k must match the pattern \"^[a-z]+$\", not be \"A\\u{a}\""),
    ] as [(String, PropertyValue, String)])
  func `a value that breaks its schema, and the sentence about it`(json: String, value: PropertyValue, sentence: String) throws
  {
    let schema = try schema(json)
    #expect(schema.violation(of: value, key: "k") == sentence)
    #expect(CompiledPropertySchema(schema).violation(of: value, key: "k") == sentence)
  }

  @Test func `the schemas of a flow are found by event and key`() throws {
    let text =
      #"{"app":"a","flow":"f","version":1,"steps":[{"id":"s"}],"events":{"e":{"props":{"k":{"pattern":"^x"}}},"bare":{}}}"#
    let schemas = CompiledPropertySchemas(try FlowDefinition(json: Array(text.utf8), source: "f.json"))
    #expect(schemas.rules(event: "bare", step: nil) == nil)
    #expect(schemas.rules(event: "none", step: nil) == nil)
    let rules = schemas.rules(event: "e", step: nil)
    #expect(rules?.violation { _ in nil } == nil)
    #expect(rules?.violation { _ in .string("y") } == "props.k must match the pattern \"^x\", not be \"y\"")
  }
}
