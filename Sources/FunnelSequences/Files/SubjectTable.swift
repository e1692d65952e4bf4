import FunnelDecoding

/// A hash table that assigns IDs to the subjects of a partition in order of appearance, and counts the events of each.
///
/// It uses open addressing with linear probing. Not thread-safe: the partition's lock protects it.
///
/// **Invariants:** the first ``count`` of `capacity` subjects and all buckets are initialized; `bucketMask` is a power of
/// two minus one; at least a fifth of the buckets are free, so probing ends.
struct SubjectTable: ~Copyable {
  /// A subject and its event count.
  private struct Subject {
    // Both are adjacent, so counting an event after a lookup causes no second cache miss.
    var hash: Hash128
    var eventCount: UInt32
  }

  /// A bucket of the hash table.
  private struct Bucket {
    /// The upper half of the hash's low word.
    var tag: UInt32
    /// The subject's ID plus one, or 0 if the bucket is free.
    var number: UInt32
  }

  /// The subjects, by ID.
  private var subjects: UnsafeMutablePointer<Subject>
  private var capacity = 64
  /// The number of subjects.
  private(set) var count = 0
  private var buckets: UnsafeMutablePointer<Bucket>
  /// The number of buckets, a power of two, minus one.
  private var bucketMask = 127
  /// A sink for the values read as prefetches; without it the compiler removes the reads.
  private var lastTouched: UInt32 = 0

  /// The IDs of the subjects of the last rows that were counted. During a lookup: the ID plus one, or 0.
  private let ids: UnsafeMutablePointer<UInt32>
  private let batchMax: Int

  /// Creates an empty table.
  ///
  /// - Parameter batchMax: The largest number of rows that are counted at once.
  init(batchMax: Int) {
    self.batchMax = batchMax
    ids = .allocate(capacity: max(batchMax, 1))
    ids.initialize(repeating: 0, count: max(batchMax, 1))
    subjects = .allocate(capacity: capacity)
    buckets = .allocate(capacity: bucketMask + 1)
    buckets.initialize(repeating: Bucket(tag: 0, number: 0), count: bucketMask + 1)
  }

  deinit {
    subjects.deallocate()
    buckets.deallocate()
    ids.deallocate()
  }

  /// The number of bytes of memory in use.
  var byteCount: Int { capacity * MemoryLayout<Subject>.stride + (bucketMask + 1) * MemoryLayout<Bucket>.stride }

  /// Returns the number of events of a subject.
  func eventCount(of subject: Int) -> UInt32 {
    precondition(subject >= 0 && subject < count, "a subject has been counted")
    return subjects[subject].eventCount
  }

  /// The IDs of the subjects of the rows that were counted last.
  struct LastIDs {
    fileprivate let ids: UnsafeMutablePointer<UInt32>
    fileprivate let count: Int

    @inline(__always)
    subscript(index: Int) -> UInt32 {
      assert(index >= 0 && index < count, "a row was counted")
      return ids[index]
    }
  }

  /// The IDs of the subjects of the last rows, in their order.
  @inline(__always)
  var lastIDs: LastIDs { LastIDs(ids: ids, count: batchMax) }

  /// Counts one event for the subject of each row of a range, adding new subjects. ``lastIDs`` then has their IDs.
  mutating func countEvents(of rows: borrowing StagedRows, _ range: Range<Int>) {
    precondition(range.count <= batchMax, "rows are counted in batches")
    let start = range.lowerBound
    // Nearly every lookup is a cache miss. All lookups start before the first result is needed, so the misses overlap.
    var touched: UInt32 = 0
    for index in range { touched ^= buckets[Int(truncatingIfNeeded: rows[index].subject.low) & bucketMask].tag }
    for index in range {
      let number = likelyNumber(of: rows[index].subject)
      ids[index &- start] = number
      if number != 0 { touched ^= subjects[Int(number) &- 1].eventCount }
    }
    lastTouched = touched
    for index in range {
      let id = Int(ids[index &- start]) &- 1
      if id >= 0, subjects[id].hash == rows[index].subject {
        subjects[id].eventCount &+= 1
        ids[index &- start] = UInt32(truncatingIfNeeded: id)
      } else {
        ids[index &- start] = countEvent(of: rows[index].subject)
      }
    }
  }

  /// Returns the ID plus one of the first subject with the same tag, or 0 if there is none.
  @inline(__always)
  private func likelyNumber(of subject: Hash128) -> UInt32 {
    let tag = Self.tag(of: subject)
    var bucket = Int(truncatingIfNeeded: subject.low) & bucketMask
    while buckets[bucket].number != 0, buckets[bucket].tag != tag { bucket = (bucket &+ 1) & bucketMask }
    return buckets[bucket].number
  }

  /// Counts one event for a subject, adding the subject if it is new. Returns its ID.
  private mutating func countEvent(of subject: Hash128) -> UInt32 {
    let tag = Self.tag(of: subject)
    var bucket = Int(truncatingIfNeeded: subject.low) & bucketMask
    while buckets[bucket].number != 0 {
      if buckets[bucket].tag == tag {
        let number = Int(buckets[bucket].number) &- 1
        if subjects[number].hash == subject {
          subjects[number].eventCount &+= 1
          return UInt32(truncatingIfNeeded: number)
        }
      }
      bucket = (bucket &+ 1) & bucketMask
    }
    return add(subject, bucket: bucket)
  }

  @inline(__always)
  private static func tag(of subject: Hash128) -> UInt32 { UInt32(truncatingIfNeeded: subject.low >> 32) }

  private mutating func add(_ subject: Hash128, bucket: Int) -> UInt32 {
    precondition(count < CompactRow.subjectsMax, "more than 1,000,000,000 subjects can't be counted")
    if count == capacity { grow() }
    subjects[count] = Subject(hash: subject, eventCount: 1)
    var bucket = bucket
    // At most four fifths of the buckets are used.
    if 5 * (count + 1) > 4 * bucketMask {
      growBuckets()
      bucket = freeBucket(of: subject)
    }
    buckets[bucket] = Bucket(tag: Self.tag(of: subject), number: UInt32(count + 1))
    count += 1
    return UInt32(count - 1)
  }

  private func freeBucket(of subject: Hash128) -> Int {
    var bucket = Int(truncatingIfNeeded: subject.low) & bucketMask
    while buckets[bucket].number != 0 { bucket = (bucket + 1) & bucketMask }
    return bucket
  }

  private mutating func grow() {
    let larger = capacity + capacity / 4
    let moved = UnsafeMutablePointer<Subject>.allocate(capacity: larger)
    moved.moveInitialize(from: subjects, count: count)
    subjects.deallocate()
    subjects = moved
    capacity = larger
  }

  private mutating func growBuckets() {
    buckets.deallocate()
    bucketMask = 2 * bucketMask + 1
    assert(bucketMask & (bucketMask + 1) == 0, "a mask selects a bucket")
    buckets = .allocate(capacity: bucketMask + 1)
    buckets.initialize(repeating: Bucket(tag: 0, number: 0), count: bucketMask + 1)
    for number in 0..<count {
      let subject = subjects[number].hash
      buckets[freeBucket(of: subject)] = Bucket(tag: Self.tag(of: subject), number: UInt32(number + 1))
    }
  }
}
