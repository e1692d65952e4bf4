import Foundation
import FunnelImport
import FunnelModel
import FunnelTestSupport
import Testing

/// Records and mappings of which bytes are changed, cut, doubled: none does harm, and what becomes of a record is always lines of JSON.
@Suite struct MutatedRecordTests {
  private static let records: [(format: ImportFormat, text: String)] = [
    (
      .segment,
      #"{"anonymousId":"a","userId":"u","type":"track","event":"Sign Up","messageId":"m","timestamp":"2026-11-20T10:15:30.5Z","properties":{"a":{"b":1,"c":[1]},"d.e":"\u00e9\n","f":null},"context":{"ip":"1","app":{"version":"2"},"traits":{"x":1}}}"#
    ),
    (
      .amplitude,
      #"{"event_type":"a","event_time":"2026-11-20 10:15:30.123456","device_id":"d","uuid":"w","event_properties":{"a":1e3}}"#
    ),
    (.mixpanel, #"{"event":"B","properties":{"time":1795169730.5,"distinct_id":"$device:d","$insert_id":"i","n":-0.0}}"#),
    (
      .posthog,
      #"{"uuid":"w","event":"$screen","distinct_id":"u","timestamp":"2026-11-20T10:15:30+01:00","properties":{"$device_id":7,"$ip":"x"}}"#
    ),
    (
      .ga4,
      #"{"event_name":"e","event_timestamp":"1795169730123456","user_pseudo_id":"p","event_params":[{"key":"k","value":{"int_value":"12"}},{"key":"k","value":{"string_value":"s"}}]}"#
    ),
    (
      .snowplow,
      #"{"event_id":"i","collector_tstamp":"2026-11-20T10:15:31Z","derived_tstamp":"2026-11-20T10:15:30Z","event":"unstruct","event_name":"x","domain_userid":"d","unstruct_event_com_acme_x_1":{"a":1},"contexts_com_snowplowanalytics_snowplow_client_session_1":[{"userId":"u"}],"contexts":"{\"schema\":\"iglu:a/contexts/jsonschema/1-0-0\",\"data\":[{\"schema\":\"iglu:a/b/jsonschema/1-0-0\",\"data\":{}}]}"}"#
    ),
    (.snowplow, snowplowLine),
    (
      .cloudevents,
      #"{"specversion":"1.0","id":"7","source":"/s","type":"a.b.C","subject":"s","time":"2026-11-20T10:15:30Z","data":{"x":true}}"#
    ),
  ]

  /// A line of Snowplow's enriched stream.
  private static let snowplowLine: String = {
    var fields = [String](repeating: "", count: 131)
    fields[3] = "2026-11-20 10:15:31.000"
    fields[5] = "unstruct"
    fields[6] = "c6ef3124-b53a-4b13-a233-0088f79dcbcb"
    fields[15] = "d"
    fields[58] =
      #"{"schema":"iglu:a/unstruct_event/jsonschema/1-0-0","data":{"schema":"iglu:a/x/jsonschema/1-0-0","data":{"a":1}}}"#
    fields[124] = "2026-11-20 10:15:30.123"
    return fields.joined(separator: "\t")
  }()

  private static let mapping =
    #"{"app":"notes","events":{"Sign Up":[{"name":"one","when":{"properties.d.e":["x",null,1]}},{"name":"$event","step":"$properties.a.b"}]},"props":{"z":"context.app.version","a.b":"userId"},"ctx":{"v":"properties.f"}}"#

  @Test(arguments: records.indices) func `no record does harm, and what it becomes is JSON`(index: Int) throws {
    let (format, text) = Self.records[index]
    let mapping = try ImportMapping(parsing: Array(Self.mapping.utf8), source: "m")
    let translators = [
      RecordTranslator(ImportPlan(format)), RecordTranslator(ImportPlan(format, mapping: mapping, sourceZone: .utc)),
    ]
    // The layout of the sample is known, so that mutants leave it at every place.
    Self.withPadding(Array(text.utf8)) { sample in for translator in translators { _ = translator.translate(sample) } }
    let complaints = try MutationSweep("records-\(format.rawValue)", samples: [Array(text.utf8)], count: 1500).run { bytes in
      for translator in translators {
        translator.lines.removeAll()
        let outcome = Self.withPadding(bytes) { translator.translate($0) }
        let lines = translator.lines.copy.split(separator: UInt8(ascii: "\n"))
        guard case .events(let count) = outcome else {
          guard lines.isEmpty else { throw Harm("a record that is no event left a line") }
          if case .rejected(let refusal) = outcome, refusal.message.contains("\n") { throw Harm("a message of two lines") }
          continue
        }
        guard lines.count == count else { throw Harm("\(lines.count) lines for \(count) events") }
        for line in lines { _ = try JSONDocument(parsing: Array(line)) }
      }
    }
    #expect(complaints.isEmpty, "\(complaints)")
  }

  @Test(arguments: records.indices) func `a mutant of a known layout becomes what it would become alone`(index: Int) throws {
    let (format, text) = Self.records[index]
    let plan = ImportPlan(format)
    let experienced = RecordTranslator(plan)
    let complaints = try MutationSweep("layouts-\(format.rawValue)", samples: [Array(text.utf8)], count: 500).run { bytes in
      let fresh = RecordTranslator(plan)
      let outcomes = [fresh, experienced].map { translator in
        Self.withPadding(Array(text.utf8)) { _ = experienced.translate($0) }
        translator.lines.removeAll()
        return Self.withPadding(bytes) { translator.translate($0) }
      }
      guard outcomes[0] == outcomes[1], fresh.lines.copy == experienced.lines.copy else {
        throw Harm("a known layout makes a difference")
      }
    }
    #expect(complaints.isEmpty, "\(complaints)")
  }

  /// Calls a closure with bytes that are followed by the parser's padding.
  private static func withPadding<Result>(_ bytes: [UInt8], _ body: (Span<UInt8>) -> Result) -> Result {
    body((bytes + [UInt8](repeating: 0, count: 128)).span.extracting(droppingLast: 128))
  }

  @Test func `no mapping does harm, and what is accepted can be used`() throws {
    let record = Array(Self.records[0].text.utf8) + [UInt8](repeating: 0, count: 128)
    let complaints = try MutationSweep("mappings", samples: [Array(Self.mapping.utf8)], count: 800).run { bytes in
      guard let mapping = try? ImportMapping(parsing: bytes, source: "m") else { return }
      let translator = RecordTranslator(ImportPlan(.segment, mapping: mapping))
      _ = translator.translate(record.span.extracting(droppingLast: 128))
      for line in translator.lines.copy.split(separator: UInt8(ascii: "\n")) { _ = try JSONDocument(parsing: Array(line)) }
    }
    #expect(complaints.isEmpty, "\(complaints)")
  }

  /// A rule that was broken.
  private struct Harm: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }
}
