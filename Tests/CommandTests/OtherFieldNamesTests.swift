import Foundation
import FunnelTestSupport
import Testing

/// Events whose fields have other names.
@Suite struct OtherFieldNamesTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  @Test(arguments: [
    (
      #"{"name":"a","timestamp":1,"subject":"s","app":"a"}"#,
      "ts is missing, but there is timestamp: rename it: jq -c '.ts=.timestamp|del(.timestamp)'"
    ),
    (
      #"{"name":"a","time":1,"subject":"s","app":"a"}"#,
      "ts is missing, but there is time: rename it: jq -c '.ts=.time|del(.time)'"
    ),
    (
      #"{"event":"a","timestamp":1,"anonymousId":"s","app":"a"}"#,
      "name is missing, but there is event: rename it and others:"
        + " jq -c '.name=.event|.ts=.timestamp|.subject=.anonymousId|del(.event,.timestamp,.anonymousId)'"
    ),
    (
      #"{"name":"a","ts":1,"user_id":"s","app":"a"}"#,
      "subject is missing, but there is user_id: rename it: jq -c '.subject=.user_id|del(.user_id)'"
    ),
    (
      #"{"name":"a","ts":1,"distinct_id":"s","app":"a"}"#,
      "subject is missing, but there is distinct_id: rename it: jq -c '.subject=.distinct_id|del(.distinct_id)'"
    ),
    (
      #"{"name":"a","ts":1,"device_id":"s","app":"a"}"#,
      "subject is missing, but there is device_id: rename it: jq -c '.subject=.device_id|del(.device_id)'"
    ),
    (#"{"name":"a","user_id":"s","app":"a"}"#, "ts is missing: when did it happen?"),
    (#"{"ts":1,"subject":"s"}"#, "name is missing: every event has one"),
  ])
  func `a field that is there under another name is pointed out`(line: String, message: String) throws {
    _ = try place.run("ingest", "-", "--from", "native", "--now", Workplace.now, input: line)
    let letter = try JSONSerialization.jsonObject(with: Data(place.run("rejected", "ls", "--format", "json").output.utf8))
    #expect((letter as? [String: Any])?["message"] as? String == message)
  }
}
