import FunnelImport
import FunnelModel
import FunnelTestSupport

/// The events of a log as the records of a vendor, and the events that these records become (specification section 13).
struct VendorRecords {
  /// The records, one a line.
  private(set) var lines: [String] = []
  /// The native events.
  let log: LinkedLog

  /// The products whose records can name users.
  static let formats: [ImportFormat] = [.segment, .rudderstack, .posthog, .mixpanel, .amplitude, .ga4, .snowplow]

  /// Writes records of one app. They lack what not every vendor's records have: attempts, steps and contexts. Views of steps
  /// are left out, because they need a step.
  init(of source: LinkedLog, as format: ImportFormat, using random: inout SeededGenerator) {
    log = LinkedLog(
      source.removing { $0.name == "step_viewed" }.events.map { event in
        var event = event
        event.app = "cleaner"
        event.rest = ""
        // Only rows of GA4 have numbers. Their IDs are derived from them, so each row has one of its own.
        event.sequence = format == .ga4 ? Int(event.id).map { $0 * 1_000_000 } : nil
        return event
      })
    lines = log.events.map { Self.record(of: $0, format, using: &random) }
  }

  private static func record(
    of event: LinkedLog.Event, _ format: ImportFormat, using random: inout SeededGenerator
  ) -> String {
    let name = "\"\(event.name)\""
    let time = Timestamp(milliseconds: Int64(event.milliseconds)).description
    let timeWithoutZone = time.replacing("T", with: " ").replacing("Z", with: "")
    switch format {
    case .segment, .rudderstack:
      let mark = format == .rudderstack ? #","rudderId":"r""# : ""
      let head = #""messageId":"\#(event.id)","timestamp":"\#(time)"\#(mark)"#
      if let user = event.user, event.name == "user_linked" {
        return "{\(head),\(segmentLink(event.subject, user, using: &random))}"
      }
      return
        #"{\#(head),"type":"track","event":\#(name),"properties":{\#(event.props)},\#(ids(of: event, "anonymousId", "userId"))}"#
    case .posthog:
      let (name, id, ids) = posthogIDs(of: event, using: &random)
      return
        #"{"uuid":"\#(event.id)","timestamp":"\#(time)","event":"\#(name)","distinct_id":"\#(id)","properties":{\#(event.props)\#(ids)}}"#
    case .mixpanel:
      let (name, ids) = mixpanelIDs(of: event, using: &random)
      return
        #"{"event":"\#(name)","properties":{"$insert_id":"\#(event.id)","time":\#(event.milliseconds),\#(event.props),\#(ids)}}"#
    case .amplitude:
      return
        #"{"event_type":\#(name),"event_time":"\#(timeWithoutZone)","uuid":"\#(event.id)","event_properties":{\#(event.props)},\#(ids(of: event, "device_id", "user_id"))}"#
    case .ga4:
      let value = event.props.drop { $0 != ":" }.dropFirst()
      return
        #"{"event_name":\#(name),"event_timestamp":"\#(event.milliseconds)000","event_bundle_sequence_id":\#(Int(event.id) ?? 0),"#
        + #""event_params":[{"key":"size","value":{"int_value":"\#(value)"}}],\#(ids(of: event, "user_pseudo_id", "user_id"))}"#
    case .snowplow:
      let device = ["domain_userid", "network_userid"].randomElement(using: &random) ?? ""
      return
        #"{"event_id":"\#(event.id)","collector_tstamp":"\#(timeWithoutZone)","etl_tstamp":"\#(timeWithoutZone)","derived_tstamp":"\#(timeWithoutZone)","#
        + #""event":"unstruct","event_name":\#(name),"unstruct_event_com_acme_\#(event.name)_1":{\#(event.props)},\#(ids(of: event, device, "user_id"))}"#
    case .native, .cloudevents, .json, .csv:
      preconditionFailure("\(format) has no users of its own")
    }
  }

  /// Returns the IDs of a record that has those of the device and of the account under two keys. A record that lacks the
  /// device's has the account as its subject.
  private static func ids(of event: LinkedLog.Event, _ device: String, _ account: String) -> String {
    guard let user = event.user else { return "\"\(device)\":\"\(event.subject)\"" }
    return (user == event.subject ? "" : "\"\(device)\":\"\(event.subject)\",") + "\"\(account)\":\"\(user)\""
  }

  private static func segmentLink(_ subject: String, _ user: String, using random: inout SeededGenerator) -> String {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: #""type":"identify","anonymousId":"\#(subject)","userId":"\#(user)","traits":{"plan":"pro"}"#
    case 1: #""type":"alias","previousId":"\#(subject)","userId":"\#(user)""#
    default: #""type":"alias","previousId":"\#(subject)","userId":"\#(user)","anonymousId":"another""#
    }
  }

  /// Returns the name, the distinct ID and the further properties of a record of PostHog.
  private static func posthogIDs(
    of event: LinkedLog.Event, using random: inout SeededGenerator
  ) -> (name: String, id: String, properties: String) {
    let device = #","$device_id":"\#(event.subject)""#
    guard let user = event.user else {
      return (event.name, event.subject, Bool.random(using: &random) ? device : "")
    }
    if event.name == "user_linked" {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: return ("$identify", user, #","$anon_distinct_id":"\#(event.subject)","$device_id":"another""#)
      case 1: return ("$create_alias", user, #","alias":"\#(event.subject)""#)
      case 2: return ("$merge_dangerously", user, #","alias":"\#(event.subject)","$device_id":"another""#)
      default: break
      }
    }
    // An account's ID that is the device's, too, must be named as the user.
    return user != event.subject && Bool.random(using: &random)
      ? (event.name, user, device) : (event.name, event.subject, #","$user_id":"\#(user)""#)
  }

  /// Returns the name and the IDs of a record of Mixpanel, as members of its properties.
  private static func mixpanelIDs(
    of event: LinkedLog.Event, using random: inout SeededGenerator
  ) -> (name: String, properties: String) {
    let subject = event.subject
    guard let user = event.user else {
      return (
        event.name,
        [#""distinct_id":"\#(subject)""#, #""distinct_id":"$device:\#(subject)","$device_id":"\#(subject)""#]
          .randomElement(using: &random) ?? ""
      )
    }
    if event.name == "user_linked" {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: return ("$identify", #""distinct_id":"another","$anon_id":"\#(subject)","$identified_id":"\#(user)""#)
      case 1: return ("$create_alias", #""distinct_id":"\#(subject)","alias":"\#(user)""#)
      case 2: return ("$merge", #""$distinct_ids":["\#(subject)","\#(user)"]"#)
      default: break
      }
    }
    return user != subject && Bool.random(using: &random)
      ? (event.name, #""$device_id":"\#(subject)","distinct_id":"\#(user)""#)
      : (event.name, #""distinct_id":"\#(subject)","$user_id":"\#(user)""#)
  }
}
