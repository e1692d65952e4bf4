@testable import FunnelModel
import Testing

@Suite struct OutcomeValueTests {
  private func outcome(_ values: String) throws -> FlowDefinition.Outcome {
    let text = """
      {"app":"a","flow":"f","version":1,"steps":[{"id":"one"}],
       "outcomes":{"won":{"events":["won"],"success":true,"values":\(values)}}}
      """
    return try FlowDefinition(json: Array(text.utf8), source: "f.json").outcomes[0]
  }

  private func amount(_ values: String, _ unit: String = "xp", _ props: [String: PropertyValue] = [:]) throws -> String? {
    try outcome(values).amount(in: unit) { props[$0] ?? .null }?.description
  }

  @Test func `amounts are read in all their forms`() throws {
    let outcome = try outcome(
      """
      {"xp":[{"where":{"props.how":"auto"},"amount":5},
             {"where":{"props.kind":["call",1,null],"props.ms":{"minimum":300000}},"by":"props.type","amounts":{"a":15,"b":0.5}},
             -1],
       "USD":{"by":"props.product","amounts":{"monthly":4.99}},"points":{"amount":2e3}}
      """)
    #expect(
      outcome.values == [
        "xp": [
          .init(
            conditions: [.init(property: "how", test: .oneOf([.string("auto")]))], source: .fixed(ExactDecimal(5))),
          .init(
            conditions: [
              .init(property: "kind", test: .oneOf([.string("call"), .integer(1), .null])),
              .init(property: "ms", test: .range(minimum: 300_000, maximum: nil)),
            ],
            source: .byProperty("type", amounts: ["a": ExactDecimal(15), "b": ExactDecimal(millionths: WideInteger(500_000))])),
          .init(source: .fixed(ExactDecimal(-1))),
        ],
        "USD": [.init(source: .byProperty("product", amounts: ["monthly": ExactDecimal(millionths: WideInteger(4_990_000))]))],
        "points": [.init(source: .fixed(ExactDecimal(2000)))],
      ])
    #expect(outcome.units == ["USD", "points", "xp"])
    #expect(outcome.valueKeys == ["how", "kind", "ms", "product", "type"])
  }

  @Test func `a number counts always, and a unit that is not given never`() throws {
    #expect(try amount(#"{"xp":10}"#) == "10")
    #expect(try amount(#"{"xp":10}"#, "USD") == nil)
    let none = FlowDefinition.Outcome(name: "o", label: "o", isSuccess: false)
    #expect(none.units.isEmpty && none.valueKeys.isEmpty)
    #expect(none.amount(in: "xp") { _ in .null } == nil)
  }

  @Test(
    arguments: [
      ("monthly", "4.99"), ("yearly", "39.99"), ("weekly", nil), ("null", nil),
    ] as [(String, String?)])
  func `a table gives the amount by the value of a property`(product: String, expected: String?) throws {
    let values = #"{"USD":{"by":"props.product","amounts":{"monthly":4.99,"yearly":39.99}}}"#
    #expect(try amount(values, "USD", ["product": .string(product)]) == expected)
    #expect(try amount(values, "USD") == nil)
  }

  @Test func `values of a table are texts as a person writes them, and an absent property has none`() throws {
    let values = #"{"xp":{"by":"props.n","amounts":{"3":1,"2.5":2,"true":3,"null":4}}}"#
    #expect(try amount(values, "xp", ["n": .integer(3)]) == "1")
    #expect(try amount(values, "xp", ["n": .double(3)]) == "1")
    #expect(try amount(values, "xp", ["n": .double(2.5)]) == "2")
    #expect(try amount(values, "xp", ["n": .bool(true)]) == "3")
    #expect(try amount(values, "xp", ["n": .string("null")]) == "4")
    #expect(try amount(values, "xp", ["n": .null]) == nil)
  }

  @Test(
    arguments: [
      (PropertyValue.integer(299_999), nil), (.integer(300_000), "50"), (.double(300_000.5), "50"), (.integer(.max), "50"),
      (.string("300000"), "50"), (.string("3e5"), "50"),
      (.string("299999.5"), nil), (.string("300000 ms"), nil), (.bool(true), nil), (.null, nil),
    ] as [(PropertyValue, String?)])
  func `a minimum is met by numbers only, also as texts`(duration: PropertyValue, expected: String?) throws {
    let values = #"{"xp":{"where":{"props.ms":{"minimum":300000}},"amount":50}}"#
    #expect(try amount(values, "xp", ["ms": duration]) == expected)
  }

  @Test func `bounds are inclusive`() throws {
    let values = #"{"xp":{"where":{"props.n":{"minimum":-1,"maximum":2.5}},"amount":1}}"#
    for (number, isWithin) in [(-1.5, false), (-1, true), (2.5, true), (2.75, false)] {
      #expect(try amount(values, "xp", ["n": .double(number)]) == (isWithin ? "1" : nil))
    }
  }

  @Test func `a list is met by any of its values, and null by an absent property`() throws {
    let values = #"{"xp":{"where":{"props.k":["a",2,null]},"amount":1}}"#
    for value in [PropertyValue.string("a"), .integer(2), .double(2), .null] {
      #expect(try amount(values, "xp", ["k": value]) == "1")
    }
    #expect(try amount(values, "xp", ["k": .string("2")]) == nil)
    #expect(try amount(values) == "1")
  }

  @Test func `of several amounts the first that applies counts`() throws {
    let values = """
      {"xp":[{"where":{"props.how":"auto"},"amount":5},
             {"where":{"props.type":["call","facetime"],"props.ms":{"minimum":300}},"amount":50},
             {"by":"props.type","amounts":{"text":15,"call":25}},1]}
      """
    func xp(_ type: String, _ milliseconds: Int64? = nil, how: String = "x") throws -> String? {
      let duration = milliseconds.map(PropertyValue.integer) ?? .null
      return try amount(values, "xp", ["type": .string(type), "ms": duration, "how": .string(how)])
    }
    #expect(try xp("call", 400, how: "auto") == "5")
    #expect(try xp("call", 400) == "50")
    #expect(try xp("call", 299) == "25")
    #expect(try xp("call") == "25")
    #expect(try xp("text", 400) == "15")
    // The table does not list the type, so that the amount after it applies.
    #expect(try xp("postcard") == "1")
  }

  @Test func `an outcome is broken down by the properties that its events list`() throws {
    let text = """
      {"app":"a","flow":"f","version":1,"steps":[{"id":"one"}],
       "events":{"lost":{"props":{"reason":{},"type":{}}},"gone":{"props":{"type":{},"at":{}},"required":["by"]},"won":{"props":{"z":{}}}},
       "outcomes":{"lost":{"events":["lost","gone"],"success":false},"other":{"events":["quit"],"success":false}}}
      """
    let flow = try FlowDefinition(json: Array(text.utf8), source: "f.json")
    #expect(flow.detailKeys(of: flow.outcomes[0]) == ["at", "reason", "type"])
    #expect(flow.detailKeys(of: flow.outcomes[1]).isEmpty)
  }
}
