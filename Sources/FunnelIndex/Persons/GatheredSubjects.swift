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
  fileprivate var idStart: UInt32 = 0
  fileprivate var idByteCount: UInt8 = 0
  fileprivate var idForm: UInt8 = 0

  /// No user, or no text.
  static let none = UInt32.max

  /// Creates an event without texts.
  package init(
    milliseconds: Int64, sequence: Int64, attempt: UInt64, classID: UInt32, row: UInt32, app: UInt32, part: UInt16
  ) {
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
  let name: String
  /// The indices of the subject's events.
  var events: Range<Int>
}

/// A user that gathered events name.
struct GatheredUser: Sendable {
  let key: Hash128
  let name: String
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
  /// The packed IDs of all events.
  private let ids: UniqueBytes

  fileprivate init(
    subjects: [GatheredSubject], events: consuming UniqueArray<GatheredEvent>,
    measurements: consuming UniqueArray<Measurement>, users: [GatheredUser], texts: [[UInt8]], ids: consuming UniqueBytes
  ) {
    self.subjects = subjects
    self.events = events
    self.measurements = measurements
    self.users = users
    self.texts = texts
    self.ids = ids
  }

  /// Whether no subject was gathered.
  package var isEmpty: Bool { subjects.isEmpty }

  /// Returns the subject of an event.
  func subject(of event: Int) -> GatheredSubject {
    var low = 0
    var high = subjects.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if subjects[middle].events.lowerBound <= event { low = middle } else { high = middle }
    }
    return subjects[low]
  }

  /// Returns the ID of an event. It is valid as long as this object.
  func id(of event: Int) -> PackedID {
    let event = events[event]
    let start = Int(event.idStart)
    return PackedID(
      form: PackedID.Form(rawValue: event.idForm) ?? .text, bytes: ids.bytes[start..<start + Int(event.idByteCount)])
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
    private var ids = UniqueBytes()
    /// The index of the current subject's first event.
    private var start = 0

    /// Creates an empty builder.
    package init() {}

    /// Returns the number of a user, adding it if it is new.
    ///
    /// - Parameters:
    ///   - key: The hash of the user, by the function that hashes the subjects.
    ///   - name: Returns the user. Called if it is new.
    package mutating func number(ofUser key: Hash128, name: () -> String) -> UInt32 {
      if let number = numberOfUser[key] { return number }
      let number = UInt32(users.count)
      users.append(GatheredUser(key: key, name: name()))
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
    ///   - id: The ID of the event.
    ///   - user: The number of the event's user; `nil` if it has none.
    ///   - name: The number of the event's name.
    ///   - attempt: The number of the event's attempt; `nil` if it has none, or if the query does not need its text.
    package mutating func append(_ event: GatheredEvent, id: BorrowedBytes, user: UInt32?, name: UInt32, attempt: UInt32?) {
      append(event, id: PackedID(form: .text, bytes: id), user: user, name: name, attempt: attempt)
    }

    /// Appends an event of the current subject with a packed ID.
    mutating func append(_ event: GatheredEvent, id: PackedID, user: UInt32?, name: UInt32, attempt: UInt32?) {
      var event = event
      event.user = user ?? GatheredEvent.none
      event.name = name
      event.attemptText = attempt ?? GatheredEvent.none
      event.idStart = UInt32(truncatingIfNeeded: ids.count)
      event.idByteCount = UInt8(truncatingIfNeeded: id.bytes.count)
      event.idForm = id.form.rawValue
      precondition(ids.count <= UInt32.max, "the IDs of a partition take less than four gibibytes")
      ids.append(id.bytes)
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

    /// Finishes the current subject and starts the next one. A subject without events is left out.
    ///
    /// - Parameters:
    ///   - key: The hash of the subject.
    ///   - name: The subject.
    package mutating func endSubject(key: Hash128, name: String) {
      guard events.count > start else { return }
      subjects.append(GatheredSubject(key: key, name: name, events: start..<events.count))
      start = events.count
    }

    /// Returns the gathered subjects and leaves the builder empty.
    package mutating func finish() -> GatheredSubjects {
      precondition(start == events.count, "the last subject is finished")
      start = 0
      defer {
        subjects = []
        users = []
        texts = []
        numberOfUser = [:]
        numberOfText = [:]
      }
      return GatheredSubjects(
        subjects: subjects, events: events.take(), measurements: measurements.take(), users: users, texts: texts,
        ids: ids.take())
    }
  }
}
