import FunnelModel

/// The paths of a format's records at which the parts of an event are.
///
/// Each format is one such table. A single translator reads all formats.
struct FormatLayout: Sendable {
  /// The paths of the subject. The first one with a value is used, and the others are left out.
  var subject: [ImportedPath] = []
  /// The rule for the user, the account that was signed in.
  var user = UserRule()
  /// The rules for the records that only say that two IDs belong to one person, by the record's name. Such a record becomes
  /// the event `user_linked`.
  var links: [String: LinkRule] = [:]
  /// Further IDs of persons, devices and sessions. They are left out, because they would identify a person behind a
  /// pseudonym.
  var identities: [ImportedPath] = []
  /// The rule for the ID.
  var id = IdentityRule.first([])
  /// The members that differ between two copies of a record, and so are no part of a derived ID.
  var stamps = RecordStamps()
  /// The paths of the time. The first one with a value is used.
  var timestamp: [ImportedPath] = []
  /// The paths of two integers by which the source orders its records, or `nil`: the number of a batch, and the number of a
  /// record in it.
  var sequence: (batch: ImportedPath, record: ImportedPath)?
  /// The path of the time at which the vendor received the record, or `nil` if records have none.
  var receipt: ImportedPath?
  /// The rule for the time of sending, by which an error of the device's clock is corrected, or `nil` if the times of the
  /// records are corrected already.
  var sending: SendingRule?
  /// Whether an event without an ID of its own gets one when it is decoded, from its fields. Otherwise the ID is derived from
  /// the record.
  var leavesIDToDecoder = false
  /// Whether a record that should link two IDs but has only one is dropped. Otherwise it is an ordinary event.
  var dropsIncompleteLinks = false
  /// The notation of times.
  var timeNotation = TimeNotation.rfc3339
  /// The rule for the name.
  var name = NameRule.first([])
  /// The objects whose scalars become `props`. An empty path is the record itself.
  var properties: [ImportedPath] = []
  /// The members of `ctx` and the paths of their values. The first path with a value is used.
  var context: [(key: String, paths: [ImportedPath])] = []
  /// The paths of personal data that the vendor adds. The values are left out and counted.
  var personal: [ImportedPath] = []
  /// Whether values that neither the format nor the mapping names are counted as left out.
  var countsUnmapped = false
  /// The paths of values with a technical purpose, such as a token. The values are skipped and not counted.
  var structural: [ImportedPath] = []

  /// The source of an event's user.
  struct UserRule: Sendable {
    /// The paths of the IDs of accounts. The first one with a value is used.
    var accounts: [ImportedPath] = []
    /// The path of an ID that is an account's if it differs from that of the device, and the path of the latter, or `nil` if
    /// the format has none.
    var distinct: (id: ImportedPath, device: ImportedPath)?
    /// The path of a boolean that says, if it is `false`, that ``distinct`` is no account. `nil` if the format has none.
    var identified: ImportedPath?

    /// The paths of all IDs of accounts.
    var paths: [ImportedPath] { accounts + (distinct.map { [$0.id] } ?? []) }
  }

  /// The source of the two IDs of a record that links them.
  struct LinkRule: Sendable {
    /// The path of the subject, or `nil` for that of every record of the format, which also applies if the path has no value.
    var subject: ImportedPath?
    /// The path of the user. A record without a value there is an ordinary event.
    var user: ImportedPath
  }

  /// The source of the time of sending.
  struct SendingRule: Sendable {
    /// The paths of the time. The first one with a value is used.
    var paths: [ImportedPath]
    /// The paths of values that forbid the correction of the clock, unless they are `false`.
    var exceptions: [ImportedPath] = []
  }

  /// The source of an event's ID.
  enum IdentityRule: Sendable {
    /// The first path with a value. If none has one, the ID is derived.
    case first([ImportedPath])
    /// The values of several parts, joined: of each part the first path with a value. If one has no value, the ID is derived.
    case joined([[ImportedPath]], separator: StaticString)
  }

  /// The source of an event's name.
  enum NameRule: Sendable {
    /// The first path with a value.
    case first([ImportedPath])
    /// A call of the Segment specification: `event` of a track call, the type and `name` of a screen or page call, and the
    /// type of any other call.
    case call(type: ImportedPath, event: ImportedPath, name: ImportedPath)
    /// The name of an event's schema: the action of a structured event (the type `struct`), the name of the schema and of the
    /// screen of a screen view, and the name of the schema of any other event. Without a schema, it is the type.
    case schema(type: ImportedPath, name: ImportedPath, action: ImportedPath, screen: ImportedPath)
    /// The last component of a reverse-DNS name.
    case lastPart([ImportedPath])
  }

  /// The notation of times in a format.
  enum TimeNotation: Sendable {
    /// RFC 3339, or an integer of milliseconds.
    case rfc3339
    /// A date and a time of day in UTC, without a zone.
    case utcWithoutZone
    /// Seconds since the epoch, or milliseconds if the number is greater than 10¹⁰.
    case unixSeconds
    /// Microseconds since the epoch.
    case microseconds
    /// RFC 3339, a local date and time, or a number whose magnitude determines the unit.
    case any
  }

  /// Returns the layout of a format, which must not be native.
  static func of(_ format: ImportFormat) -> FormatLayout {
    switch format {
    case .native: preconditionFailure("native events are not translated")
    case .segment: segment
    case .rudderstack: rudderstack
    case .amplitude: amplitude
    case .mixpanel: mixpanel
    case .posthog: posthog
    case .ga4: ga4
    case .snowplow: snowplow
    case .cloudevents: cloudevents
    case .json: json
    case .csv: csv
    }
  }
}
