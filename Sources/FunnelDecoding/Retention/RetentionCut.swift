package import FunnelModel

/// The limits of a data retention policy, by which old records are removed.
package struct RetentionCut: Hashable, Sendable {
  /// The rules that apply to all events. An event is removed if any rule matches.
  package var events: [EventRule] = []
  /// The earliest time to keep of each flow version's events, by index in the catalog. Other flow versions have
  /// no limit.
  ///
  /// An event of several flow versions is removed only if the limits of all of them apply.
  package var eventsOfFlows: [Int: Timestamp] = [:]
  /// The limits of dead letters, by the time of rejection. A dead letter is removed if any limit applies.
  package var deadLetters: [TimeLimit] = []
  /// The first day whose snapshots are kept, or `nil` to keep all.
  package var snapshots: CivilDate?

  /// Creates limits that remove nothing.
  package init() {}
}

extension RetentionCut {
  /// A time limit for the records of some or all apps.
  package struct TimeLimit: Hashable, Sendable {
    /// The earliest time to keep.
    package var start: Timestamp
    /// The apps that the limit applies to. Empty means all apps.
    package var apps: Set<String>

    /// Creates a limit.
    package init(from start: Timestamp, apps: Set<String> = []) {
      self.start = start
      self.apps = apps
    }

    /// Returns whether the limit removes all records of a day.
    package func removesAll(of day: CivilDate) -> Bool { apps.isEmpty && start >= day.end }

    /// Returns whether the limit may remove some records of a day.
    package func mayRemoveSome(of day: CivilDate) -> Bool { start > day.midnight }
  }

  /// A time limit for events of some apps and names.
  package struct EventRule: Hashable, Sendable {
    package var limit: TimeLimit
    /// The patterns, one of which the event's name must match. Empty means any name.
    package var names: [NamePattern]

    /// Creates a rule.
    package init(_ limit: TimeLimit, names: [NamePattern] = []) {
      self.limit = limit
      self.names = names
    }

    /// Returns whether the rule removes an event.
    func removes(_ event: borrowing EventFields) -> Bool {
      guard event.timestamp < limit.start else { return false }
      // Copies: a closure can't capture a borrowed parameter.
      let app = event.app
      let name = event.name
      return (limit.apps.isEmpty || limit.apps.contains(app.text)) && (names.isEmpty || names.contains { $0.matches(name) })
    }
  }
}

extension RetentionCut {
  /// Returns whether all events of a day are removed.
  package func removesAllEvents(of day: CivilDate) -> Bool {
    events.contains { $0.names.isEmpty && $0.limit.removesAll(of: day) }
  }

  /// Returns whether some events of a day may be removed.
  package func mayRemoveEvents(of day: CivilDate) -> Bool {
    events.contains { $0.limit.mayRemoveSome(of: day) } || eventsOfFlows.values.contains { $0 > day.midnight }
  }
}

extension CivilDate {
  /// The end of the day: the midnight at which the next day starts.
  fileprivate var end: Timestamp { CivilDate(daysSinceEpoch: daysSinceEpoch + 1).midnight }
}
