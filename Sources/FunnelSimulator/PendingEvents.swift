/// Events waiting for their arrival: a binary heap of 16-byte keys over a slab of events, both of a fixed size.
///
/// Memory therefore never grows with the log. Where more events are under way at once than fit, the earliest is written before its time
/// has come: the output is then ordered by arrival only roughly, which a log of many devices is anyway.
struct PendingEvents {
  /// Sorted by arrival, then by the order of insertion (which wraps around after 2³² events: that shifts ties, no more).
  private struct Key {
    var arrival: Int64
    var serial: UInt32
    var slot: UInt32

    @inline(__always)
    static func < (lhs: Key, rhs: Key) -> Bool {
      lhs.arrival != rhs.arrival ? lhs.arrival < rhs.arrival : lhs.serial < rhs.serial
    }
  }

  private let capacity: Int
  private var keys: [Key] = []
  private var slab: [PendingEvent] = []
  private var freeSlots: [UInt32] = []
  private var nextSerial: UInt32 = 0
  /// The most events that ever waited at once.
  private(set) var peakCount = 0

  init(capacity: Int) {
    precondition(capacity > 0 && capacity <= Int(UInt32.max), "a slot's number is 32 bits")
    self.capacity = capacity
  }

  var isEmpty: Bool { keys.isEmpty }
  var isFull: Bool { keys.count == capacity }
  /// When the first of them arrives.
  var earliestArrival: Int64? { keys.first?.arrival }

  /// Adds an event; there must be room.
  mutating func insert(_ event: PendingEvent) {
    precondition(!isFull, "the earliest event has to leave first")
    let slot: UInt32
    if let free = freeSlots.popLast() {
      slot = free
      slab[Int(slot)] = event
    } else {
      slot = UInt32(slab.count)
      slab.append(event)
    }
    keys.append(Key(arrival: event.receivedMilliseconds, serial: nextSerial, slot: slot))
    nextSerial &+= 1
    siftUp(keys.count - 1)
    peakCount = max(peakCount, keys.count)
  }

  /// Takes out the event that arrives first; there must be one.
  mutating func removeFirst() -> PendingEvent {
    let first = keys[0]
    let last = keys.removeLast()
    if !keys.isEmpty { siftDown(last) }
    freeSlots.append(first.slot)
    return slab[Int(first.slot)]
  }

  private mutating func siftUp(_ start: Int) {
    var index = start
    let key = keys[index]
    while index > 0 {
      let parent = (index - 1) / 2
      guard key < keys[parent] else { break }
      keys[index] = keys[parent]
      index = parent
    }
    keys[index] = key
  }

  private mutating func siftDown(_ key: Key) {
    var index = 0
    while true {
      var child = 2 * index + 1
      guard child < keys.count else { break }
      if child + 1 < keys.count, keys[child + 1] < keys[child] { child += 1 }
      guard keys[child] < key else { break }
      keys[index] = keys[child]
      index = child
    }
    keys[index] = key
  }
}
