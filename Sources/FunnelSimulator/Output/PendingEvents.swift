/// An event on its way to the collector, written when it arrives.
struct PendingEvent {
  var event: SimulatedEvent
  /// The number of the subject within its app.
  var subject: UInt32
  var app: SimulatedApp
  /// The event's number within its subject, which determines its id and its `seq`.
  var ordinal: UInt16
  /// The damage to the line.
  var damage = Damage.none
  /// Whether `sent_at` and `received_at` are written.
  var reportsTransit: Bool
  /// The time of arrival by a correct clock, also written as `received_at`.
  var receivedMilliseconds: Int64
  /// The time in transit.
  var transitMilliseconds: Int32

  /// The kinds of damage to a line.
  enum Damage: UInt8 {
    case none
    /// The name is misspelt: the line is valid, but no flow declares the event.
    case misspelt
    // Each of the following is rejected, for one of the reasons in the specification.
    case truncated, trailingComma, duplicateKey
    case invalidUTF8
    case notAnObject
    case missingTime, missingSubject
    case invalidName, invalidVersion
    case unsupportedEnvelope
    case timeOutOfRange
    case personalKey, personalValue

    /// The kinds of damage that a pipeline must reject.
    static let rejected: [Damage] = [
      .truncated, .trailingComma, .duplicateKey, .invalidUTF8, .notAnObject, .missingTime, .missingSubject, .invalidName,
      .invalidVersion, .unsupportedEnvelope, .timeOutOfRange, .personalKey, .personalValue,
    ]
  }
}

/// The events that have not arrived yet: a binary heap of 16-byte keys over a slab of events, both bounded by the capacity.
///
/// Memory therefore does not grow with the log. If more events are in transit than fit, the earliest is written before it arrives.
/// The output is then only roughly ordered by arrival, as the log of many devices is anyway.
struct PendingEvents {
  /// Keys sort by arrival, then by insertion. The serial number wraps around after 2³² events, which only affects the order of ties.
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
  /// The largest number of events that ever waited at once.
  private(set) var peakCount = 0

  init(capacity: Int) {
    precondition(capacity > 0 && capacity <= Int(UInt32.max), "a slot's number is 32 bits")
    self.capacity = capacity
  }

  var isEmpty: Bool { keys.isEmpty }
  var isFull: Bool { keys.count == capacity }
  /// The earliest time of arrival, or `nil` if no event is waiting.
  var earliestArrival: Int64? { keys.first?.arrival }

  /// Adds an event. The queue must not be full.
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

  /// Removes and returns the event that arrives first. The queue must not be empty.
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
