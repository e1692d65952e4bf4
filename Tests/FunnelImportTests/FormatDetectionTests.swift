import FunnelImport
import FunnelModel
import Testing

@Suite struct FormatDetectionTests {
  @Test(arguments: [
    (#"{"name":"a","ts":1,"subject":"s"}"#, ImportFormat.native),
    (#"{"anonymousId":"a","type":"track","event":"e","messageId":"m","timestamp":"t"}"#, .segment),
    (#"{"anonymousId":"a","type":"track","event":"e","messageId":"m","rudderId":"r"}"#, .rudderstack),
    (#"{"userId":"a","type":"screen","messageId":"m","context":{"library":{"name":"rudder-ios"}}}"#, .rudderstack),
    (#"{"event_type":"e","event_time":"t","device_id":"d"}"#, .amplitude),
    (#"{"event":"e","properties":{"time":1,"distinct_id":"d"}}"#, .mixpanel),
    (#"{"uuid":"u","event":"e","distinct_id":"d","timestamp":"t","properties":{}}"#, .posthog),
    (#"{"event_name":"e","event_timestamp":"1"}"#, .ga4),
    (#"{"event_id":"i","collector_tstamp":"t","etl_tstamp":"t","event":"struct","user_id":"u"}"#, .snowplow),
    (#"{"EVENT_ID":"i","COLLECTOR_TSTAMP":"t","V_COLLECTOR":"v","EVENT_NAME":"e"}"#, .snowplow),
    (#"{"specversion":"1.0","type":"t","source":"s","id":"i"}"#, .cloudevents),
  ])
  func `a record tells its format`(record: String, format: ImportFormat) {
    #expect(detected(record) == format)
  }

  @Test(arguments: ["{}", "[]", "{", "{\"event\":\"e\"}", "text"])
  func `any other record tells nothing`(record: String) {
    #expect(detected(record) == nil)
  }

  private static let time = "2026-11-20 10:15:30.123"
  private static let id = "c6ef3124-b53a-4b13-a233-0088f79dcbcb"

  @Test(arguments: [
    (["notes", "web", time, time, time, "struct", id], 131, ImportFormat.snowplow),
    (["", "", "", time, "", "", id], 131, .snowplow),
    (["notes", "web", time, time, time, "struct", id], 130, nil), (["notes", "web", time, time, time, "struct", id], 132, nil),
    (["notes", "web", time, "", time, "struct", id], 131, nil), (["notes", "web", time, time, "now", "struct", id], 131, nil),
    (["notes", "web", time, time, time, "struct", "7"], 131, nil),
  ])
  func `a line of Snowplow tells its format by its fields`(first: [String], count: Int, format: ImportFormat?) {
    let fields = first + [String](repeating: "", count: count - first.count)
    #expect(detected(fields.joined(separator: "\t")) == format)
  }

  private func detected(_ record: String) -> ImportFormat? {
    let bytes = Array(record.utf8) + [UInt8](repeating: 0, count: 128)
    return FormatDetection().format(of: bytes.span.extracting(droppingLast: 128))
  }
}
