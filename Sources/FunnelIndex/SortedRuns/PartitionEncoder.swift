internal import FunnelDecoding

/// An encoder for one partition of a sorted run (``IndexFormat``). Subjects are appended in the order of their
/// keys, and the events of each subject in order.
struct PartitionEncoder: ~Copyable {
  /// The number of bytes of one type code.
  private let typeWidth: NumberWidth
  /// For each subject the end of its events, shifted by one; the low bit is set if its times are wide.
  private var ends = UniqueArray<UInt32>()
  /// The first time of each subject.
  private var firsts = UniqueArray<Int64>()
  /// The encoded type codes.
  private var types = UniqueBytes(capacity: 1024)
  /// The offset of each event's time from the first: one word, or two for a subject with wide times.
  private var offsets = UniqueArray<UInt32>(capacity: 1024)
  /// The two words of each subject's hash.
  private var keys = UniqueArray<UInt64>()
  private var attempts = SubjectColumnEncoder()
  private var context = SubjectColumnEncoder()
  private var props = SubjectColumnEncoder()
  private var sequences = SubjectColumnEncoder()
  private var ids = IDEncoder()
  private var names = IDEncoder()
  private var users = SubjectUsersEncoder()
  private var measures: MeasureEncoder
  /// The times of the current subject's events.
  private var times = UniqueArray<Int64>()
  /// The number of events of finished subjects.
  private var events = 0

  /// Creates an encoder.
  ///
  /// - Parameters:
  ///   - typeWidth: The number of bytes of one type code.
  ///   - measures: The number of measured properties.
  ///   - events: The approximate number of events to come.
  init(typeWidth: NumberWidth, measures: Int, events: Int) {
    precondition(typeWidth != .eight, "a type code has at most four bytes")
    self.typeWidth = typeWidth
    self.measures = MeasureEncoder(count: measures)
    types.reserve(events * typeWidth.rawValue)
    offsets.reserve(events)
    ids.reserve(events)
  }

  /// Appends an event of the current subject. The bytes of its ID and its user must stay valid until ``endSubject(key:name:)``.
  @inline(__always)
  mutating func append(
    milliseconds: Int64, sequence: Int64, type: UInt32, attempt: UInt64, context contextCode: UInt32, props propsCode: UInt32,
    id: PackedID, user: PackedID?
  ) {
    users.append(user, subject: ends.count, event: times.count)
    times.append(milliseconds)
    switch typeWidth {
    case .one: types.append(UInt8(truncatingIfNeeded: type))
    case .two: types.append(number: UInt16(truncatingIfNeeded: type))
    case .four, .eight: types.append(number: type)
    }
    attempts.append(attempt)
    context.append(UInt64(contextCode))
    props.append(UInt64(propsCode))
    sequences.append(UInt64(bitPattern: sequence))
    ids.append(id)
  }

  /// Appends the number that the last appended event has for a measured property.
  @inline(__always)
  mutating func append(_ number: MeasuredNumber, of measure: UInt32) { measures.append(number, of: measure) }

  /// Finishes the current subject, which must have at least one event, and starts the next one.
  ///
  /// - Parameters:
  ///   - key: The hash of the subject.
  ///   - name: The subject itself, packed like an ID.
  mutating func endSubject(key: Hash128, name: PackedID) {
    precondition(times.count > 0, "a subject has at least one event")
    names.append(name)
    names.endSubject()
    users.endSubject(ends.count)
    keys.append(key.high)
    keys.append(key.low)
    let first = times[0]
    firsts.append(first)
    events += times.count
    assert(events <= IndexLimits.eventsOfRunMax, "a partition counts its events in 31 bits")
    let span = UInt64(bitPattern: times[times.count - 1] &- first)
    let isWide = span > UInt64(UInt32.max)
    ends.append(UInt32(events) << 1 | (isWide ? 1 : 0))
    for index in 0..<times.count {
      let offset = UInt64(bitPattern: times[index] &- first)
      offsets.append(UInt32(truncatingIfNeeded: offset))
      if isWide { offsets.append(UInt32(truncatingIfNeeded: offset >> 32)) }
    }
    times.removeAll()
    attempts.endSubject()
    context.endSubject()
    props.endSubject()
    sequences.endSubject()
    ids.endSubject()
  }

  /// Returns the encoded partition. The last subject must be finished.
  consuming func finish() -> EncodedPartition {
    let unfinishedEvents = times.count
    precondition(unfinishedEvents == 0, "the last subject is finished before its partition")
    var bytes = UniqueBytes(capacity: events * Self.estimatedEventBytes + Self.estimatedFixedBytes)
    var lengths: [Int] = []
    for section in IndexFormat.Section.allCases {
      let start = bytes.count
      switch section {
      case .plain: if events > 0 { writePlain(to: &bytes) }
      case .attempts: attempts.write(to: &bytes)
      case .context: context.write(to: &bytes)
      case .props: props.write(to: &bytes)
      case .sequences: sequences.write(to: &bytes)
      case .keys: bytes.append(numbers: keys.elements)
      case .ids: ids.write(to: &bytes)
      case .names: names.write(to: &bytes)
      case .measures: measures.write(to: &bytes)
      case .userNumbers: users.writeNumbers(to: &bytes)
      case .users: users.writeUsers(to: &bytes)
      case .userNames: users.writeNames(to: &bytes)
      }
      lengths.append(bytes.count - start)
      bytes.pad(to: IndexFormat.alignment)
    }
    return EncodedPartition(bytes: bytes, lengths: lengths, subjects: ends.count, events: events)
  }

  // Capacities, not limits: a common event takes 4 bytes of time, 1 of type, 16 of ID, and its share of the
  // other columns.
  private static let estimatedEventBytes = 32
  private static let estimatedFixedBytes = 4096

  private func writePlain(to bytes: inout UniqueBytes) {
    bytes.append(numbers: ends.elements)
    bytes.pad(to: IndexFormat.alignment)
    bytes.append(numbers: firsts.elements)
    bytes.append(types.bytes)
    bytes.pad(to: MemoryLayout<UInt32>.alignment)
    bytes.append(numbers: offsets.elements)
  }
}

/// An encoded partition: its sections in order, each padded to a multiple of ``IndexFormat/alignment``.
final class EncodedPartition: Sendable {
  let bytes: UniqueBytes
  /// The lengths of the sections without padding.
  let lengths: [Int]
  /// The number of subjects.
  let subjects: Int
  /// The number of events.
  let events: Int

  init(bytes: consuming UniqueBytes, lengths: [Int], subjects: Int, events: Int) {
    self.bytes = bytes
    self.lengths = lengths
    self.subjects = subjects
    self.events = events
  }
}
