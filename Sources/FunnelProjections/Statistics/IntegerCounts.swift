/// A multiset of integers: the number of times each integer was counted.
///
/// It is a hash table with linear probing. If there are many distinct integers, the small ones are counted in an
/// array, which is faster. Counting an integer that was counted before does not allocate.
package struct IntegerCounts: Sendable {
  private struct Entry: BitwiseCopyable {
    var integer: Int64 = 0
    /// The count, or 0 if the slot is free.
    var count = 0
  }

  private var slots: [Entry] = []
  /// The number of slots in use, at most half of them.
  private var slotsUsed = 0
  /// The count of each integer below ``smallCount``, which then has no slot; empty if there are few distinct integers.
  private var small: [Int] = []

  /// The odd multiplier of the hash.
  // It is random, so a log can't be crafted whose numbers all have the same slot.
  private static let multiplier = UInt64.random(in: .min ... .max) | 1
  private static let slotsMin = 16
  /// The number of used slots above which small integers are counted in the array.
  // The array then takes four times the memory of the slots.
  private static let slotsOfFew = 4096
  private static let smallCount = 1 << 16

  /// Creates counts without integers.
  package init() {}

  /// Whether no integer was counted.
  package var isEmpty: Bool { slotsUsed == 0 && small.isEmpty }

  /// Whether there are many distinct integers.
  var areMany: Bool { slotsUsed > Self.slotsOfFew || !small.isEmpty }

  /// Adds to the count of an integer. The amount must be positive.
  @inline(__always)
  mutating func add(_ integer: Int64, _ amount: Int = 1) {
    precondition(amount > 0, "an amount of 0 would mean a free slot")
    if UInt64(bitPattern: integer) < UInt64(small.count) {
      small[Int(integer)] += amount
    } else {
      addOther(integer, amount)
    }
  }

  /// Adds to the count of an integer that the array does not include.
  @inline(never)
  private mutating func addOther(_ integer: Int64, _ amount: Int) {
    insert(integer, amount)
    if slotsUsed > Self.slotsOfFew, small.isEmpty { separateSmall() }
  }

  /// Adds to the count of an integer in its slot, using a free slot if the integer is new.
  private mutating func insert(_ integer: Int64, _ amount: Int) {
    // At most half of the slots are used.
    if (slotsUsed + 1) * 2 > slots.count { resize(to: max(slots.count * 2, Self.slotsMin)) }
    var index = firstSlot(of: integer)
    while slots[index].count != 0, slots[index].integer != integer { index = (index + 1) & (slots.count - 1) }
    if slots[index].count == 0 { slotsUsed += 1 }
    slots[index] = Entry(integer: integer, count: slots[index].count + amount)
  }

  /// Moves all slots to a table of `slotCount` slots, a power of two.
  private mutating func resize(to slotCount: Int) {
    let old = slots
    slots = Array(repeating: Entry(), count: slotCount)
    slotsUsed = 0
    for slot in old where slot.count != 0 { insert(slot.integer, slot.count) }
  }

  /// Moves the counts of small integers to the array.
  private mutating func separateSmall() {
    let old = slots
    small = Array(repeating: 0, count: Self.smallCount)
    slots = []
    slotsUsed = 0
    for slot in old where slot.count != 0 { add(slot.integer, slot.count) }
  }

  /// Returns the slot at which the search for an integer starts.
  private func firstSlot(of integer: Int64) -> Int {
    let hash = UInt64(bitPattern: integer) &* Self.multiplier
    // The number of slots is a power of two, and the highest bits of a product depend on all bits of its factors.
    return Int(hash >> UInt64(slots.count.leadingZeroBitCount + 1))
  }

  /// Adds the counts of another table.
  mutating func merge(_ other: IntegerCounts) {
    if isEmpty {
      self = other
      return
    }
    if small.isEmpty, !other.small.isEmpty { separateSmall() }
    // The integers are in hash order. In a table of fewer slots, they would collide in the first slots.
    if slots.count < other.slots.count { resize(to: other.slots.count) }
    other.forEach { add($0, $1) }
  }
}

extension IntegerCounts {
  /// Returns the number of times an integer was counted.
  package subscript(integer: Int64) -> Int {
    if UInt64(bitPattern: integer) < UInt64(small.count) { return small[Int(integer)] }
    guard slotsUsed > 0 else { return 0 }
    var index = firstSlot(of: integer)
    while slots[index].count != 0, slots[index].integer != integer { index = (index + 1) & (slots.count - 1) }
    return slots[index].count
  }

  /// Calls `body` with each integer and its count, in unspecified order.
  package func forEach(_ body: (_ integer: Int64, _ count: Int) -> Void) {
    for (integer, count) in small.enumerated() where count != 0 { body(Int64(integer), count) }
    for slot in slots where slot.count != 0 { body(slot.integer, slot.count) }
  }
}

extension IntegerCounts: Hashable {
  package static func == (a: IntegerCounts, b: IntegerCounts) -> Bool { a.contains(b) && b.contains(a) }

  /// Returns whether all integers of another table have the same count in this one.
  private func contains(_ other: IntegerCounts) -> Bool {
    var isContained = true
    other.forEach { isContained = isContained && self[$0] == $1 }
    return isContained
  }

  package func hash(into hasher: inout Hasher) {
    // The order of the slots depends on the order of counting, so only the sum of counts is hashed.
    var sum = 0
    forEach { sum &+= $1 }
    hasher.combine(sum)
  }
}
