import FunnelModel
import Testing

/// Every message for a mistake in the values of an outcome, spelled out.
@Suite struct OutcomeValueMessageTests {
  /// Returns the problems of a definition with these values, each as the column and path within the values, and the message.
  private func problems(_ values: String) -> [String] {
    let text = """
      {"app":"a","flow":"f","version":1,"steps":[{"id":"one"}],"outcomes":{"x":{"events":["y"],"success":true,"values":
      \(values)}}}
      """
    switch FlowDefinition.read(json: Array(text.utf8), source: "f.json") {
    case .success: return []
    case .failure(let failure):
      #expect(failure.problems.allSatisfy { $0.position.line == 2 })
      return failure.problems.map { "\($0.position.column): \($0.path.dropFirst("$.outcomes.x.values".count)): \($0.message)" }
    }
  }

  private static let number = "a number from -1000000000000 to 1000000000000 with at most 6 decimal places is needed"

  @Test(arguments: [
    ("5", "1: : an object of amounts by unit is needed, not a number"),
    ("{}", "1: : the object is empty, at least one unit is needed"),
    (
      #"{"2x":1}"#,
      "2: .2x: the key \"2x\" is not a valid unit, allowed: a letter, then up to 99 letters, digits and underscores, as in xp or USD"
    ),
    (
      #"{"xp":"1"}"#,
      "7: .xp: a number, an object {\"amount\":…} or {\"by\":…,\"amounts\":…} (or an array of them) is needed, not a string"
    ),
    (#"{"xp":[]}"#, "7: .xp: the array is empty, at least one element is needed"),
    (
      #"{"xp":[true]}"#,
      "8: .xp[0]: a number, or an object {\"amount\":…} or {\"by\":…,\"amounts\":…} is needed, not a boolean"
    ),
    (#"{"xp":0.0000001}"#, "7: .xp: \(number), not 0.0000001"),
    (#"{"xp":1000000000000.01}"#, "7: .xp: \(number), not 1000000000000.01"),
    (#"{"xp":-1e13}"#, "7: .xp: \(number), not -1e13"),
    (#"{"xp":{}}"#, "7: .xp: the key \"amount\" is missing, add it, or \"by\" and \"amounts\""),
    (#"{"xp":{"amount":"1"}}"#, "17: .xp.amount: a number is needed, not a string"),
    (#"{"xp":{"amount":1,"when":{}}}"#, "19: .xp.when: unknown key \"when\", allowed: amount, amounts, by, where"),
    (#"{"xp":{"by":"props.a"}}"#, "7: .xp: the key \"amounts\" is missing, add it"),
    (#"{"xp":{"amounts":{"a":1}}}"#, "7: .xp: the key \"by\" is missing, add it"),
    (
      #"{"xp":{"amount":1,"by":"props.a","amounts":{"a":1}}}"#,
      "17: .xp.amount: an amount has either \"amount\", or \"by\" and \"amounts\", remove one"
    ),
    (#"{"xp":{"by":"type","amounts":{"a":1}}}"#, "13: .xp.by: \"type\" is not a property, allowed: props.<key>"),
    (#"{"xp":{"by":"ctx.os","amounts":{"a":1}}}"#, "13: .xp.by: \"ctx.os\" is not a property, allowed: props.<key>"),
    (#"{"xp":{"by":1,"amounts":{"a":1}}}"#, "13: .xp.by: a property such as \"props.type\" is needed, not a number"),
    (#"{"xp":{"by":"props.a","amounts":[1]}}"#, "33: .xp.amounts: an object of amounts by value is needed, not an array"),
    (#"{"xp":{"by":"props.a","amounts":{}}}"#, "33: .xp.amounts: the object is empty, at least one value is needed"),
    (
      #"{"xp":{"by":"props.a","amounts":{"":1}}}"#,
      "34: .xp.amounts[\"\"]: the key is empty, a value of the property is needed"
    ),
    (#"{"xp":{"by":"props.a","amounts":{"a":[]}}}"#, "38: .xp.amounts.a: a number is needed, not an array"),
    (
      #"{"xp":[10,{"where":{"props.a":1},"amount":5}]}"#,
      "11: .xp[1]: the amount before this one has no condition, so this one is never used, put that one last"
    ),
  ])
  func `an amount that is wrong`(values: String, message: String) {
    #expect(problems(values) == [message])
  }

  @Test(arguments: [
    ("1", "16: : an object is needed, not a number"),
    ("{}", "16: : the object is empty, at least one condition is needed"),
    (#"{"type":1}"#, "17: .type: unknown field \"type\", allowed: props.<key>"),
    (#"{"step":1}"#, "17: .step: unknown field \"step\", allowed: props.<key>"),
    (#"{"props.a":[]}"#, "27: [\"props.a\"]: the array is empty, at least one element is needed"),
    (#"{"props.a":[{}]}"#, "28: [\"props.a\"][0]: a string, number, boolean or null is needed, not an object"),
    (#"{"props.a":1e999}"#, "27: [\"props.a\"]: the number 1e999 is too large"),
    (#"{"props.a":{}}"#, "27: [\"props.a\"]: the key \"minimum\" or \"maximum\" is missing, add one"),
    (
      #"{"props.a":{"minimum":1,"least":2}}"#,
      "40: [\"props.a\"].least: unknown key \"least\", allowed: maximum, minimum"
    ),
    (#"{"props.a":{"minimum":"1"}}"#, "38: [\"props.a\"].minimum: a number is needed, not a string"),
    (
      #"{"props.a":{"minimum":2,"maximum":1}}"#,
      "27: [\"props.a\"]: \"minimum\" is above \"maximum\", so no number matches, change one of them"
    ),
  ])
  func `a condition that is wrong`(condition: String, message: String) {
    let expected = message.replacing(": ", with: ": .xp.where", maxReplacements: 1)
    #expect(problems("{\"xp\":{\"where\":\(condition),\"amount\":1}}") == [expected])
  }
}
