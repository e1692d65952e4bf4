package import FunnelDecoding
internal import FunnelModel

/// An event of a gathered subject (``GatheredSubjects``).
package struct GatheredEvent: BitwiseCopyable, Sendable {
  /// The class of an event that no flow of the query uses. Such an event is gathered if it has a user.
  package static let noClass = UInt32.max

  package var milliseconds: Int64
  /// The `seq` of the event, or 0.
  package var sequence: Int64
  /// A hash of the attempt, or 0.
  package var attempt: UInt64
  /// The event class ID, or ``noClass``.
  package var classID: UInt32
  /// The row of the event's dimension values.
  package var row: UInt32
  /// The number of the event's app in the source.
  package var app: UInt32
  /// The index of this event among those that flow versions derive from the stored one.
  package var part: UInt16
  /// The number of the event's user in ``GatheredSubjects/users``, or ``none``.
  fileprivate(set) var user = none
  /// The index of the name in ``GatheredSubjects/texts``.
  fileprivate(set) var name = none
  /// The index of the attempt in ``GatheredSubjects/texts``, or ``none``.
  fileprivate(set) var attemptText = none
  /// The index of the first measurement in ``GatheredSubjects/measurements``, or ``EventMeasurements/none``.
  fileprivate(set) var measurements = EventMeasurements.none
  /// The place of the ID.
  fileprivate(set) var id: TextPlace

  /// No user, or no text.
  static let none = UInt32.max

  /// Creates an event without texts other than its ID.
  package init(
    milliseconds: Int64, sequence: Int64, attempt: UInt64, classID: UInt32, row: UInt32, app: UInt32, part: UInt16,
    id: TextPlace
  ) {
    self.id = id
    self.milliseconds = milliseconds
    self.sequence = sequence
    self.attempt = attempt
    self.classID = classID
    self.row = row
    self.app = app
    self.part = part
  }
}

/// A subject whose events were gathered.
struct GatheredSubject: Sendable {
  /// The hash of the subject. A user with the same text has the same hash.
  let key: Hash128
  let name: TextPlace
  /// The indices of the subject's events.
  let events: Range<Int>
}

/// A user that gathered events name.
struct GatheredUser: Sendable {
  let key: Hash128
  let name: TextPlace
}

/// The events of the subjects of one partition that share a person with other subjects, or have several persons, or may do
/// so. ``PersonSequences`` regroups them.
///
/// Immutable. The sources of events build it (``Builder``).
package final class GatheredSubjects: Sendable {
  let subjects: [GatheredSubject]
  /// The events of all subjects, one subject after another.
  let events: UniqueArray<GatheredEvent>
  let measurements: UniqueArray<Measurement>
  let users: [GatheredUser]
  /// The names and attempts of events.
  let texts: [[UInt8]]
  /// The IDs of events, the subjects and the users.
  private let places: GatheredTexts

  fileprivate init(
    subjects: [GatheredSubject], events: consuming UniqueArray<GatheredEvent>,
    measurements: consuming UniqueArray<Measurement>, users: [GatheredUser], texts: [[UInt8]], places: GatheredTexts
  ) {
    self.subjects = subjects
    self.events = events
    self.measurements = measurements
    self.users = users
    self.texts = texts
    self.places = places
  }

  /// Whether no subject was gathered.
  package var isEmpty: Bool { subjects.isEmpty }

  /// Returns a subject.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  func name(ofSubject subject: Int) throws(FunnelError) -> String { try places.subject(at: subjects[subject].name) }

  /// Returns a user.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  func name(ofUser user: UInt32) throws(FunnelError) -> String { try places.user(at: users[Int(user)].name) }

  /// Returns whether the ID of an event precedes that of another event, or `nil` if both are equal. Of two events of one
  /// subject in one run of an index, the one that comes first in the run precedes the other.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  func idOrder(
    of event: Int, ofSubject subject: Int, before other: Int, ofSubject otherSubject: Int, in others: GatheredSubjects
  ) throws(FunnelError) -> Bool? {
    let first = events[event].id
    let second = others.events[other].id
    if case .indexed = places, self === others, subject == otherSubject, first.run == second.run {
      return first.number == second.number ? nil : first.number < second.number
    }
    return try places.id(at: first, ofSubject: subject)
      .order(before: others.places.id(at: second, ofSubject: otherSubject))
  }
}

