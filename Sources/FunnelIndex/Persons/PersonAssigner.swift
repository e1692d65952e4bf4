internal import FunnelDecoding
internal import FunnelModel

/// Some events of one subject that belong to one person.
struct PersonPiece: BitwiseCopyable, Sendable {
  /// The number of the app in the source.
  let app: UInt32
  /// The number of the user in its partition, or ``GatheredEvent/none`` if the person is the subject itself.
  let user: UInt32
  /// The hash of the user, or of the subject itself.
  let person: Hash128
  /// The index of the partition.
  let partition: UInt32
  /// The index of the subject in its partition.
  let subject: UInt32
  /// The index of its first event in ``AssignedEvents/allEvents``.
  fileprivate(set) var start: UInt32
  /// The number of its events.
  let count: UInt32
  /// Whether an event of the piece names the user, so the subject is one of the user's.
  let hasLink: Bool

  /// The indices of its events in ``AssignedEvents/allEvents``.
  var events: Range<Int> { Int(start)..<Int(start) + Int(count) }

  /// The group of the person.
  var group: Int { PersonGroups.group(of: person) }
}

/// An event that was assigned to a person, with the fields that most reports need. It is smaller than the ``GatheredEvent``, so
/// the events of a group fit in a processor's cache.
struct AssignedEvent: BitwiseCopyable, Sendable {
  let milliseconds: Int64
  /// The index of the event in ``GatheredSubjects/events``.
  let number: UInt32
  /// The event class ID, or ``GatheredEvent/noClass``.
  let classID: UInt32
  /// The row of the event's dimension values.
  let row: UInt32

  init(_ event: GatheredEvent, number: UInt32) {
    milliseconds = event.milliseconds
    self.number = number
    classID = event.classID
    row = event.row
  }
}

/// The events of one partition's subjects, by group of persons, then by piece. Immutable.
final class AssignedEvents: Sendable {
  /// The pieces of all groups.
  private let pieces: UniqueArray<PersonPiece>
  /// The events of all pieces, in the order of the pieces.
  private let events: UniqueArray<AssignedEvent>
  /// The index of each group's first piece, then the number of pieces.
  private let starts: [Int]

  /// Sorts pieces by group.
  ///
  /// - Parameters:
  ///   - pieces: The pieces, in which ``PersonPiece/start`` is an index in `numbers`.
  ///   - numbers: The indices of the events of all pieces.
  fileprivate init(
    _ pieces: borrowing UniqueArray<PersonPiece>, numbers: borrowing UniqueArray<UInt32>, of gathered: GatheredSubjects
  ) {
    var starts = Array(repeating: 0, count: PersonGroups.count + 1)
    var nextEvent = starts
    for index in 0..<pieces.count {
      starts[pieces[index].group + 1] += 1
      nextEvent[pieces[index].group + 1] += Int(pieces[index].count)
    }
    for group in 0..<PersonGroups.count {
      starts[group + 1] += starts[group]
      nextEvent[group + 1] += nextEvent[group]
    }
    var nextPiece = starts
    var sorted = UniqueArray<PersonPiece>(capacity: pieces.count)
    var assigned = UniqueArray<AssignedEvent>(capacity: numbers.count)
    let pieceTargets = sorted.appendUninitialized(pieces.count)
    let eventTargets = assigned.appendUninitialized(numbers.count)
    let source = gathered.events.elements
    for index in 0..<pieces.count {
      var piece = pieces[index]
      let own = numbers.elements[Int(piece.start)..<Int(piece.start) + Int(piece.count)]
      let target = nextEvent[piece.group]
      for event in 0..<own.count { eventTargets[target + event] = AssignedEvent(source[Int(own[event])], number: own[event]) }
      piece.start = UInt32(truncatingIfNeeded: target)
      pieceTargets[nextPiece[piece.group]] = piece
      nextEvent[piece.group] += own.count
      nextPiece[piece.group] += 1
    }
    self.pieces = sorted
    events = assigned
    self.starts = starts
  }

