import FunnelDecoding
import FunnelIndex

/// A hash table that assigns IDs to the subjects of a partition in order of appearance, and counts the events of each.
///
/// Not thread-safe: the partition's lock protects it.
///
/// **Invariant:** at least a fifth of the buckets are free, so probing ends.
struct SubjectTable: ~Copyable {
  // Not private: in debug builds the compiler (6.3) crashes for a private type in a container that another file destroys.
  /// A subject and its event count.
  struct Subject: BitwiseCopyable {
    // Both are adjacent, so counting an event after a lookup causes no second cache miss.
    var hash: Hash128
    var eventCount: UInt32
  }

  /// The subjects, by ID.
  private var subjects = UniqueArray<Subject>(capacity: initialSubjectCapacity)
  private var buckets = HashBuckets(count: initialBucketCount)
  /// The IDs of the subjects of the last rows that were counted. During a lookup: the ID plus one, or 0.
  private let ids: UniqueArray<UInt32>
  /// A sink for the values read as prefetches; without it the compiler removes the reads.
  private var lastTouched: UInt32 = 0

  private static let initialSubjectCapacity = 64
  private static let initialBucketCount = 128

  /// Creates an empty table.
  ///
  /// - Parameter batchMax: The largest number of rows that are counted at once.
  init(batchMax: Int) {
    ids = UniqueArray(repeating: 0, count: batchMax)
  }

  /// The number of subjects.
  var count: Int { subjects.count }

  /// The number of bytes of memory in use.
  var byteCount: Int { subjects.capacity * MemoryLayout<Subject>.stride + buckets.byteCount }

  /// Returns the number of events of a subject.
  func eventCount(of subject: Int) -> UInt32 {
    precondition(subject >= 0 && subject < count, "a subject has been counted")
    return subjects[subject].eventCount
  }

  /// Returns the hash of a subject.
  func key(of subject: Int) -> Hash128 { subjects[subject].hash }

  /// Returns whether a subject has events.
  func contains(_ key: Hash128) -> Bool { buckets.find(hash: key.low) { subjects[$0].hash == key } != nil }

  /// The IDs of the subjects of the rows that were counted last, in their order.
  @inline(__always)
  var lastIDs: BorrowedColumn<UInt32> { ids.elements }

  /// Counts one event for the subject of each row of a range, adding new subjects. ``lastIDs`` then has their IDs.
  mutating func countEvents(of rows: borrowing StagedRows, _ range: Range<Int>) {
    precondition(range.count <= ids.count, "rows are counted in batches")
    let start = range.lowerBound
    // Nearly every lookup is a cache miss. All lookups start before the first result is needed, so the misses overlap.
    var touched: UInt32 = 0
    for index in range { touched ^= buckets.firstTag(hash: rows[index].subject.low) }
    for index in range {
      let likelyID = buckets.find(hash: rows[index].subject.low) { _ in true }
      ids[index &- start] = likelyID.map { UInt32(truncatingIfNeeded: $0 &+ 1) } ?? 0
      if let likelyID { touched ^= subjects[likelyID].eventCount }
    }
    lastTouched = touched
    for index in range {
      let likelyID = Int(ids[index &- start]) &- 1
      if likelyID >= 0, subjects[likelyID].hash == rows[index].subject {
        subjects[likelyID].eventCount &+= 1
        ids[index &- start] = UInt32(truncatingIfNeeded: likelyID)
      } else {
        ids[index &- start] = countEvent(of: rows[index].subject)
      }
    }
  }

  /// Counts one event for a subject, adding the subject if it is new. Returns its ID.
  private mutating func countEvent(of subject: Hash128) -> UInt32 {
    guard let id = buckets.find(hash: subject.low, { subjects[$0].hash == subject }) else { return add(subject) }
    subjects[id].eventCount &+= 1
    return UInt32(truncatingIfNeeded: id)
  }

  private mutating func add(_ subject: Hash128) -> UInt32 {
    precondition(count < CompactRow.subjectsMax, "more than 1,000,000,000 subjects can't be counted")
    if count == subjects.capacity { growSubjects() }
    // At most four fifths of the buckets are used.
    if 5 * (count + 1) > 4 * (buckets.count - 1) {
      let known = subjects.elements
      buckets.grow(entryCount: known.count) { known[$0].hash.low }
    }
    buckets.insert(id: count, hash: subject.low)
    subjects.append(Subject(hash: subject, eventCount: 1))
    return UInt32(count - 1)
  }

  /// Enlarges the memory for subjects by a quarter. Doubling it would exceed the memory that a table may use too early.
  private mutating func growSubjects() {
    var larger = UniqueArray<Subject>(capacity: count + count / 4)
    larger.append(subjects.elements)
    subjects = larger
  }
}
