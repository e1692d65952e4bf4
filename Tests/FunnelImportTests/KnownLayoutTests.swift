import FunnelImport
import FunnelModel
import FunnelTestSupport
import Testing

/// Records of layouts that were seen before are read faster, but become what they would have become without.
@Suite struct KnownLayoutTests {
  /// Members of records, of which each record has some: layouts repeat often, and values hardly ever.
  private static let members: [ImportFormat: [(key: String, isNeeded: Bool)]] = [
    .segment: [
      ("anonymousId", true), ("userId", false), ("type", true), ("event", true), ("messageId", false), ("timestamp", true),
      ("properties", true), ("context", false),
    ],
    .ga4: [
      ("event_name", true), ("event_timestamp", true), ("user_pseudo_id", true), ("event_params", true), ("geo", false),
    ],
  ]

  @Test(arguments: [(ImportFormat.segment, UInt64(1)), (.segment, 2), (.ga4, 3), (.ga4, 4)])
  func `a record becomes the same lines whether its layout is known or not`(format: ImportFormat, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let mapping = try ImportMapping(
      parsing: Array(#"{"app":"notes","props":{"z":"properties.b"},"ctx":{"v":"properties.d"}}"#.utf8), source: "m")
    let plan = ImportPlan(format, mapping: seed % 2 == 0 ? mapping : nil)
    let experienced = RecordTranslator(plan)
    var sum = ImportCounts()
    for number in 0..<Sweeps.count(50_000, sample: 4000) {
      let record = Self.record(of: format, using: &random)
      let fresh = RecordTranslator(plan)
      let expected = Self.translation(of: record, by: fresh)
      let found = Self.translation(of: record, by: experienced)
      #expect(found == expected, "record \(number) of seed \(seed): \(record)")
      guard found == expected else { return }
      sum.add(fresh.takeCounts())
    }
    #expect(experienced.takeCounts() == sum)
  }

  @Test func `a long key with escapes that several known shapes compare is decoded as in a fresh import`() throws {
    func record(_ key: String) -> String {
      #"{"event_name":"e","event_timestamp":"1795169730123456","user_pseudo_id":"p","event_params":[{"key":"\#(key)","value":{"int_value":"12"}}]}"#
    }
    let plan = ImportPlan(.ga4)
    let experienced = RecordTranslator(plan)
    // The key of a parameter is a part of the shape, so each of these shapes decodes the key of the next record again.
    for key in ["a", "b", "c", "d", "e"] { _ = Self.translation(of: record(key), by: experienced) }
    // Two decoded copies are longer than the longest record whose shape is matched, 64 KiB.
    let long = record(#"\n"# + String(repeating: "x", count: 50_000))
    let found = Self.translation(of: long, by: experienced)
    #expect(found == Self.translation(of: long, by: RecordTranslator(plan)))
    #expect(found.0 == .events(1))
  }

  private static func translation(of record: String, by translator: RecordTranslator) -> (RecordTranslator.Outcome, String) {
    translator.lines.removeAll()
    let bytes = Array(record.utf8) + [UInt8](repeating: UInt8(ascii: "}"), count: 128)
    let outcome = translator.translate(bytes.span.extracting(droppingLast: 128))
    return (outcome, translator.lines.text)
  }

  private static func record(of format: ImportFormat, using random: inout SeededGenerator) -> String {
    let members = members[format]!.filter { $0.isNeeded || Int.random(in: 0..<4, using: &random) > 0 }.map { member in
      let space = Int.random(in: 0..<12, using: &random) == 0 ? " " : ""
      return "\(space)\"\(member.key)\":\(space)\(value(of: member.key, using: &random))\(space)"
    }
    return "{\(members.joined(separator: ","))}" + (Int.random(in: 0..<50, using: &random) == 0 ? " ]" : "")
  }

  private static func value(of key: String, using random: inout SeededGenerator) -> String {
    guard Int.random(in: 0..<30, using: &random) > 0 else { return scalar(using: &random) }
    switch key {
    case "type": return ["\"track\"", "\"screen\"", "\"tr\\u0061ck\""].randomElement(using: &random)!
    case "timestamp": return "\"2026-11-20T10:15:\(Int.random(in: 10..<60, using: &random))Z\""
    case "event_timestamp": return "\"17951697301239\(Int.random(in: 10..<99, using: &random))\""
    case "properties", "context", "geo": return object(levels: 2, using: &random)
    case "event_params":
      let pairs = (0..<Int.random(in: 0..<3, using: &random)).map { _ in
        let value = ["string_value", "int_value", "double_value"].randomElement(using: &random)!
        return "{\"key\":\(name(using: &random)),\"value\":{\"\(value)\":\(scalar(using: &random))}}"
      }
      return "[\(pairs.joined(separator: ","))]"
    default: return "\"\(Int.random(in: 0..<99, using: &random))\""
    }
  }

  private static func object(levels: Int, using random: inout SeededGenerator) -> String {
    let members = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
      let isDeep = levels > 0 && Int.random(in: 0..<4, using: &random) == 0
      let value = isDeep ? object(levels: levels - 1, using: &random) : scalar(using: &random)
      return "\(name(using: &random)):\(value)"
    }
    return "{\(members.joined(separator: ","))}"
  }

  private static func name(using random: inout SeededGenerator) -> String {
    ["\"a\"", "\"b\"", "\"a.b\"", "\"ip\"", "\"d\"", "\"\\u0061\"", "\"long enough for two words\"", "\"\"", "\"key\\\\\""]
      .randomElement(using: &random)!
  }

  private static func scalar(using random: inout SeededGenerator) -> String {
    [
      "\"\"", "\"x\"", "\"\\\"\"", "\"two \\n lines\"", "\"\\ud83d\\ude00\"", "\"\\ud83d\"", "\"\\x\"", "\"é\"", "null", "true",
      "false",
      "nul", "0", "-0", "-0.0", "12", "-7", "01", "1.", ".5", "0.10", "1e3", "1E400", "123456789012345678",
      "1234567890123456789",
      "12345678901234567890", "0.1234567890123456789", "999999999999999999.5", "[]", "[1,\"a\",{}]", "[[]]", "{}",
      "[{\"key\":\"k\"}]",
      "[{\"key\":\"k\",\"value\":1},{\"key\":\"\\\\n\",\"value\":2}]", "[{\"key\":\"\\n\",\"value\":2}]", "truefalse",
      "\"a\"\"b\"",
      "\(Int.random(in: -1000..<1000, using: &random))",
    ].randomElement(using: &random)!
  }
}
