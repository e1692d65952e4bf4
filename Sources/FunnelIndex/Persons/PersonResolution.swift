internal import FunnelDecoding
internal import FunnelModel
import FunnelSystem

/// A user whom so many subjects name that its events are not merged (specification section 13).
package struct CrowdedUser: Hashable, Sendable {
  /// The user.
  package let user: String
  /// The number of subjects with an event that names it.
  package let subjectCount: Int
  /// Whether the store lists the user as internal. As it is not merged, that does not leave these subjects out of reports.
  package var isInternal = false
}

/// The person of each gathered event, as of a moment (specification section 13).
///
/// The person of an event is its user; else the user of the subject's next event that has one; else that of the last one
/// before it; else the subject itself. Only events of the same app count, and users with too many subjects do not.
struct PersonResolution: Sendable {
  /// Some events of one subject that belong to one person, in order.
  struct Piece: Sendable {
    let app: UInt32
    /// The hash of the user, or of the subject itself.
    let person: Hash128
    /// The index of the partition.
    let partition: Int
    /// The index of the subject in its partition.
    let subject: Int
    /// The indices in ``order`` of its events.
    let events: Range<Int>
    /// The number of the user, or ``GatheredEvent/none`` if the person is the subject itself.
    let user: UInt32
    /// Whether an event of the piece names the user, so the subject is one of the user's.
    let hasLink: Bool
  }

  /// The pieces, by app and person. Those of one person are adjacent.
  let pieces: [Piece]
  /// The index of each person's first piece, then the number of pieces.
  let personStarts: [Int]
  /// For each partition the indices of its events, in which those of a piece are adjacent.
  let order: [[UInt32]]
  /// The users that were not merged.
  let crowded: [CrowdedUser]

  /// Finds the persons.
  ///
  /// - Parameters:
  ///   - moment: The time of the latest event that counts, in milliseconds since the epoch.
  ///   - subjectsMax: The largest number of subjects of a user that is merged.
  init(_ partitions: [GatheredSubjects], upTo moment: Int64, subjectsMax: Int, threads: Int) throws(FunnelError) {
    let first = try Self.assign(partitions, upTo: moment, without: [], threads: threads)
    let counts = first.crowds(above: subjectsMax)
    let result =
      counts.isEmpty ? first : try Self.assign(partitions, upTo: moment, without: Set(counts.keys), threads: threads)
    pieces = result.pieces
    personStarts = result.starts
    order = result.order
    var crowded: [CrowdedUser] = []
    for (key, count) in counts {
      for gathered in partitions {
        guard let user = gathered.users.firstIndex(where: { $0.key == key.user }) else { continue }
        crowded.append(CrowdedUser(user: try gathered.name(ofUser: UInt32(user)), subjectCount: count))
        break
      }
    }
    self.crowded = crowded.sorted { $0.user.utf8.lexicographicallyPrecedes($1.user.utf8) }
  }

  /// A user of an app.
  private struct AppUser: Hashable {
    let app: UInt32
    let user: Hash128
  }

  /// The pieces of all partitions.
  private struct Assignment {
    var pieces: [Piece]
    var starts: [Int]
    var order: [[UInt32]]

    /// Returns the number of subjects of each user that has more than a maximum.
    func crowds(above subjectsMax: Int) -> [AppUser: Int] {
      var crowds: [AppUser: Int] = [:]
      for (start, end) in zip(starts, starts.dropFirst()) where end - start > subjectsMax {
        let count = pieces[start..<end].count { $0.hasLink }
        if count > subjectsMax { crowds[AppUser(app: pieces[start].app, user: pieces[start].person)] = count }
      }
      return crowds
    }
  }

  /// Assigns each event to its person.
  private static func assign(
    _ partitions: [GatheredSubjects], upTo moment: Int64, without excluded: Set<AppUser>, threads: Int
  ) throws(FunnelError) -> Assignment {
    let assigned = try Parallel.map(count: partitions.count, threads: threads) { (partition) throws(FunnelError) in
      var assigner = PersonAssigner(partitions[partition], partition: partition, upTo: moment) { app, user in
        excluded.contains(AppUser(app: app, user: user))
      }
      return try assigner.assign()
    }
    var pieces = assigned.flatMap(\.pieces)
    pieces.sort { a, b in
      if a.app != b.app { return a.app < b.app }
      if a.person != b.person { return a.person < b.person }
      return (a.partition, a.subject) < (b.partition, b.subject)
    }
    var starts: [Int] = []
    for index in pieces.indices
    where index == 0 || pieces[index].person != pieces[index - 1].person || pieces[index].app != pieces[index - 1].app {
      starts.append(index)
    }
    starts.append(pieces.count)
    return Assignment(pieces: pieces, starts: starts, order: assigned.map(\.order))
  }
}

/// Assigns the events of one partition's subjects to persons.
private struct PersonAssigner {
  private let gathered: GatheredSubjects
  private let partition: Int
  private let moment: Int64
  /// Returns whether a user of an app is not merged.
  private let isExcluded: (UInt32, Hash128) -> Bool
  private var pieces: [PersonResolution.Piece] = []
  private var order: [UInt32] = []

