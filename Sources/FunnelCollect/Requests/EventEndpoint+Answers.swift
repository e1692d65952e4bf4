extension EventEndpoint {
  /// The dialect of requests whose body is not read.
  var dialect: Dialect {
    switch self {
    case .native: .native
    case .segmentFile, .segmentBatch, .segmentCall: .segment
    case .postHogOrAmplitude, .postHog, .postHogV1: .posthog
    case .amplitude: .amplitude
    case .mixpanelTrack, .mixpanelImport: .mixpanel
    case .snowplow, .snowplowQuery: .snowplow
    case .otlpLogs: .otlp
    }
  }

  /// The seconds after which a client may try again.
  ///
  /// Clients of OpenTelemetry drop a batch that must wait longer than what is left of their 10 s. Those of PostHog delete all
  /// that waits at the fourth refusal in a row, so they should wait long.
  var retrySeconds: Int {
    switch self {
    case .otlpLogs: 2
    case .postHog, .postHogOrAmplitude: 60
    case .postHogV1: 30
    case .native, .segmentFile, .segmentBatch, .segmentCall, .amplitude, .mixpanelTrack, .mixpanelImport, .snowplow,
      .snowplowQuery:
      10
    }
  }
}
