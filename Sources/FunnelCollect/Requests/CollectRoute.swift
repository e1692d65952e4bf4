/// The purpose of a path.
package enum CollectRoute: Hashable, Sendable {
  /// Clients send events there.
  case events(EventEndpoint)
  /// Segment's clients ask for the settings of a key.
  case segmentSettings(key: String)
  /// RudderStack's clients ask for the configuration of their source.
  case rudderStackConfiguration
  /// PostHog's clients ask for feature flags.
  case postHogFlags
  /// PostHog's clients send recordings of the screen, which are not kept.
  case postHogRecordings
  /// Mixpanel's clients send profiles of users and groups, which are not kept.
  case mixpanelProfiles
  case health
  case metrics

  /// Returns the route of a path, or `nil` if there is none.
  ///
  /// - Parameter path: The decoded segments.
  package init?(path: [String]) {
    let path = path.last == "" ? path.dropLast() : path[...]
    if path.count == 4, path.starts(with: ["v1", "projects"]), path.last == "settings" {
      self = .segmentSettings(key: path[path.startIndex + 2])
    } else if let route = Self.routes[path.joined(separator: "/")] {
      self = route
    } else {
      return nil
    }
  }

  /// The methods that the path takes, besides `OPTIONS`.
  package var methods: [String] {
    switch self {
    case .events(.snowplowQuery), .segmentSettings, .rudderStackConfiguration: ["GET"]
    case .health, .metrics: ["GET", "HEAD"]
    case .events, .postHogFlags, .postHogRecordings, .mixpanelProfiles: ["POST"]
    }
  }

  private static let routes: [String: CollectRoute] = {
    var routes: [String: CollectRoute] = [
      "v1/events": .events(.native), "v1/b": .events(.segmentFile), "v1/batch": .events(.segmentBatch),
      "batch": .events(.postHogOrAmplitude), "capture": .events(.postHog), "e": .events(.postHog), "i/v0/e": .events(.postHog),
      "i/v1/analytics/events": .events(.postHogV1), "2/httpapi": .events(.amplitude), "track": .events(.mixpanelTrack),
      "import": .events(.mixpanelImport), "com.snowplowanalytics.snowplow/tp2": .events(.snowplow),
      "i": .events(.snowplowQuery),
      "v1/logs": .events(.otlpLogs), "sourceConfig": .rudderStackConfiguration, "flags": .postHogFlags, "s": .postHogRecordings,
      "engage": .mixpanelProfiles, "groups": .mixpanelProfiles, "healthz": .health, "metrics": .metrics,
    ]
    for call in SegmentCall.allCases {
      routes["v1/\(call.rawValue)"] = .events(.segmentCall(call))
      routes["v1/\(call.letter)"] = .events(.segmentCall(call))
    }
    return routes
  }()
}

/// A path to which clients send events.
package enum EventEndpoint: Hashable, Sendable {
  /// Native events, one a line.
  case native
  /// A file of Segment's clients for phones, which write `sentAt` once, when they close the file.
  case segmentFile
  /// A batch of Segment's or RudderStack's clients.
  case segmentBatch
  /// One call of Segment's HTTP interface.
  case segmentCall(SegmentCall)
  /// A batch of Amplitude if it has `events`, otherwise one of PostHog.
  case postHogOrAmplitude
  case postHog
  /// PostHog's newer interface, which answers each event.
  case postHogV1
  case amplitude
  case mixpanelTrack
  case mixpanelImport
  case snowplow
  /// One event of Snowplow in the query.
  case snowplowQuery
  /// Logs of OpenTelemetry.
  case otlpLogs
}

/// A type of call in Segment's specification.
package enum SegmentCall: String, CaseIterable, Sendable {
  case track, identify, page, screen, group, alias

  /// The letter that stands for the type in a path.
  var letter: Character { rawValue.first ?? "t" }
}

/// The format of a batch, as the metrics name it.
package enum Dialect: String, CaseIterable, Sendable {
  case native, segment, posthog, amplitude, mixpanel, snowplow, otlp
}