  /// Returns the pieces of a group. They are valid as long as this object.
  func pieces(ofGroup group: Int) -> BorrowedColumn<PersonPiece> { pieces.elements[starts[group]..<starts[group + 1]] }

  /// The events to which ``PersonPiece/events`` refers. They are valid as long as this object.
  var allEvents: BorrowedColumn<AssignedEvent> { events.elements }
}

/// Assigns the events of one partition's subjects to persons.
struct PersonAssigner: ~Copyable {
  private let gathered: GatheredSubjects
  private let partition: Int
  private let moment: Int64
  /// The users that are not merged, by app.
  private let excluded: Set<AppUser>
  /// Whether each user of the partition is not merged in some app; empty if all are merged.
  private let isExcludedSomewhere: [Bool]
  private var pieces: UniqueArray<PersonPiece>
  /// The indices of the events of the pieces.
  private var numbers: UniqueArray<UInt32>

  /// Creates an assigner.
  ///
  /// - Parameters:
  ///   - partition: The index of the partition.
  ///   - moment: The time of the latest event that counts, in milliseconds since the epoch.
  ///   - excluded: The users that are not merged.
  init(_ gathered: GatheredSubjects, partition: Int, upTo moment: Int64, without excluded: Set<AppUser>) {
    self.gathered = gathered
    self.partition = partition
    self.moment = moment
    self.excluded = excluded
    let keys = Set(excluded.map(\.user))
    isExcludedSomewhere = keys.isEmpty ? [] : gathered.users.map { keys.contains($0.key) }
    pieces = UniqueArray(capacity: gathered.subjects.count)
    numbers = UniqueArray(capacity: gathered.events.count)
  }

  /// Assigns all events.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  consuming func assigned() throws(FunnelError) -> AssignedEvents {
    for subject in gathered.subjects.indices { try assign(subject) }
    return AssignedEvents(pieces, numbers: numbers, of: gathered)
  }

  /// Returns whether a user is not merged in an app.
  @inline(__always)
  private func isExcluded(_ app: UInt32, _ user: UInt32) -> Bool {
    !isExcludedSomewhere.isEmpty && isExcludedSomewhere[Int(user)]
      && excluded.contains(AppUser(app: app, user: gathered.users[Int(user)].key))
  }

  /// Appends a piece, whose events are the last `count` of ``numbers``.
  private mutating func appendPiece(ofLast count: Int, subject: Int, app: UInt32, user: UInt32, hasLink: Bool) {
    pieces.append(
      PersonPiece(
        app: app, user: user,
        person: user == GatheredEvent.none ? gathered.subjects[subject].key : gathered.users[Int(user)].key,
        partition: UInt32(partition), subject: UInt32(subject), start: UInt32(numbers.count - count), count: UInt32(count),
        hasLink: hasLink))
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
    let events = gathered.events.elements
    let app = events[range.lowerBound].app
    var user = GatheredEvent.none
    var isLate = false
    for index in range {
      let event = events[index]
      guard event.app == app else { return false }
      isLate = isLate || event.milliseconds > moment
      guard event.user != GatheredEvent.none, event.user != user else { continue }
      guard user == GatheredEvent.none else { return false }
      user = event.user
    }
    guard !isLate, user == GatheredEvent.none || !isExcluded(app, user) else { return false }
    for index in range { numbers.append(UInt32(index)) }
    appendPiece(ofLast: range.count, subject: subject, app: app, user: user, hasLink: user != GatheredEvent.none)
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
      for event in events { numbers.append(event) }
      appendPiece(ofLast: events.count, subject: subject, app: app, user: user, hasLink: hasLink)
    }
  }

  /// Returns the user to whom each event belongs, or ``GatheredEvent/none`` where it is the subject itself.
  private func users(of events: ArraySlice<UInt32>, app: UInt32) -> [UInt32] {
    var persons = events.map { event in
      let user = gathered.events[Int(event)].user
      return user == GatheredEvent.none || isExcluded(app, user) ? GatheredEvent.none : user
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