extension GatheredSubjects {
  /// A builder, to which the events of one subject after another are appended.
  package struct Builder: ~Copyable {
    private var subjects: [GatheredSubject] = []
    private var events = UniqueArray<GatheredEvent>()
    private var measurements = UniqueArray<Measurement>()
    private var users: [GatheredUser] = []
    private var numberOfUser: [Hash128: UInt32] = [:]
    private var texts: [[UInt8]] = []
    private var numberOfText: [[UInt8]: UInt32] = [:]
    /// The stored IDs, subjects and users, and the offset after each.
    private var stored = UniqueBytes()
    private var storedEnds = UniqueArray<Int>()
    /// The IDs, subjects and users in an index, or `nil` if they are stored.
    private var indexed: IndexedTexts?
    /// The index of the current subject's first event.
    private var start = 0

    /// Creates an empty builder, which stores texts.
    package init() {}

    /// Creates an empty builder for the events of a partition of an index, whose texts stay there.
    init(_ runs: [SortedRun], partition: Int) { indexed = IndexedTexts(runs: runs, partition: partition) }

    /// Stores an ID, a subject or a user, and returns its place.
    package mutating func store(_ text: BorrowedBytes) -> TextPlace {
      precondition(indexed == nil, "the texts of an index are not stored")
      stored.append(text)
      storedEnds.append(stored.count)
      return TextPlace(run: 0, number: UInt32(storedEnds.count - 1))
    }

    /// Reserves memory for events to come.
    mutating func reserve(_ eventCount: Int) { events.reserve(eventCount) }

    /// Returns the number of a user, or `nil` if it is new.
    ///
    /// - Parameter key: The hash of the user, by the function that hashes the subjects.
    package func number(ofUser key: Hash128) -> UInt32? { numberOfUser[key] }

    /// Adds a new user and returns its number.
    package mutating func addUser(_ key: Hash128, at name: TextPlace) -> UInt32 {
      let number = UInt32(users.count)
      users.append(GatheredUser(key: key, name: name))
      numberOfUser[key] = number
      return number
    }

    /// Returns the number of the name or the attempt of an event, adding it if it is new.
    package mutating func number(ofText text: [UInt8]) -> UInt32 {
      if let number = numberOfText[text] { return number }
      let number = UInt32(texts.count)
      texts.append(text)
      numberOfText[text] = number
      return number
    }

    /// Appends an event of the current subject.
    ///
    /// - Parameters:
    ///   - user: The number of the event's user; `nil` if it has none.
    ///   - name: The number of the event's name.
    ///   - attempt: The number of the event's attempt; `nil` if it has none, or if the query does not need its text.
    package mutating func append(_ event: GatheredEvent, user: UInt32?, name: UInt32, attempt: UInt32?) {
      var event = event
      event.user = user ?? GatheredEvent.none
      event.name = name
      event.attemptText = attempt ?? GatheredEvent.none
      events.append(event)
    }

    /// Appends a measurement of the last event. The last one of an event is marked.
    mutating func append(_ measurement: Measurement) {
      let index = events.count - 1
      if events[index].measurements == EventMeasurements.none {
        events[index].measurements = UInt32(truncatingIfNeeded: measurements.count)
      }
      measurements.append(measurement)
    }

    /// Finishes the current subject, whose name is stored, and starts the next one. A subject without events is left out.
    ///
    /// - Parameter key: The hash of the subject.
    package mutating func endSubject(key: Hash128, name: TextPlace) {
      guard events.count > start else { return }
      subjects.append(GatheredSubject(key: key, name: name, events: start..<events.count))
      start = events.count
    }

    /// Finishes the current subject of an index, and starts the next one. A subject without events is left out.
    ///
    /// - Parameters:
    ///   - key: The hash of the subject.
    ///   - occurrences: The subject in each run that has it, at least one.
    mutating func endSubject(key: Hash128, in occurrences: [IndexedTexts.Occurrence]) {
      guard events.count > start else { return }
      endSubject(key: key, name: TextPlace(run: occurrences[0].run, number: occurrences[0].subject))
      indexed?.append(occurrences)
    }

    /// Returns the gathered subjects and leaves the builder empty.
    package mutating func finish() -> GatheredSubjects {
      precondition(start == events.count, "the last subject is finished")
      let places = indexed.map(GatheredTexts.indexed) ?? .stored(StoredTexts(bytes: stored.take(), ends: storedEnds.take()))
      let gathered = GatheredSubjects(
        subjects: subjects, events: events.take(), measurements: measurements.take(), users: users, texts: texts,
        places: places)
      self = Builder()
      return gathered
    }
  }
}
