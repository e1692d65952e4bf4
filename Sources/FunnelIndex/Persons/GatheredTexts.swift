internal import FunnelDecoding
internal import FunnelModel

/// The place of an ID, a subject or a user among the texts of gathered subjects.
package struct TextPlace: BitwiseCopyable, Sendable {
  /// The index of the sorted run; 0 for texts that are stored.
  let run: UInt8
  /// The number of the text: of a stored text, of a subject or a user in the run's partition, or of an event among those that
  /// its subject has in the run.
  let number: UInt32
}

/// The texts of gathered subjects (``GatheredSubjects``).
///
/// Few comparisons need them, and IDs are most of an index. So those of an index stay there until they are asked for.
enum GatheredTexts: Sendable {
  case stored(StoredTexts)
  case indexed(IndexedTexts)

  /// Returns the ID of an event. It is valid as long as these texts.
  ///
  /// - Parameter subject: The subject of the event, by its number.
  /// - Throws: `inputOutput` if the index is damaged.
  func id(at place: TextPlace, ofSubject subject: Int) throws(FunnelError) -> PackedID {
    switch self {
    case .stored(let texts): texts.text(place)
    case .indexed(let texts): try texts.id(at: place, ofSubject: subject)
    }
  }

  /// Returns a subject.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  func subject(at place: TextPlace) throws(FunnelError) -> String {
    switch self {
    case .stored(let texts): texts.text(place).string
    case .indexed(let texts): try texts.runs[Int(place.run)].subject(Int(place.number), inPartition: texts.partition).string
    }
  }

  /// Returns a user.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  func user(at place: TextPlace) throws(FunnelError) -> String {
    switch self {
    case .stored(let texts): texts.text(place).string
    case .indexed(let texts): try texts.runs[Int(place.run)].user(Int(place.number), inPartition: texts.partition).string
    }
  }
}

/// Texts in memory, in the order in which they were appended.
final class StoredTexts: Sendable {
  private let bytes: UniqueBytes
  /// The offset after each text.
  private let ends: UniqueArray<Int>

  init(bytes: consuming UniqueBytes, ends: consuming UniqueArray<Int>) {
    self.bytes = bytes
    self.ends = ends
  }

  /// Returns a text. It is valid as long as this object.
  func text(_ place: TextPlace) -> PackedID {
    let number = Int(place.number)
    return PackedID(form: .text, bytes: bytes.bytes[(number == 0 ? 0 : ends[number - 1])..<ends[number]])
  }
}

/// Texts in the runs of an index.
struct IndexedTexts: Sendable {
  /// A gathered subject in one run.
  struct Occurrence: BitwiseCopyable, Sendable {
    let run: UInt8
    /// The index of the subject in the run's partition.
    let subject: UInt32
    /// The number of all events that the subject has in the run.
    let eventCount: Int
  }

  let runs: [SortedRun]
  let partition: Int
  /// The occurrences of the gathered subjects, one subject after another.
  private var occurrences: [Occurrence] = []
  /// The index after the last occurrence of each gathered subject.
  private var ends: [Int] = []

  init(runs: [SortedRun], partition: Int) {
    self.runs = runs
    self.partition = partition
  }

  /// Appends the occurrences of the next gathered subject.
  mutating func append(_ own: [Occurrence]) {
    occurrences += own
    ends.append(occurrences.count)
  }

  /// Returns the ID of an event. It is valid as long as the runs.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  func id(at place: TextPlace, ofSubject subject: Int) throws(FunnelError) -> PackedID {
    let own = occurrences[(subject == 0 ? 0 : ends[subject - 1])..<ends[subject]]
    guard let occurrence = own.first(where: { $0.run == place.run }) else {
      preconditionFailure("an event is of a run that has its subject")
    }
    let ids = try runs[Int(place.run)].ids(
      ofSubject: Int(occurrence.subject), inPartition: partition, count: occurrence.eventCount)
    return ids[Int(place.number)]
  }
}

extension SortedRun {
  /// Returns the name of a subject, packed like an ID. It is valid as long as the run.
  ///
  /// - Throws: `inputOutput` if the section is damaged.
  func subject(_ subject: Int, inPartition partition: Int) throws(FunnelError) -> PackedID {
    try packed(.names, ofSubject: subject, inPartition: partition, count: 1)[0]
  }

  /// Returns the IDs of a subject's events. They are valid as long as the run.
  ///
  /// - Parameter count: The number of the subject's events.
  /// - Throws: `inputOutput` if the section is damaged.
  fileprivate func ids(
    ofSubject subject: Int, inPartition partition: Int, count: Int
  ) throws(FunnelError) -> [PackedID] {
    try packed(.ids, ofSubject: subject, inPartition: partition, count: count)
  }

  /// Returns a user by its index in ``SubjectUsers``. It is valid as long as the run.
  ///
  /// - Throws: `inputOutput` if the section is damaged.
  func user(_ user: Int, inPartition partition: Int) throws(FunnelError) -> PackedID {
    let names = try UserNames(uncheckedSection(.userNames, ofPartition: partition), count: userCount(ofPartition: partition))
    try check(names.endBytes(of: user))
    try check(names.bytes(of: user))
    return try names[user]
  }

  private func packed(
    _ section: IndexFormat.Section, ofSubject subject: Int, inPartition partition: Int, count: Int
  ) throws(FunnelError) -> [PackedID] {
    let cursor = try IDCursor(
      uncheckedSection(section, ofPartition: partition), subjects: subjectCount(ofPartition: partition))
    try check(cursor.endBytes(ofSubject: subject))
    try check(cursor.idBytes(ofSubject: subject))
    var ids: [PackedID] = []
    try cursor.forEach(ofSubject: subject, count: count) { _, id in ids.append(id) }
    return ids
  }
}
