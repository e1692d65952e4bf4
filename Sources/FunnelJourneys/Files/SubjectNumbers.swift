import FunnelIngest

/// The subjects of a partition, each under a number, and how many events each has.
struct SubjectNumbers: ~Copyable {
  private var keys: UnsafeMutablePointer<Hash128>
  private(set) var eventCounts: UnsafeMutablePointer<UInt32>
  private var capacity = 64
  private(set) var count = 0
  /// The number of the subject in each slot of a hash table, plus one; 0 where it is free.
  private var slots: UnsafeMutablePointer<UInt32>
  private var slotMask = 127

  init() {
    keys = .allocate(capacity: capacity)
    eventCounts = .allocate(capacity: capacity)
    slots = .allocate(capacity: slotMask + 1)
    slots.initialize(repeating: 0, count: slotMask + 1)
  }

  deinit {
    keys.deallocate()
    eventCounts.deallocate()
    slots.deallocate()
  }

  /// The number of a subject, to whom one event more is counted.
  @inline(__always)
  mutating func count(_ subject: Hash128) -> UInt32 {
    var slot = Int(truncatingIfNeeded: subject.low) & slotMask
    while slots[slot] != 0 {
      let number = Int(slots[slot]) &- 1
      if keys[number] == subject {
        eventCounts[number] &+= 1
        return UInt32(truncatingIfNeeded: number)
      }
      slot = (slot &+ 1) & slotMask
    }
    return add(subject, slot: slot)
  }

  private mutating func add(_ subject: Hash128, slot: Int) -> UInt32 {
    precondition(count < CompactRow.subjectsMax, "more than two thousand million subjects are not counted")
    if count == capacity { grow() }
    keys[count] = subject
    eventCounts[count] = 1
    var slot = slot
    if 5 * (count + 1) > 4 * slotMask {
      growSlots()
      slot = freeSlot(of: subject)
    }
    slots[slot] = UInt32(count + 1)
    count += 1
    return UInt32(count - 1)
  }

  private func freeSlot(of subject: Hash128) -> Int {
    var slot = Int(truncatingIfNeeded: subject.low) & slotMask
    while slots[slot] != 0 { slot = (slot + 1) & slotMask }
    return slot
  }

  private mutating func grow() {
    let larger = capacity + capacity / 4
    let (newKeys, newCounts) = (
      UnsafeMutablePointer<Hash128>.allocate(capacity: larger), UnsafeMutablePointer<UInt32>.allocate(capacity: larger)
    )
    newKeys.update(from: keys, count: count)
    newCounts.update(from: eventCounts, count: count)
    keys.deallocate()
    eventCounts.deallocate()
    (keys, eventCounts, capacity) = (newKeys, newCounts, larger)
  }

  private mutating func growSlots() {
    slots.deallocate()
    slotMask = 2 * slotMask + 1
    slots = .allocate(capacity: slotMask + 1)
    slots.initialize(repeating: 0, count: slotMask + 1)
    for number in 0..<count { slots[freeSlot(of: keys[number])] = UInt32(number + 1) }
  }
}
