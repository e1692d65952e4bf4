package import FunnelModel

// The records of a format as clients send them. A vendor corrects and extends them before it exports them.
//
// A client's batch has values of its own, such as the time of sending. They stand in each record under
// ``ImportMapping/envelopeKey``.
extension FormatLayout {
  /// The formats of which clients send records.
  static let sentFormats: [ImportFormat] = [.segment, .posthog, .amplitude, .mixpanel, .snowplow]

  /// Returns the layout of a format's records as clients send them.
  static func sent(_ format: ImportFormat) -> FormatLayout {
    var layout = of(format)
    layout.receipt = nil
    layout.leavesIDToDecoder = true
    layout.dropsIncompleteLinks = true
    switch format {
    case .segment: layout.readSegmentCalls()
    case .posthog: layout.readPostHogEvents()
    case .amplitude: layout.readAmplitudeEvents()
    case .mixpanel: layout.readMixpanelEvents()
    case .snowplow: layout.readSnowplowPayloads()
    case .native, .rudderstack, .ga4, .cloudevents, .csv, .json:
      preconditionFailure("no client sends records of \(format.rawValue)")
    }
    return layout
  }

  /// The time at which the server received a record, which stands for the record's own if it has none.
  private static let receivedAt: ImportedPath = "$envelope.received_at"

  /// The calls of Segment's and RudderStack's clients, which share their paths.
  private mutating func readSegmentCalls() {
    identities += ["rudderId"]
    personal += ["request_ip", "context.requestIP"]
    timestamp = ["originalTimestamp", "timestamp"]
    // Of a record that is sent again, the client may renew only the record's own time.
    sending = SendingRule(paths: ["sentAt", "$envelope.sentAt"])
  }

  private mutating func readPostHogEvents() {
    subject = ["properties.$device_id", "distinct_id", "$distinct_id", "properties.distinct_id"]
    timestamp = ["timestamp", "$envelope.time", Self.receivedAt]
    sending = SendingRule(
      paths: ["$envelope.sent_at"], exceptions: ["properties.$ignore_sent_at", "options.disable_skew_correction"])
  }

  private mutating func readAmplitudeEvents() {
    id = .first(["insert_id"])
    links = ["$identify": LinkRule(user: "user_id"), "$groupidentify": LinkRule(user: "user_id")]
    timestamp = ["time", Self.receivedAt]
    timeNotation = .rfc3339
    sending = SendingRule(paths: ["$envelope.client_upload_time"])
    context = [
      ("app_version", ["version_name", "app_version"]), ("os", ["os_name"]), ("os_version", ["os_version"]),
      ("device", ["device_model"]), ("locale", ["language"]), ("country", ["country"]),
    ]
    personal += ["ip"]
  }

  private mutating func readMixpanelEvents() {
    id = .joined([["properties.$insert_id", "$mp_metadata.$mp_event_id"], ["properties.time"]], separator: ":")
    timestamp = ["properties.time", Self.receivedAt]
  }

  /// The payloads of Snowplow's trackers, in the shape of their enriched events.
  private mutating func readSnowplowPayloads() {
    timestamp = ["true_tstamp", "dvce_created_tstamp"]
    timeNotation = .any
    // A true time needs no correction.
    sending = SendingRule(paths: ["dvce_sent_tstamp"], exceptions: ["true_tstamp"])
  }
}

extension ImportPlan {
  /// The formats of which clients send records.
  package static var sentFormats: [ImportFormat] { FormatLayout.sentFormats }
}
