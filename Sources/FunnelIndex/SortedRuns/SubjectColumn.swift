internal import FunnelModel

/// An encoder for a column in which most subjects have the same value for all their events.
///
/// The encoding is: the width of a value in bytes (1, 2, 4 or 8), as 8 bytes; a bit for each subject, set if
/// the values of its events differ, padded to a multiple of 8 bytes; the values, one for a subject whose values
/// are equal, one for each event otherwise.
struct SubjectColumnEncoder: ~Copyable {
  private var values = UniqueArray<UInt64>(capacity: 1024)
  /// A bit for each finished subject, set if the values of its events differ.
  private var bits = BitArray()
  /// The number of finished subjects.
  private var subjects = 0
  /// The index of the current subject's first value.
  private var start = 0
  /// The bitwise OR of all values of finished subjects, which determines the width.
  private var union: UInt64 = 0

  init() {}

  /// Appends the value of an event of the current subject.
  @inline(__always)
  mutating func append(_ value: UInt64) { values.append(value) }

  /// Appends the value 0 for the events of subjects that were finished before the column was begun, and for the first events
  /// of the current one.
  mutating func appendZeros(subjects finished: Int, events: Int) {
    precondition(subjects == 0 && values.count == 0, "the column is begun once")
    for _ in 0..<finished { values.append(0) }
    bits.extend(to: finished)
    subjects = finished
    start = finished
    for _ in 0..<events { values.append(0) }
  }

  /// Finishes the current subject, which must have at least one event, and starts the next one.
  @inline(__always)
  mutating func endSubject() {
    assert(start < values.count, "a subject has at least one event")
    bits.extend(to: subjects &+ 1)
    let first = values[start]
    var differs: UInt64 = 0
    var valuesUnion: UInt64 = 0
    for index in start..<values.count {
      differs |= values[index] ^ first
      valuesUnion |= values[index]
    }
    union |= valuesUnion
    if differs == 0 {
      values.truncate(to: start &+ 1)
    } else {
      bits.insert(subjects)
    }
    start = values.count
    subjects &+= 1
  }

  /// Appends the encoded column, or nothing if all values are 0.
  func write(to bytes: inout UniqueBytes) {
    assert(start == values.count, "the last subject is finished")
    guard union != 0 else { return }
    let width = NumberWidth(for: union)
    bytes.append(number: UInt64(width.rawValue))
    bytes.append(numbers: bits.elements)
    bytes.append(values.elements, width: width)
  }
}

/// The values of one subject's events in a column of one-byte values.
struct EventBytes: BitwiseCopyable {
  fileprivate let values: BorrowedColumn<UInt8>
  /// The distance from one event's value to the next: 1, or 0 if all events share one value.
  fileprivate let stride: Int

  /// Returns the value of an event, by its index among those of the subject.
  @inline(__always)
  subscript(event: Int) -> UInt8 { values[event &* stride] }
}

/// A cursor over the subjects of a column (``SubjectColumnEncoder``).
///
/// Each subject must be read or skipped, in order.
struct SubjectColumnCursor {
  /// Whether the section is empty: all values are 0.
  let isEmpty: Bool
  /// A bit for each subject, set if the values of its events differ.
  private let bits: BorrowedBits
  private let values: PackedNumbers
  private let valueCount: Int
  /// The index of the next subject.
  private var subject = 0
  /// The index of the next subject's first value.
  private var valueIndex = 0

  private static let headerBytes = 8

  /// Opens the column of a partition.
  ///
  /// - Throws: `inputOutput` if the section is damaged.
  init(_ section: BorrowedBytes, subjects: Int) throws(FunnelError) {
    assert(subjects >= 0, "a count is not negative")
    guard !section.isEmpty else {
      isEmpty = true
      bits = BorrowedBits(.empty)
      values = .empty
      valueCount = 0
      return
    }
    let words = BitArray.wordCount(ofBits: subjects)
    let valueStart = Self.headerBytes + words * MemoryLayout<UInt64>.size
    guard section.count >= valueStart,
      let width = NumberWidth(rawValue: Int(truncatingIfNeeded: section.load(at: 0, as: UInt64.self)))
    else { throw FunnelError.damagedIndex }
    isEmpty = false
    bits = BorrowedBits(section.column(of: UInt64.self, at: Self.headerBytes, count: words))
    values = PackedNumbers(section.dropFirst(valueStart), width: width)
    valueCount = values.count
  }

  /// Returns whether all subjects up to one were read or skipped, and none after it.
  func isAfter(_ subject: Int) -> Bool { isEmpty || self.subject == subject + 1 }

  /// Skips the next subject, which has `events` events.
  @inline(__always)
  mutating func skip(_ events: Int) {
    guard !isEmpty else { return }
    valueIndex &+= bits[subject] ? events : 1
    subject &+= 1
  }

  /// Passes the values of the next subject's events to `store`.
  ///
  /// - Throws: `inputOutput` if values are missing.
  @inline(__always)
  mutating func read(_ events: Int, _ store: (_ event: Int, _ value: UInt64) -> Void) throws(FunnelError) {
    guard !isEmpty else {
      for event in 0..<events { store(event, 0) }
      return
    }
    let count = bits[subject] ? events : 1
    guard valueIndex &+ count <= valueCount else { throw FunnelError.damagedIndex }
    if count == 1 {
      let value = values[valueIndex]
      for event in 0..<events { store(event, value) }
    } else {
      for event in 0..<events { store(event, values[valueIndex &+ event]) }
    }
    valueIndex &+= count
    subject &+= 1
  }

  /// Returns the values of the next subject's events if each takes one byte. Returns `nil`, and does not
  /// advance, if the column is empty or its values are wider.
  @inline(__always)
  mutating func readBytes(_ events: Int) throws(FunnelError) -> EventBytes? {
    guard !isEmpty, values.width == .one else { return nil }
    let differs = bits[subject]
    guard valueIndex &+ (differs ? events : 1) <= valueCount else { throw FunnelError.damagedIndex }
    let bytes = EventBytes(values: values.singleBytes(from: valueIndex), stride: differs ? 1 : 0)
    skip(events)
    return bytes
  }
}
