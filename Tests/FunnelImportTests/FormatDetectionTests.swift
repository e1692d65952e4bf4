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
    (#"{"specversion":"1.0","type":"t","source":"s","id":"i"}"#, .cloudevents),
  ])
  func `a record tells its format`(record: String, format: ImportFormat) {
    #expect(detected(record) == format)
  }

  @Test(arguments: ["{}", "[]", "{", "{\"event\":\"e\"}", "text"])
  func `any other record tells nothing`(record: String) {
    #expect(detected(record) == nil)
  }

  private func detected(_ record: String) -> ImportFormat? {
    let bytes = Array(record.utf8) + [UInt8](repeating: 0, count: 128)
    return FormatDetection().format(of: bytes.span.extracting(droppingLast: 128))
  }
}
