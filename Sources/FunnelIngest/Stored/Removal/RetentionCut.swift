public import FunnelModel

/// The limits of a retention: which records are dropped, by the time of the event.
public struct RetentionCut: Hashable, Sendable {
  /// Rules for events that are dropped whatever flow they belong to; one matching rule suffices.
  public var events: [EventRule] = []
  /// The first instants to keep of the events of flow versions, by their index in the catalog; events of other flow versions stay.
  ///
  /// An event of several flow versions is dropped only if each of them drops it.
  public var eventsOfFlows: [Int: Timestamp] = [:]
  /// The dead letters that are dropped, by the time of rejection; one matching reach suffices.
  public var deadLetters: [Reach] = []
  /// The first day whose snapshots stay, or nil if all stay.
  public var snapshots: CivilDate?

  /// Creates a cut that drops nothing.
  public init() {}
}

extension RetentionCut {
  /// The first instant to keep, for some apps or for all.
  public struct Reach: Hashable, Sendable {
    /// The first instant to keep.
    public var start: Timestamp
    /// The apps it applies to; empty for all.
    public var apps: Set<String>

    public init(from start: Timestamp, apps: Set<String> = []) {
      self.start = start
      self.apps = apps
    }

    /// Returns whether all records of a day are dropped, for all apps.
    package func takesAll(of day: CivilDate) -> Bool { apps.isEmpty && start >= day.end }

    /// Returns whether some records of a day may be dropped.
    package func takesSome(of day: CivilDate) -> Bool { start > day.midnight }
  }

  /// A rule that drops events by their app and name.
  public struct EventRule: Hashable, Sendable {
    public var reach: Reach
    /// Patterns, one of which the name must match; empty for any name.
    public var names: [NamePattern]

    public init(_ reach: Reach, names: [NamePattern] = []) {
      self.reach = reach
      self.names = names
    }

    /// Returns whether the rule drops an event.
    func names(_ event: borrowing EventFields) -> Bool {
      guard event.timestamp < reach.start else { return false }
      let (app, name) = (event.app, event.name)
      return (reach.apps.isEmpty || reach.apps.contains(app.text)) && (names.isEmpty || names.contains { $0.matches(name) })
    }
  }
}

extension RetentionCut {
  /// Returns whether all events of a day are dropped.
  package func takesAllEvents(of day: CivilDate) -> Bool {
    events.contains { $0.names.isEmpty && $0.reach.takesAll(of: day) }
  }

  /// Returns whether some events of a day may be dropped.
  package func mayTakeEvents(of day: CivilDate) -> Bool {
    events.contains { $0.reach.takesSome(of: day) } || eventsOfFlows.values.contains { $0 > day.midnight }
  }
}

extension CivilDate {
  /// The midnight at the end of the day.
  fileprivate var end: Timestamp { CivilDate(daysSinceEpoch: daysSinceEpoch + 1).midnight }
}
