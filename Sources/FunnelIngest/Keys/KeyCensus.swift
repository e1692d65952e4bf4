public import FunnelModel

/// How many events have each key of `ctx` and `props`, and which values it has how often. A null is no value.
///
/// Memory is bounded: of one key at most ``Limits/countedValuesOfKeyMax`` values are counted one by one, and of all keys together as many as
/// fit into ``Limits/countedKeyBytesMax``. Those counted are the ones that come first in the log, and their counts are exact. What was left
/// out is said by ``Key/hasMoreValues`` and ``hasMoreKeys``.
public struct KeyCensus: Sendable {
  /// What was counted of one key.
  public struct Key: Sendable {
    /// `ctx.KEY` or `props.KEY`.
    public let dimension: Dimension
    /// Events that have the key, with any value.
    public fileprivate(set) var events = 0
    /// How many events have each value.
    public fileprivate(set) var values: [PropertyValue: Int] = [:]
    /// Whether there are values that were not counted one by one.
    public fileprivate(set) var hasMoreValues = false

    /// The values that most events have, most frequent first, ties by value.
    public func mostFrequent(_ count: Int) -> [(value: PropertyValue, events: Int)] {
      let sorted = values.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
      return sorted.prefix(count).map { (value: $0.key, events: $0.value) }
    }
  }

  /// What a key or a value is taken to cost beside its text: its place in a hash table that is at most half full, and its count.
  private static let entryBytes = 128

  private var counted: [Key] = []
  private var placeOfKey: [BlockKeys.Name: Int] = [:]
  private var bytes = 0
  /// Events that were looked at.
  public private(set) var events = 0
  /// Whether there are keys that were not counted.
  public private(set) var hasMoreKeys = false

  init() {}

  /// All keys: those of `ctx`, then those of `props`, by the bytes of their names.
  public var keys: [Key] {
    placeOfKey.sorted { $0.key.precedes($1.key) }.map { counted[$0.value] }
  }

  /// Adds what was counted in the next block of the log.
  mutating func add(_ block: BlockKeys) {
    events += block.events
    let places = block.keys.map { place(of: $0.name) }
    for (key, place) in zip(block.keys, places) {
      if let place { counted[place].events += key.events }
    }
    for value in block.values {
      if let place = places[value.key] { add(value, toKeyAt: place) }
    }
  }

  /// The place of a key among those counted, or nil if there is no room for it.
  private mutating func place(of name: BlockKeys.Name) -> Int? {
    if let place = placeOfKey[name] { return place }
    guard takeRoom(forText: name.key.utf8.count) else {
      hasMoreKeys = true
      return nil
    }
    placeOfKey[name] = counted.count
    counted.append(Key(dimension: name.isContext ? .context(name.key) : .property(name.key)))
    return counted.count - 1
  }

  private mutating func add(_ value: BlockKeys.Value, toKeyAt place: Int) {
    if let events = counted[place].values[value.value] {
      counted[place].values[value.value] = events + value.events
      return
    }
    let textBytes = if case .string(let text) = value.value { text.utf8.count } else { 0 }
    guard counted[place].values.count < Limits.countedValuesOfKeyMax, takeRoom(forText: textBytes) else {
      counted[place].hasMoreValues = true
      return
    }
    counted[place].values[value.value] = value.events
  }

  private mutating func takeRoom(forText count: Int) -> Bool {
    guard bytes + Self.entryBytes + count <= Limits.countedKeyBytesMax else { return false }
    bytes += Self.entryBytes + count
    return true
  }
}
