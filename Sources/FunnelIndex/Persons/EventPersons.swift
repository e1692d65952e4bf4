internal import FunnelDecoding
package import FunnelModel

/// Finds the persons of a few events, by the rule that reports use (``PersonResolution``).
package enum EventPersons {
  /// An event, with the fields on which its person depends.
  package struct Event: Sendable {
    let app: String
    let subject: String
    /// The user to which the event links its subject, or `nil` if it has none.
    let user: String?
    let timestamp: Timestamp
    let sequence: Int64
    let id: String

    /// Creates an event.
    package init(app: String, subject: String, user: String?, timestamp: Timestamp, sequence: Int64, id: String) {
      self.app = app
      self.subject = subject
      self.user = user
      self.timestamp = timestamp
      self.sequence = sequence
      self.id = id
    }
  }

  /// Returns the person of each event, its user or its subject, or `nil` for an event after `now`.
  ///
  /// - Parameters:
  ///   - events: All events of some subjects, in any order.
  ///   - subjectsMax: The largest number of subjects of a user that is merged.
  package static func persons(
    of events: [Event], upTo now: Timestamp, subjectsMax: Int
  ) throws(FunnelError) -> [String?] {
    var builder = GatheredSubjects.Builder()
    var numberOfApp: [String: UInt32] = [:]
    /// The index in `events` of each gathered event.
    var indices: [Int] = []
    // Subjects are compared as bytes, because Swift treats canonically equivalent strings as equal.
    for (subject, members) in Dictionary(grouping: events.indices, by: { Array(events[$0].subject.utf8) }) {
      for index in members {
        let event = events[index]
        let app = numberOfApp[event.app] ?? UInt32(numberOfApp.count)
        numberOfApp[event.app] = app
        var user: UInt32?
        if let name = event.user.map({ Array($0.utf8) }) {
          let key = Hash128(of: name.span)
          user = builder.number(ofUser: key) ?? builder.addUser(key, at: name.withBorrowedElements { builder.store($0) })
        }
        let id = Array(event.id.utf8).withBorrowedElements { builder.store($0) }
        builder.append(
          GatheredEvent(
            milliseconds: event.timestamp.milliseconds, sequence: event.sequence, attempt: 0, classID: GatheredEvent.noClass,
            row: 0, app: app, part: 0, id: id), user: user, name: 0, attempt: nil)
        indices.append(index)
      }
      let name = subject.withBorrowedElements { builder.store($0) }
      builder.endSubject(key: Hash128(of: subject.span), name: name)
    }
    let gathered = builder.finish()
    let resolution = try PersonResolution([gathered], upTo: now.milliseconds, subjectsMax: subjectsMax, threads: 1)
    var persons: [String?] = Array(repeating: nil, count: events.count)
    let assigned = resolution.assigned[0].allEvents
    for piece in resolution.groups.flatMap(\.pieces) {
      let person =
        piece.user == GatheredEvent.none
        ? try gathered.name(ofSubject: Int(piece.subject)) : try gathered.name(ofUser: piece.user)
      for event in piece.events { persons[indices[Int(assigned[event].number)]] = person }
    }
    return withExtendedLifetime(resolution) { persons }
  }
}
