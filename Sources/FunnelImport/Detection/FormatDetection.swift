package import FunnelModel

/// Detects the format of an input by the keys of its first records.
///
/// Each format has a combination of keys that no other product writes. Values only matter where two products write the
/// same keys. Not thread-safe: each input has its own.
package struct FormatDetection {
  /// The number of records to examine. An export may start with a few records of another type.
  package static let recordsMax = 10

  private let parser = ImportedRecordParser()

  package init() {}

  /// Returns the format of a record, or `nil` if the format is unknown. Except for the lines of Snowplow, a record is exactly one
  /// JSON object.
  ///
  /// The padding of the JSON parser must follow the record.
  package func format(of record: Span<UInt8>) -> ImportFormat? {
    guard let fields = parser.parse(record) else { return SnowplowLine.isEvent(record) ? .snowplow : nil }
    return fields.format
  }
}

// The keys of a record, by which its format is recognized.
extension ImportedFields {
  /// The format, or `nil` if it is unknown. The order of the checks matters.
  fileprivate var format: ImportFormat? {
    if has("name"), has("ts"), has("subject") { return .native }
    if has("specversion"), has("type"), has("source") { return .cloudevents }
    if has("event_name"), has("event_timestamp") { return .ga4 }
    if has("event_id"), has("collector_tstamp"), has("v_collector") || has("etl_tstamp") { return .snowplow }
    if has("event_type"), has("event_time") || has("time"), has("device_id") || has("user_id") || has("amplitude_id") {
      return .amplitude
    }
    // A call without the ID of a person is detected too. Its rejection then names the missing ID.
    let hasIdentity = has("anonymousId") || has("userId") || has("messageId") && has("type")
    if hasIdentity, has("type") || has("event"), has("messageId") || has("timestamp") {
      return isRudderStack ? .rudderstack : .segment
    }
    // Some exports of PostHog write the properties as JSON text.
    if has("event"), has("distinct_id"), has("properties"), has("timestamp") { return .posthog }
    if has("event"), let properties = object("properties") {
      if has("time", in: properties), !has("timestamp") { return .mixpanel }
      if has("distinct_id") || has("uuid") || has("$device_id", in: properties), has("timestamp") { return .posthog }
    }
    return nil
  }

  /// Whether a call with the fields of Segment comes from RudderStack, by its own fields or the name of its library.
  private var isRudderStack: Bool {
    if has("rudderId") || has("request_ip") { return true }
    guard let context = object("context"), let library = object("library", in: context),
      let nameIndex = member("name", in: library), let name = self[nameIndex].string
    else { return false }
    return String(decoding: name).lowercased().contains("rudder")
  }

  /// Whether an object, or the record, has a member that is not null.
  private func has(_ key: StaticString, in object: Int? = nil) -> Bool {
    guard let member = member(key, in: object) else { return false }
    return !self[member].isNull
  }

  /// Returns a member that is an object, or `nil` if there is none.
  private func object(_ key: StaticString, in object: Int? = nil) -> Int? {
    member(key, in: object).flatMap { self[$0].isObject ? $0 : nil }
  }

  /// Returns the member of an object, or of the record if `object` is `nil`.
  private func member(_ key: StaticString, in object: Int?) -> Int? {
    if let object { return member(key, of: object) }
    return topLevelMember(key) ?? topLevelMember(inUpperCase: key)
  }
}
