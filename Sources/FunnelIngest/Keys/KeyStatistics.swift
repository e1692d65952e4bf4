public import FunnelModel

/// The number of events that have each key of `ctx` and `props`, and the number that have each of its values. A null is no value.
///
/// Memory is bounded: at most ``Limits/countedValuesOfKeyMax`` values of one key are counted separately, and of all keys together as many
/// as fit into ``Limits/countedKeyBytesMax``. Counted are those that come first in the log, and their counts are exact.
/// ``Key/hasMoreValues`` and ``hasMoreKeys`` tell whether something was left out.
public struct KeyStatistics: Sendable {
  /// The counts of one key.
  public struct Key: Sendable {
    /// `ctx.KEY` or `props.KEY`.
    public let dimension: Dimension
    /// The number of events that have the key, with any value.
    public fileprivate(set) var events = 0
    /// The number of events that have each value, as segments have them (``PropertyValue/segmentValue(isText:)``). The keys that only a flow's
    /// definition marks as versions are not known here.
    public fileprivate(set) var values: [PropertyValue: Int] = [:]
    /// Whether there are values that were not counted separately.
    public fileprivate(set) var hasMoreValues = false

    /// Returns the values that most events have, most frequent first, ties by value.
    public func mostFrequent(_ count: Int) -> [(value: PropertyValue, events: Int)] {
      let sorted = values.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
      return sorted.prefix(count).map { (value: $0.key, events: $0.value) }
    }
  }

  /// The assumed cost of a key or a value besides its text, in bytes: its slot in a hash table that is at most half full, and its count.
  private static let entryBytes = 128

  private var counted: [Key] = []
  private var placeOfKey: [BlockKeys.Name: Int] = [:]
  private var bytes = 0
  /// The number of events that were counted.
  public private(set) var events = 0
  /// Whether there are keys that were not counted.
  public private(set) var hasMoreKeys = false

  init() {}

  /// All keys: those of `ctx`, then those of `props`, by the bytes of their names.
  public var keys: [Key] {
    placeOfKey.sorted { $0.key.precedes($1.key) }.map { counted[$0.value] }
  }

  /// Adds the counts of the next block of the log.
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

  /// Returns the index of a key in `counted`, or nil if there is no room for it.
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
    let key = value.value.segmentValue(isText: counted[place].dimension.isVersion)
    if let events = counted[place].values[key] {
      counted[place].values[key] = events + value.events
      return
    }
    let textBytes = if case .string(let text) = key { text.utf8.count } else { 0 }
    guard counted[place].values.count < Limits.countedValuesOfKeyMax, takeRoom(forText: textBytes) else {
      counted[place].hasMoreValues = true
      return
    }
    counted[place].values[key] = value.events
  }

  private mutating func takeRoom(forText count: Int) -> Bool {
    guard bytes + Self.entryBytes + count <= Limits.countedKeyBytesMax else { return false }
    bytes += Self.entryBytes + count
    return true
  }
}
