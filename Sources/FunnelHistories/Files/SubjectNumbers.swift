import FunnelIngest

/// A hash table that numbers the subjects of a partition in order of appearance and counts the events of each.
///
/// It uses open addressing with linear probing. Not thread-safe: the partition's lock protects it.
struct SubjectNumbers: ~Copyable {
  /// A subject and its event count.
  private struct Subject {
    // Both are adjacent, so counting an event after a lookup causes no second cache miss.
    var hash: Hash128
    var eventCount: UInt32
  }

  /// A slot of the hash table.
  private struct Slot {
    /// The upper half of the hash's low word.
    var tag: UInt32
    /// The subject's number plus one, or 0 if the slot is free.
    var number: UInt32
  }

  /// The subjects, by number.
  private var subjects: UnsafeMutablePointer<Subject>
  private var capacity = 64
  /// The number of subjects.
  private(set) var count = 0
  private var slots: UnsafeMutablePointer<Slot>
  /// The number of slots, a power of two, minus one.
  private var slotMask = 127
  /// A sink for the values read as prefetches; without it the compiler removes the reads.
  private var lastTouched: UInt32 = 0

  /// Creates an empty table.
  init() {
    subjects = .allocate(capacity: capacity)
    slots = .allocate(capacity: slotMask + 1)
    slots.initialize(repeating: Slot(tag: 0, number: 0), count: slotMask + 1)
  }

  deinit {
    subjects.deallocate()
    slots.deallocate()
  }

  /// The number of bytes of memory in use.
  var byteCount: Int { capacity * MemoryLayout<Subject>.stride + (slotMask + 1) * MemoryLayout<Slot>.stride }

  /// Returns the number of events of a subject.
  func eventCount(of number: Int) -> UInt32 { subjects[number].eventCount }

  /// Writes the subject number of each row to `numbers`, adding new subjects, and counts one event for each row's subject.
  ///
  /// - Parameters:
  ///   - count: The number of rows.
  ///   - numbers: Memory for `count` numbers.
  mutating func count(_ rows: UnsafePointer<EventRow>, count: Int, numbers: UnsafeMutablePointer<UInt32>) {
    // Nearly every lookup is a cache miss. All lookups start before the first result is needed, so the misses overlap.
    var touched: UInt32 = 0
    for index in 0..<count { touched ^= slots[Int(truncatingIfNeeded: rows[index].subject.low) & slotMask].tag }
    for index in 0..<count {
      let number = likelyNumber(of: rows[index].subject)
      numbers[index] = number
      if number != 0 { touched ^= subjects[Int(number) &- 1].eventCount }
    }
    lastTouched = touched
    for index in 0..<count {
      let number = Int(numbers[index]) &- 1
      if number >= 0, subjects[number].hash == rows[index].subject {
        subjects[number].eventCount &+= 1
        numbers[index] = UInt32(truncatingIfNeeded: number)
      } else {
        numbers[index] = self.count(rows[index].subject)
      }
    }
  }

  /// Returns the number plus one of the first subject with the same tag, or 0 if there is none.
  @inline(__always)
  private func likelyNumber(of subject: Hash128) -> UInt32 {
    let tag = Self.tag(of: subject)
    var slot = Int(truncatingIfNeeded: subject.low) & slotMask
    while slots[slot].number != 0, slots[slot].tag != tag { slot = (slot &+ 1) & slotMask }
    return slots[slot].number
  }

  /// Counts one event for a subject, adding the subject if it is new. Returns its number.
  private mutating func count(_ subject: Hash128) -> UInt32 {
    let tag = Self.tag(of: subject)
    var slot = Int(truncatingIfNeeded: subject.low) & slotMask
    while slots[slot].number != 0 {
      if slots[slot].tag == tag {
        let number = Int(slots[slot].number) &- 1
        if subjects[number].hash == subject {
          subjects[number].eventCount &+= 1
          return UInt32(truncatingIfNeeded: number)
        }
      }
      slot = (slot &+ 1) & slotMask
    }
    return add(subject, slot: slot)
  }

  @inline(__always)
  private static func tag(of subject: Hash128) -> UInt32 { UInt32(truncatingIfNeeded: subject.low >> 32) }

  private mutating func add(_ subject: Hash128, slot: Int) -> UInt32 {
    precondition(count < CompactRow.subjectsMax, "more than 1,000,000,000 subjects can't be counted")
    if count == capacity { grow() }
    subjects[count] = Subject(hash: subject, eventCount: 1)
    var slot = slot
    // At most four fifths of the slots are used.
    if 5 * (count + 1) > 4 * slotMask {
      growSlots()
      slot = freeSlot(of: subject)
    }
    slots[slot] = Slot(tag: Self.tag(of: subject), number: UInt32(count + 1))
    count += 1
    return UInt32(count - 1)
  }

  private func freeSlot(of subject: Hash128) -> Int {
    var slot = Int(truncatingIfNeeded: subject.low) & slotMask
    while slots[slot].number != 0 { slot = (slot + 1) & slotMask }
    return slot
  }

  private mutating func grow() {
    let larger = capacity + capacity / 4
    let moved = UnsafeMutablePointer<Subject>.allocate(capacity: larger)
    moved.moveInitialize(from: subjects, count: count)
    subjects.deallocate()
    subjects = moved
    capacity = larger
  }

  private mutating func growSlots() {
    slots.deallocate()
    slotMask = 2 * slotMask + 1
    slots = .allocate(capacity: slotMask + 1)
    slots.initialize(repeating: Slot(tag: 0, number: 0), count: slotMask + 1)
    for number in 0..<count {
      let subject = subjects[number].hash
      slots[freeSlot(of: subject)] = Slot(tag: Self.tag(of: subject), number: UInt32(number + 1))
    }
  }
}
