import FunnelModel

/// The types of events, each under a number: a type comprises all events with the same app, flow, version, name and step.
///
/// Few types occur in a log, so the meaning of each is determined once. Not to be shared between threads.
package final class EventTypes {
  /// The facts shared by all events of a type. They hold no references, so reading them needs no reference counting.
  package struct Facts {
    /// Whether a flow version declares the event, unless that depends on its properties.
    var isClaimed: Bool
    /// Whether the meaning of the event depends on its properties.
    var isConditional: Bool
    /// Whether a flow has a schema for its properties.
    var hasSchemas: Bool
    /// The index of its claims in ``FlowResolver/meanings``, unless they depend on properties.
    var meaning: UInt32
    /// A hash of app and name, which are part of an event's identity.
    var identity: Hash128
    /// The block in which the type was last unclaimed, and its index among the unclaimed names of that block.
    var unclaimedBlock = -1
    var unclaimedNumber: Int32 = -1
    /// The recorder that met the type last, and the type's number there. A recorder may set both.
    package var recorder = -1
    package var recordedNumber: UInt32 = 0
  }

  private struct Key {
    var hash: UInt64
    /// The copies of name, app, flow and step, one after another.
    var bytes: UnsafeMutableRawPointer
    var nameCount: Int32
    var appCount: Int32
    /// -1 if the event has none.
    var flowCount: Int32
    var stepCount: Int32
    var version: Int64
  }

  /// The maximum number of types: hostile input may name a new step every time.
  static let countMax = Limits.eventTypesMax
  private static let slotCount = 2 * countMax

  private(set) var facts = UnsafeMutablePointer<Facts>.allocate(capacity: countMax)
  private let keys = UnsafeMutablePointer<Key>.allocate(capacity: countMax)
  /// The slots of a hash table: the number of a type plus one, or 0 for a free slot.
  private let slots = UnsafeMutablePointer<UInt32>.allocate(capacity: slotCount)
  private(set) var count = 0
  /// The types of events that had a ``EventFields/typeKey``, each in the slot its key is hashed to.
  private let keyed = UnsafeMutablePointer<(key: UInt64, number: Int)>.allocate(capacity: keyedCount)
  private static let keyedCount = 4096

  init() {
    slots.initialize(repeating: 0, count: Self.slotCount)
    keyed.initialize(repeating: (0, 0), count: Self.keyedCount)
  }

  deinit {
    for index in 0..<count { keys[index].bytes.deallocate() }
    facts.deallocate()
    keys.deallocate()
    slots.deallocate()
    keyed.deallocate()
  }

  /// Removes all types.
  func removeAll() {
    for index in 0..<count { keys[index].bytes.deallocate() }
    count = 0
    slots.update(repeating: 0, count: Self.slotCount)
    keyed.update(repeating: (0, 0), count: Self.keyedCount)
  }

  /// Returns the number of the type of events with a key other than 0, or nil if the key is not cached.
  @inline(__always)
  func number(ofKey key: UInt64) -> Int? {
    let place = keyed + Self.place(ofKey: key)
    return place.pointee.key == key ? place.pointee.number : nil
  }

  /// Caches the number of the type of events with a key.
  @inline(__always)
  func note(_ number: Int, ofKey key: UInt64) {
    if key != 0 { keyed[Self.place(ofKey: key)] = (key, number) }
  }

  @inline(__always)
  private static func place(ofKey key: UInt64) -> Int {
    // Fibonacci hashing: the highest 12 bits of the product index the 4096 slots.
    Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 52)
  }

  /// Returns the number of an event's type, or nil if the type is new.
  @inline(__always)
  func number(of event: UnsafePointer<EventFields>, hash: UInt64) -> Int? {
    var slot = Int(truncatingIfNeeded: hash >> 40) & (Self.slotCount - 1)
    while slots[slot] != 0 {
      let number = Int(slots[slot]) &- 1
      if keys[number].hash == hash, isType(number, of: event) { return number }
      slot = (slot &+ 1) & (Self.slotCount - 1)
    }
    return nil
  }

  /// Returns a hash of the fields that make an event's type.
  @inline(__always)
  static func hash(of event: UnsafePointer<EventFields>) -> UInt64 {
    var hash = ByteWords.hash(event.pointee.name.baseAddress!, count: event.pointee.name.count, seed: 1)
    hash = ByteWords.hash(event.pointee.app.baseAddress!, count: event.pointee.app.count, seed: hash)
    if let flow = event.pointee.flow { hash = ByteWords.hash(flow.baseAddress!, count: flow.count, seed: hash ^ 2) }
    if let step = event.pointee.step { hash = ByteWords.hash(step.baseAddress!, count: step.count, seed: hash ^ 3) }
    return hash ^ UInt64(bitPattern: event.pointee.flowVersion ?? 0) &* 0x9E37_79B9_7F4A_7C15
  }

  /// Adds a type and returns its number.
  func add(_ event: UnsafePointer<EventFields>, hash: UInt64, facts new: Facts) -> Int {
    precondition(count < Self.countMax, "there are too many types of events")
    let spans = [event.pointee.name, event.pointee.app, event.pointee.flow, event.pointee.step]
    let byteCount = spans.reduce(0) { $0 + ($1?.count ?? 0) }
    let copy = UnsafeMutableRawPointer.allocate(byteCount: byteCount + 8, alignment: 8)
    var offset = 0
    for span in spans {
      guard let span, let start = span.baseAddress else { continue }
      (copy + offset).copyMemory(from: start, byteCount: span.count)
      offset += span.count
    }
    let number = count
    (keys + number).initialize(
      to: Key(
        hash: hash, bytes: copy, nameCount: Int32(event.pointee.name.count), appCount: Int32(event.pointee.app.count),
        flowCount: event.pointee.flow.map { Int32($0.count) } ?? -1,
        stepCount: event.pointee.step.map { Int32($0.count) } ?? -1,
        version: event.pointee.flowVersion ?? 0))
    (facts + number).initialize(to: new)
    var slot = Int(truncatingIfNeeded: hash >> 40) & (Self.slotCount - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (Self.slotCount - 1) }
    slots[slot] = UInt32(number + 1)
    count += 1
    return number
  }

  @inline(__always)
  private func isType(_ number: Int, of event: UnsafePointer<EventFields>) -> Bool {
    let key = keys + number
    guard Int(key.pointee.nameCount) == event.pointee.name.count, Int(key.pointee.appCount) == event.pointee.app.count,
      key.pointee.version == event.pointee.flowVersion ?? 0, Int(key.pointee.flowCount) == event.pointee.flow?.count ?? -1,
      Int(key.pointee.stepCount) == event.pointee.step?.count ?? -1
    else { return false }
    var bytes = UnsafeRawPointer(key.pointee.bytes)
    guard ByteWords.areEqual(bytes, event.pointee.name.baseAddress!, count: event.pointee.name.count) else { return false }
    bytes += event.pointee.name.count
    guard ByteWords.areEqual(bytes, event.pointee.app.baseAddress!, count: event.pointee.app.count) else { return false }
    bytes += event.pointee.app.count
    if let flow = event.pointee.flow {
      guard ByteWords.areEqual(bytes, flow.baseAddress!, count: flow.count) else { return false }
      bytes += flow.count
    }
    guard let step = event.pointee.step else { return true }
    return ByteWords.areEqual(bytes, step.baseAddress!, count: step.count)
  }
}
