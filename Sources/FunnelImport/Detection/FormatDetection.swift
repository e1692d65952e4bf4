public import FunnelModel

/// Tells the format of an input by its first records. Not to be shared between threads.
///
/// A record is recognised by keys that only one product writes together; values are looked at only where two products write the same keys.
public struct FormatDetection {
  /// The number of records that are looked at: an export may begin with records of another kind, but not with many.
  public static let recordsMax = 10

  private let parser = ImportedRecordParser()

  public init() {}

  /// Returns the format of a record, or nil if it is none that is known. The parser's padding must follow the record.
  public func format(of record: UnsafeRawBufferPointer) -> ImportFormat? {
    guard let fields = parser.parse(record) else { return nil }
    return RecordKeys(fields).format
  }
}

/// The keys of a record, and what tells formats apart.
private struct RecordKeys {
  private let fields: ImportedFields

  init(_ fields: ImportedFields) {
    self.fields = fields
  }

  var format: ImportFormat? {
    if has("name"), has("ts"), has("subject") { return .native }
    if has("specversion"), has("type"), has("source") { return .cloudevents }
    if has("event_name"), has("event_timestamp") { return .ga4 }
    if has("event_type"), has("event_time") || has("time"), has("device_id") || has("user_id") || has("amplitude_id") {
      return .amplitude
    }
    // Also a call without an id of a person is one, so that the lack of it is told as such.
    let hasIdentity = has("anonymousId") || has("userId") || has("messageId") && has("type")
    if hasIdentity, has("type") || has("event"), has("messageId") || has("timestamp") {
      return isRudderStack ? .rudderstack : .segment
    }
    // Some exports of PostHog have the properties as a text.
    if has("event"), has("distinct_id"), has("properties"), has("timestamp") { return .posthog }
    if has("event"), let properties = object("properties") {
      if has("time", in: properties), !has("timestamp") { return .mixpanel }
      if has("distinct_id") || has("uuid") || has("$device_id", in: properties), has("timestamp") { return .posthog }
    }
    return nil
  }

  /// RudderStack writes Segment's fields, and says who it is.
  private var isRudderStack: Bool {
    if has("rudderId") || has("request_ip") { return true }
    guard let context = object("context"), let library = object("library", in: context),
      let name = member("name", in: library).flatMap({ fields[$0].string })
    else { return false }
    return String(decoding: name, as: UTF8.self).lowercased().contains("rudder")
  }

  private func has(_ key: StaticString, in object: Int? = nil) -> Bool {
    guard let member = member(key, in: object) else { return false }
    return !fields[member].isNull
  }

  private func object(_ key: StaticString, in object: Int? = nil) -> Int? {
    member(key, in: object).flatMap { fields[$0].isObject ? $0 : nil }
  }

  /// Returns the member of an object, or of the record.
  private func member(_ key: StaticString, in object: Int?) -> Int? {
    if let object { return fields.member(key, of: object) }
    return fields.topLevelMember(key)
  }
}
