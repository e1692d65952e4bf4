import FunnelModel

extension Envelope {
  /// Throws if a required field is missing.
  ///
  /// Exports of other tools have most required fields under other names. If the line has such a field, the
  /// message contains a jq filter that renames it.
  func refuseMissing() throws(Rejection) {
    for required in Self.required where self[required.field] == nil {
      guard let other = otherName(of: required) else {
        throw Rejection(.missingField, "\(required.name) is missing: \(required.advice)")
      }
      throw Rejection(.missingField, "\(required.name) is missing, but there is \(other): \(renaming)")
    }
    if self[.app] == nil, defaultApp == nil { throw Rejection(.missingField, "app is missing: add it, or give --app") }
    if self[.step] == nil, case .string(let text) = self[.name]?.scalar, text.span.starts(with: StepEventName.prefix) {
      throw Rejection(.missingField, "step is missing: \(text.span.isName ? text.text : "a step event") needs a step id")
    }
  }

  private struct RequiredField {
    var field: KnownField
    /// The name in JSON.
    var name: String
    /// The end of the message if the line has no field that may be the required one.
    var advice: String
    /// The names that other tools use, the most frequent first.
    var otherNames: [String]
  }

  private static let required = [
    RequiredField(
      field: .name, name: "name", advice: "every event has one",
      otherNames: ["event", "event_name", "eventName", "event_type", "eventType", "type", "action"]),
    RequiredField(
      field: .timestamp, name: "ts", advice: "when did it happen?",
      otherNames: [
        "timestamp", "time", "event_time", "eventTime", "event_timestamp", "datetime", "date", "created_at", "createdAt",
        "occurred_at",
      ]),
    RequiredField(
      field: .subject, name: "subject", advice: "a pseudonymous install or user id",
      otherNames: [
        "user_id", "userId", "distinct_id", "anonymousId", "anonymous_id", "device_id", "deviceId", "user_pseudo_id",
        "install_id", "installId",
      ]),
  ]

  /// Returns the name of a field that other tools use for a required one, or `nil` if the line has none.
  private func otherName(of required: RequiredField) -> String? {
    required.otherNames.first { name in unknown.contains { fields[$0].key.span.isEqual(to: name) } }
  }

  /// The advice to rename all required fields that have other names, such as `rename it: jq -c
  /// '.ts=.timestamp|del(.timestamp)'`.
  private var renaming: String {
    let renames = Self.required.compactMap { required in
      self[required.field] == nil ? otherName(of: required).map { (from: $0, to: required.name) } : nil
    }
    let settings = renames.map { ".\($0.to)=.\($0.from)" }.joined(separator: "|")
    let removals = renames.map { ".\($0.from)" }.joined(separator: ",")
    return "rename \(renames.count == 1 ? "it" : "it and others"): jq -c '\(settings)|del(\(removals))'"
  }
}