  init(
    _ gathered: GatheredSubjects, partition: Int, upTo moment: Int64, isExcluded: @escaping (UInt32, Hash128) -> Bool
  ) {
    self.gathered = gathered
    self.partition = partition
    self.moment = moment
    self.isExcluded = isExcluded
    order.reserveCapacity(gathered.events.count)
  }

  mutating func assign() throws(FunnelError) -> (pieces: [PersonResolution.Piece], order: [UInt32]) {
    for subject in gathered.subjects.indices { try assign(subject) }
    return (pieces, order)
  }

  /// Assigns the events of a subject, app by app.
  private mutating func assign(_ subject: Int) throws(FunnelError) {
    if assignToOne(subject) { return }
    var events: [UInt32] = []
    for event in gathered.subjects[subject].events where gathered.events[event].milliseconds <= moment {
      events.append(UInt32(event))
    }
    var failure: FunnelError?
    events.sort { a, b in
      do throws(FunnelError) {
        return try isOrdered(a, b, ofSubject: subject)
      } catch {
        failure = error
        return a < b
      }
    }
    if let failure { throw failure }
    var start = 0
    while start < events.count {
      var end = start + 1
      let app = gathered.events[Int(events[start])].app
      while end < events.count, gathered.events[Int(events[end])].app == app { end += 1 }
      assign(events[start..<end], of: subject, app: app)
      start = end
    }
  }

  /// Assigns all events of a subject to one person, if they are of one app and name one user at most. Their order does not
  /// matter then.
  ///
  /// - Returns: `false` if nothing was assigned.
  private mutating func assignToOne(_ subject: Int) -> Bool {
    let range = gathered.subjects[subject].events
    let app = gathered.events[range.lowerBound].app
    var user = GatheredEvent.none
    var isLate = false
    for index in range {
      let event = gathered.events[index]
      guard event.app == app else { return false }
      isLate = isLate || event.milliseconds > moment
      guard event.user != GatheredEvent.none, event.user != user else { continue }
      guard user == GatheredEvent.none else { return false }
      user = event.user
    }
    guard !isLate, user == GatheredEvent.none || !isExcluded(app, gathered.users[Int(user)].key) else { return false }
    let start = order.count
    for index in range { order.append(UInt32(index)) }
    pieces.append(
      PersonResolution.Piece(
        app: app, person: user == GatheredEvent.none ? gathered.subjects[subject].key : gathered.users[Int(user)].key,
        partition: partition, subject: subject, events: start..<order.count, user: user,
        hasLink: user != GatheredEvent.none))
    return true
  }

  /// Returns whether an event comes before another: by app, then in the order of links (time, seq, ID).
  private func isOrdered(_ a: UInt32, _ b: UInt32, ofSubject subject: Int) throws(FunnelError) -> Bool {
    let first = gathered.events[Int(a)]
    let second = gathered.events[Int(b)]
    if first.app != second.app { return first.app < second.app }
    if first.milliseconds != second.milliseconds { return first.milliseconds < second.milliseconds }
    if first.sequence != second.sequence { return first.sequence < second.sequence }
    let order = try gathered.idOrder(of: Int(a), ofSubject: subject, before: Int(b), ofSubject: subject, in: gathered)
    return order ?? (a < b)
  }

  /// Assigns the events of a subject and an app, which are in order.
  private mutating func assign(_ events: ArraySlice<UInt32>, of subject: Int, app: UInt32) {
    let persons = users(of: events, app: app)
    // The events of each user, in the order of the users' first events.
    var numberOfUser: [UInt32: Int] = [:]
    var users: [(user: UInt32, events: [UInt32], hasLink: Bool)] = []
    for (event, user) in zip(events, persons) {
      let number = numberOfUser[user] ?? users.count
      if number == users.count {
        numberOfUser[user] = number
        users.append((user, [], false))
      }
      users[number].events.append(event)
      if user != GatheredEvent.none, gathered.events[Int(event)].user == user { users[number].hasLink = true }
    }
    for (user, events, hasLink) in users {
      let start = order.count
      order += events
      pieces.append(
        PersonResolution.Piece(
          app: app, person: user == GatheredEvent.none ? gathered.subjects[subject].key : gathered.users[Int(user)].key,
          partition: partition, subject: subject, events: start..<order.count, user: user, hasLink: hasLink))
    }
  }

  /// Returns the user to whom each event belongs, or ``GatheredEvent/none`` where it is the subject itself.
  private func users(of events: ArraySlice<UInt32>, app: UInt32) -> [UInt32] {
    var persons = events.map { event in
      let user = gathered.events[Int(event)].user
      return user == GatheredEvent.none || isExcluded(app, gathered.users[Int(user)].key) ? GatheredEvent.none : user
    }
    var next = GatheredEvent.none
    for index in persons.indices.reversed() {
      if persons[index] == GatheredEvent.none { persons[index] = next } else { next = persons[index] }
    }
    // The events after the last one with a user.
    var last = GatheredEvent.none
    for index in persons.indices {
      if persons[index] == GatheredEvent.none { persons[index] = last } else { last = persons[index] }
    }
    return persons
  }
}
