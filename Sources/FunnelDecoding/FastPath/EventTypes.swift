import FunnelModel

/// A hash table that assigns a number to each event type. An event type is a combination of app, flow, flow
/// version, name and step.
///
/// A log contains few types, so the flow matches of each type are determined once. Not thread-safe: each worker
/// owns one.
package final class EventTypes {
  /// Values shared by all events of a type. They contain no references, so reading them needs no reference counting.
  package struct Facts: BitwiseCopyable {
    /// Whether a flow version declares the event, or no flow needs to. Unused if ``isConditional``.
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
    /// The number of the last ``BlockRecorder`` or ``EventRows`` that processed an event of this type, which
    /// sets it. Initially -1, which is no number of either.
    package var recorder = -1
    /// The number that ``recorder`` assigned to the type.
    package var recordedNumber: UInt32 = 0
  }

  /// The fields that make up a type.
  struct Key {
    fileprivate var hash: UInt64
    // The names are copies in the table's memory.
    fileprivate var name: PaddedText
    fileprivate var app: PaddedText
    fileprivate var flow: PaddedText?
    fileprivate var step: PaddedText?
    fileprivate var flowVersion: Int64?
  }

  /// A type number that is cached by a ``EventFields/typeKey``. The key 0 marks a free slot.
  struct KeyedNumber {
    fileprivate var key: UInt64
    fileprivate var number: Int
  }

  /// The maximum number of types. Malicious input may name a new step in every event.
  static let countMax = Limits.eventTypesMax
  private static let slotCount = 2 * countMax

  private let tables = Arena()
  /// The memory of the names.
  private let names = Arena()
  /// The facts of each type, by its number.
  let facts: Table<Facts>
  private let keys: Table<Key>
  /// The slots of the hash table: the number of a type plus one, or 0 for a free slot.
  private let slots: Table<UInt32>
  private(set) var count = 0
  /// A direct-mapped cache of type numbers.
  private let keyed: Table<KeyedNumber>
  private static let keyedCount = 4096

  /// Creates an empty table.
  init() {
    facts = tables.table(count: Self.countMax)
    keys = tables.table(count: Self.countMax)
    slots = tables.table(repeating: 0, count: Self.slotCount)
    keyed = tables.table(repeating: KeyedNumber(key: 0, number: 0), count: Self.keyedCount)
  }

  /// Removes all types.
  func removeAll() {
    names.removeAll()
    count = 0
    slots.fill(0..<Self.slotCount, with: 0)
    keyed.fill(0..<Self.keyedCount, with: KeyedNumber(key: 0, number: 0))
  }

  /// Returns the type number that is cached for a ``EventFields/typeKey`` other than 0, or `nil` if there is none.
  @inline(__always)
  func number(ofKey key: UInt64) -> Int? {
    let entry = keyed[Self.keyedIndex(ofKey: key)]
    return entry.key == key ? entry.number : nil
  }

  /// Caches the type number of a ``EventFields/typeKey``. The key 0, of events without a key, is ignored.
  @inline(__always)
  func note(_ number: Int, ofKey key: UInt64) {
    if key != 0 { keyed[Self.keyedIndex(ofKey: key)] = KeyedNumber(key: key, number: number) }
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
  func number(of event: borrowing EventFields, hash: UInt64) -> Int? {
    var slot = Int(truncatingIfNeeded: hash >> 40) & (Self.slotCount - 1)
    while slots[slot] != 0 {
      let number = Int(slots[slot]) &- 1
      if keys[number].hash == hash, Self.isEqual(keys[number], event) { return number }
      slot = (slot &+ 1) & (Self.slotCount - 1)
    }
    return nil
  }

  /// Returns a hash of the fields that make up an event's type.
  @inline(__always)
  static func hash(of event: borrowing EventFields) -> UInt64 {
    var hash = ByteWords.hash(PaddedText(event.name), seed: 1)
    hash = ByteWords.hash(PaddedText(event.app), seed: hash)
    if let flow = event.flow { hash = ByteWords.hash(PaddedText(flow), seed: hash ^ 2) }
    if let step = event.step { hash = ByteWords.hash(PaddedText(step), seed: hash ^ 3) }
    return hash ^ UInt64(bitPattern: event.flowVersion ?? 0) &* 0x9E37_79B9_7F4A_7C15
  }

  /// Adds the type of an event and returns its number. The table must have room (``countMax``), and the type
  /// must be new.
  func add(_ event: borrowing EventFields, hash: UInt64, facts new: Facts) -> Int {
    precondition(count < Self.countMax, "there is room for another type of events")
    let number = count
    keys[number] = Key(
      hash: hash, name: copy(PaddedText(event.name)), app: copy(PaddedText(event.app)),
      flow: event.flow.map { copy(PaddedText($0)) }, step: event.step.map { copy(PaddedText($0)) },
      flowVersion: event.flowVersion)
    facts[number] = new
    var slot = Int(truncatingIfNeeded: hash >> 40) & (Self.slotCount - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (Self.slotCount - 1) }
    slots[slot] = UInt32(number + 1)
    count += 1
    return number
  }

  /// Returns a copy of a name in the table's memory.
  private func copy(_ name: PaddedText) -> PaddedText { names.copy(name).text(at: 0, count: name.count) }

  /// Whether a key is that of an event.
  @inline(__always)
  private static func isEqual(_ key: Key, _ event: borrowing EventFields) -> Bool {
    guard ByteWords.areEqual(key.name, PaddedText(event.name)), ByteWords.areEqual(key.app, PaddedText(event.app)) else {
      return false
    }
    guard key.flowVersion == event.flowVersion, areEqual(key.flow, event.flow.map(PaddedText.init)) else { return false }
    return areEqual(key.step, event.step.map(PaddedText.init))
  }

  /// Whether two optional names are equal.
  @inline(__always)
  private static func areEqual(_ a: PaddedText?, _ b: PaddedText?) -> Bool {
    guard let a, let b else { return a == nil && b == nil }
    return ByteWords.areEqual(a, b)
  }
}
