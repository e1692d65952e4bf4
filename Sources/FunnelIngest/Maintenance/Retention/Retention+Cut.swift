public import FunnelModel

extension Retention {
  /// What goes and what stays, by when it happened.
  public struct Cut: Hashable, Sendable {
    /// Events that go whatever they belong to: those that any of these names.
    public var events: [EventRule] = []
    /// The first instants that stay of events of flow versions, by their index in the catalog; events of other flow versions stay.
    ///
    /// An event of several flow versions goes when each of them lets it go.
    public var eventsOfFlows: [Int: Timestamp] = [:]
    /// Dead letters that go: those that any of these names, by when they were refused.
    public var deadLetters: [Reach] = []
    /// The first day whose snapshots stay; nil where all do.
    public var snapshots: CivilDate?

    /// A cut that leaves everything.
    public init() {}
  }

  /// How far back something stays, of some apps or of all.
  public struct Reach: Hashable, Sendable {
    /// The first instant that stays.
    public var start: Timestamp
    /// The apps it is about; empty for all.
    public var apps: Set<String>

    public init(from start: Timestamp, apps: Set<String> = []) {
      self.start = start
      self.apps = apps
    }

    /// Whether everything of a day goes, of all apps.
    func takesAll(of day: CivilDate) -> Bool { apps.isEmpty && start >= day.end }

    /// Whether something of a day goes.
    func takesSome(of day: CivilDate) -> Bool { start > day.midnight }
  }

  /// Events that go by their app and name.
  public struct EventRule: Hashable, Sendable {
    public var reach: Reach
    /// Patterns of which the name matches one; empty for any name.
    public var names: [NamePattern]

    public init(_ reach: Reach, names: [NamePattern] = []) {
      self.reach = reach
      self.names = names
    }

    /// Whether an event goes.
    func names(_ event: borrowing EventFields) -> Bool {
      guard event.timestamp < reach.start else { return false }
      let (app, name) = (event.app, event.name)
      return (reach.apps.isEmpty || reach.apps.contains(app.text)) && (names.isEmpty || names.contains { $0.matches(name) })
    }
  }
}

extension Retention.Cut {
  /// Whether all events of a day go.
  func takesAllEvents(of day: CivilDate) -> Bool {
    events.contains { $0.names.isEmpty && $0.reach.takesAll(of: day) }
  }

  /// Whether an event of a day may go.
  func mayTakeEvents(of day: CivilDate) -> Bool {
    events.contains { $0.reach.takesSome(of: day) } || eventsOfFlows.values.contains { $0 > day.midnight }
  }
}

extension CivilDate {
  /// The midnight a day ends with.
  fileprivate var end: Timestamp { CivilDate(daysSinceEpoch: daysSinceEpoch + 1).midnight }
}
