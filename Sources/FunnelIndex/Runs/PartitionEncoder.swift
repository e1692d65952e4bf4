internal import FunnelIngest

/// Encodes one partition of a run from its subjects in order, and each subject's events in order.
struct PartitionEncoder: ~Copyable {
  private let typeWidth: Int
  private var ends = GrowingStorage<UInt32>()
  private var firsts = GrowingStorage<Int64>()
  private var types = GrowingBytes(capacity: 1024)
  private var offsets = GrowingStorage<UInt32>(capacity: 1024)
  private var keys = GrowingStorage<UInt64>()
  private var attempts = ColumnEncoder()
  private var context = ColumnEncoder()
  private var props = ColumnEncoder()
  private var sequences = ColumnEncoder()
  private var ids = IDEncoder()
  private var names = IDEncoder()
  private var measures: MeasureEncoder
  private var times = GrowingStorage<Int64>()
  private var events = 0

  /// - Parameters:
  ///   - measures: The number of measured properties.
  ///   - events: The approximate number of events to come.
  init(typeWidth: Int, measures: Int, events: Int) {
    self.typeWidth = typeWidth
    self.measures = MeasureEncoder(count: measures)
    types.reserve(events * typeWidth)
    offsets.reserve(events)
    ids.reserve(events)
  }

  /// Adds an event of the current subject. The bytes of its id must stay valid until the subject has ended.
  @inline(__always)
  mutating func append(
    milliseconds: Int64, sequence: Int64, type: UInt32, attempt: UInt64, context contextCode: UInt32, props propsCode: UInt32,
    id: PackedID
  ) {
    times.append(milliseconds)
    switch typeWidth {
    case 1: types.append(UInt8(truncatingIfNeeded: type))
    case 2: types.append(number: UInt16(truncatingIfNeeded: type))
    default: types.append(number: type)
    }
    attempts.append(attempt)
    context.append(UInt64(contextCode))
    props.append(UInt64(propsCode))
    sequences.append(UInt64(bitPattern: sequence))
    ids.append(id)
  }

  /// Adds a number that the last event added has for a measured property.
  @inline(__always)
  mutating func append(_ number: MeasuredNumber, of measure: UInt32) { measures.append(number, of: measure) }

  /// Ends the current subject.
  ///
  /// - Parameters:
  ///   - key: The hash of the subject.
  ///   - name: The subject itself, packed like an id.
  mutating func endSubject(key: Hash128, name: PackedID) {
    precondition(times.count > 0, "a subject has at least one event")
    names.append(name)
    names.endSubject()
    keys.append(key.high)
    keys.append(key.low)
    let first = times[0]
    firsts.append(first)
    events += times.count
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

  /// Returns the finished partition.
  consuming func finish() -> EncodedPartition {
    var bytes = GrowingBytes(capacity: events * 32 + 4096)
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
      }
      lengths.append(bytes.count - start)
      bytes.pad(to: 8)
    }
    return EncodedPartition(bytes: bytes, lengths: lengths, subjects: ends.count, events: events)
  }

  private func writePlain(to bytes: inout GrowingBytes) {
    bytes.append(numbers: ends.elements)
    bytes.pad(to: 8)
    bytes.append(numbers: firsts.elements)
    bytes.append(raw: types.bytes)
    bytes.pad(to: 4)
    bytes.append(numbers: offsets.elements)
  }
}

/// An encoded partition: its sections, each padded to a multiple of 8 bytes.
final class EncodedPartition: Sendable {
  let bytes: GrowingBytes
  /// The lengths of the sections without padding.
  let lengths: [Int]
  let subjects: Int
  let events: Int

  init(bytes: consuming GrowingBytes, lengths: [Int], subjects: Int, events: Int) {
    self.bytes = bytes
    self.lengths = lengths
    self.subjects = subjects
    self.events = events
  }
}

/// Encodes the ids of a partition.
///
/// As bytes: for each subject the end of its ids, with their form in the low two bits, in 8 bytes; then the ids. If all ids of a subject
/// have the same 16-byte form, they follow each other directly; otherwise (form 2) each is preceded by one byte: the raw value of its form,
/// or for a text its length plus 1.
struct IDEncoder: ~Copyable {
  private var ends = GrowingStorage<UInt64>()
  private var bytes = GrowingBytes(capacity: 1024)
  private var current = GrowingStorage<(start: UInt, count: UInt8, form: UInt8)>()

  init() {}

  /// Reserves memory for the given number of ids of the most common form.
  mutating func reserve(_ events: Int) { bytes.reserve(events * 16) }

  @inline(__always)
  mutating func append(_ id: PackedID) {
    current.append((UInt(bitPattern: id.bytes.baseAddress), UInt8(truncatingIfNeeded: id.bytes.count), id.form.rawValue))
  }

  mutating func endSubject() {
    let first = current[0].form
    var areAlike = first != PackedID.Form.text.rawValue
    for index in 1..<max(current.count, 1) where current[index].form != first { areAlike = false }
    for index in 0..<current.count {
      let (start, count, form) = current[index]
      if !areAlike { bytes.append(form == PackedID.Form.text.rawValue ? count &+ 1 : form) }
      bytes.append(raw: UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: start), count: Int(count)))
    }
    current.removeAll()
    ends.append(UInt64(bytes.count) << 2 | UInt64(areAlike ? first : PackedID.Form.text.rawValue))
  }

  func write(to target: inout GrowingBytes) {
    target.append(numbers: ends.elements)
    target.append(raw: bytes.bytes)
  }
}
