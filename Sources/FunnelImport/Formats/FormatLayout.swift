import FunnelModel

/// Where a vendor's record holds what an event needs. It is data: one table a vendor, read by one translator.
struct FormatLayout: Sendable {
  /// The paths of the subject; the first that has a value counts, and the others are left out.
  var subject: [ImportedPath] = []
  /// Further ids of persons, devices and sessions, which are left out: they would lead around a pseudonym.
  var identities: [ImportedPath] = []
  var id = IdentityRule.first([])
  var timestamp: [ImportedPath] = []
  /// The paths of two integers by which the source orders its records: that of a batch, and that of a record in it.
  var sequence: (batch: ImportedPath, record: ImportedPath)?
  var timeReading = TimeReading.rfc3339
  var name = NameRule.first([])
  /// The objects whose scalars become `props`; an empty path is the record itself.
  var properties: [ImportedPath] = []
  /// Members of `ctx` and the paths of their values; the first that has a value counts.
  var context: [(key: String, paths: [ImportedPath])] = []
  /// What vendors add that is personal: left out and counted.
  var personal: [ImportedPath] = []
  /// Whether a value that neither the format nor a mapping names is told as left out.
  var countsUnmapped = false
  /// What the record needs for itself, such as its type: neither a property nor counted.
  var structural: [ImportedPath] = []

  /// The rule by which an event's id is found.
  enum IdentityRule: Sendable {
    /// The first path that has a value; without one the id is derived from the event.
    case first([ImportedPath])
    /// The values of all paths, joined; without the first of them the id is derived from the event.
    case joined([ImportedPath], separator: StaticString)
    /// A hash of the values of these paths and of all properties.
    case derived([ImportedPath])
  }

  /// The rule by which an event's name is found.
  enum NameRule: Sendable {
    case first([ImportedPath])
    /// A call of the Segment specification: `event` of track, `name` of screen and page with the type in front, else the type.
    case call(type: ImportedPath, event: ImportedPath, name: ImportedPath)
    /// The part of a reverse-DNS name behind its last dot.
    case lastPart([ImportedPath])
  }

  /// How a format writes moments.
  enum TimeReading: Sendable {
    /// RFC 3339, or an integer of milliseconds.
    case rfc3339
    /// A date and a time of day in UTC, without a zone.
    case utcWithoutZone
    /// Seconds since the epoch, or milliseconds where greater than 10¹⁰.
    case unixSeconds
    /// Microseconds since the epoch.
    case microseconds
    /// RFC 3339, a local date and time, or a number whose magnitude tells the unit.
    case any
  }

  /// The layout of a format.
  static func of(_ format: ImportFormat) -> FormatLayout {
    switch format {
    case .native: preconditionFailure("native events are not translated")
    case .segment: segment
    case .rudderstack: rudderstack
    case .amplitude: amplitude
    case .mixpanel: mixpanel
    case .posthog: posthog
    case .ga4: ga4
    case .cloudevents: cloudevents
    case .csv: csv
    }
  }
}
