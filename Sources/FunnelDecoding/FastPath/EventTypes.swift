import FunnelModel

/// A hash table that assigns a number to each event type. An event type is a combination of app, flow, flow
/// version, name and step.
///
/// A log contains few types, so the flow matches of each type are determined once. Not thread-safe: each worker
/// owns one.
package final class EventTypes {
  /// Values shared by all events of a type. They contain no references, so reading them needs no reference counting.
  package struct Facts {
    /// Whether a flow version declares the event. Unused if ``isConditional``.
    var isDeclared: Bool
    /// Whether the flow matches of the event depend on its properties or context.
    var isConditional: Bool
    /// Whether a flow has a schema for its properties.
    var hasSchemas: Bool
    /// The index of its flow matches in ``FlowMatcher/flowMatchLists``. Unused if ``isConditional``.
    var matchListID: UInt32
    /// A hash of app and name, which are a part of an event's identity.
    var identity: Hash128
    /// The number of the last block with an event of this type that no flow declares. Initially -1, which is no block.
    var unclaimedBlock = -1
    /// The index of the type among the unclaimed names of that block.
    var unclaimedNumber: Int32 = -1
    /// The number of the last ``EventRecorder`` or ``EventRows`` that processed an event of this type, which
    /// sets it. Initially -1, which is no number of either.
    package var recorder = -1
    /// The number that ``recorder`` assigned to the type.
    package var recordedNumber: UInt32 = 0
  }

  /// The fields that make up a type.
  private struct Key {
    var hash: UInt64
    /// The copies of name, app, flow and step, one after another.
    var bytes: UnsafeMutableRawPointer
    var nameCount: Int32
    var appCount: Int32
    /// The length of the flow's name, or ``absent``.
    var flowCount: Int32
    /// The length of the step's name, or ``absent``.
    var stepCount: Int32
    /// The flow version, or 0 if the event has none.
    var version: Int64

    /// The length of a name that the event does not have.
    static let absent: Int32 = -1
  }

  /// The maximum number of types. Malicious input may name a new step in every event.
  static let countMax = Limits.eventTypesMax
  private static let slotCount = 2 * countMax
  /// Bytes that ``ByteWords`` may read after the copied names.
  private static let paddingBytes = 8

  private(set) var facts = UnsafeMutablePointer<Facts>.allocate(capacity: countMax)
  private let keys = UnsafeMutablePointer<Key>.allocate(capacity: countMax)
  /// The slots of the hash table: the number of a type plus one, or 0 for a free slot.
  private let slots = UnsafeMutablePointer<UInt32>.allocate(capacity: slotCount)
  private(set) var count = 0
  /// A direct-mapped cache of type numbers by ``EventFields/typeKey``. The key 0 marks a free slot.
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

  /// Returns the type number that is cached for a ``EventFields/typeKey`` other than 0, or `nil` if there is none.
  @inline(__always)
  func number(ofKey key: UInt64) -> Int? {
    let entry = keyed + Self.keyedIndex(ofKey: key)
    return entry.pointee.key == key ? entry.pointee.number : nil
  }

  /// Caches the type number of a ``EventFields/typeKey``. The key 0, of events without a key, is ignored.
  @inline(__always)
  func note(_ number: Int, ofKey key: UInt64) {
    if key != 0 { keyed[Self.keyedIndex(ofKey: key)] = (key, number) }
  }

  @inline(__always)
  private static func keyedIndex(ofKey key: UInt64) -> Int {
    // Fibonacci hashing: the highest 12 bits of the product index the 4096 slots.
    Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 52)
  }

  /// Returns the number of an event's type, or `nil` if the type is new.
  ///
  /// - Parameter hash: The event's ``hash(of:)``.
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

  /// Returns a hash of the fields that make up an event's type.
  @inline(__always)
  static func hash(of event: UnsafePointer<EventFields>) -> UInt64 {
    var hash = ByteWords.hash(event.pointee.name.baseAddress!, count: event.pointee.name.count, seed: 1)
    hash = ByteWords.hash(event.pointee.app.baseAddress!, count: event.pointee.app.count, seed: hash)
    if let flow = event.pointee.flow { hash = ByteWords.hash(flow.baseAddress!, count: flow.count, seed: hash ^ 2) }
    if let step = event.pointee.step { hash = ByteWords.hash(step.baseAddress!, count: step.count, seed: hash ^ 3) }
    return hash ^ UInt64(bitPattern: event.pointee.flowVersion ?? 0) &* 0x9E37_79B9_7F4A_7C15
  }

  /// Adds the type of an event and returns its number. The table must have room (``countMax``), and the type
  /// must be new.
  func add(_ event: UnsafePointer<EventFields>, hash: UInt64, facts new: Facts) -> Int {
    precondition(count < Self.countMax, "there are too many types of events")
    let spans = [event.pointee.name, event.pointee.app, event.pointee.flow, event.pointee.step]
    let byteCount = spans.reduce(0) { $0 + ($1?.count ?? 0) }
    let copy = UnsafeMutableRawPointer.allocate(byteCount: byteCount + Self.paddingBytes, alignment: 8)
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
        flowCount: event.pointee.flow.map { Int32($0.count) } ?? Key.absent,
        stepCount: event.pointee.step.map { Int32($0.count) } ?? Key.absent,
        version: event.pointee.flowVersion ?? 0))
    (facts + number).initialize(to: new)
    var slot = Int(truncatingIfNeeded: hash >> 40) & (Self.slotCount - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (Self.slotCount - 1) }
    slots[slot] = UInt32(number + 1)
    count += 1
    return number
  }

  /// Whether a type is that of an event.
  @inline(__always)
  private func isType(_ number: Int, of event: UnsafePointer<EventFields>) -> Bool {
    let key = keys + number
    let absent = Int(Key.absent)
    guard Int(key.pointee.nameCount) == event.pointee.name.count, Int(key.pointee.appCount) == event.pointee.app.count,
      key.pointee.version == event.pointee.flowVersion ?? 0, Int(key.pointee.flowCount) == event.pointee.flow?.count ?? absent,
      Int(key.pointee.stepCount) == event.pointee.step?.count ?? absent
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
