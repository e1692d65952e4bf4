package import FunnelModel

/// The number of events that have each key of `ctx` and `props`, and each value of the key. Nulls are not counted.
///
/// Memory is bounded: at most ``Limits/countedValuesOfKeyMax`` values of one key are counted, and at most
/// ``Limits/countedKeyBytesMax`` bytes of keys and values. The first ones in the log are counted, and their counts are
/// exact. ``Key/hasMoreValues`` and ``hasMoreKeys`` indicate that others were left out.
package struct KeyStatistics: Sendable {
  /// The counts of one key.
  package struct Key: Sendable {
    /// `ctx.KEY` or `props.KEY`.
    package let dimension: Dimension
    /// The number of events that have the key, with any value.
    package fileprivate(set) var events = 0
    /// The number of events that have each value, in the form of segments (``PropertyValue/segmentValue(isText:)``).
    /// Keys that only the definition of a flow marks as versions are not treated as versions.
    package fileprivate(set) var values: [PropertyValue: Int] = [:]
    /// Whether there are further values, which were not counted.
    package fileprivate(set) var hasMoreValues = false

    /// Returns the most frequent values in descending order, ties by value.
    package func mostFrequent(_ count: Int) -> [(value: PropertyValue, events: Int)] {
      let sorted = values.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
      return sorted.prefix(count).map { (value: $0.key, events: $0.value) }
    }
  }

  /// The estimated memory of a key or a value besides its text, in bytes: a count, and a slot in a hash table that is at most
  /// half full.
  private static let entryBytes = 128

  /// The counted keys in the order in which they first occur.
  private var counted: [Key] = []
  /// The index of each name in ``counted``.
  private var indexOfKey: [BlockKeys.Name: Int] = [:]
  /// The estimated memory of all keys and values, in bytes.
  private var bytes = 0
  /// The number of events that were counted.
  package private(set) var events = 0
  /// Whether there are further keys, which were not counted.
  package private(set) var hasMoreKeys = false

  package init() {}

  /// The counted keys: first those of `ctx`, then those of `props`, each sorted by their bytes.
  package var keys: [Key] {
    indexOfKey.sorted { $0.key.precedes($1.key) }.map { counted[$0.value] }
  }

  /// Adds the counts of the next block of the log.
  package mutating func add(_ block: BlockKeys) {
    events += block.events
    let indices = block.keys.map { index(of: $0.name) }
    for (key, index) in zip(block.keys, indices) {
      if let index { counted[index].events += key.events }
    }
    for value in block.values {
      if let index = indices[value.key] { add(value, toKeyAt: index) }
    }
  }

  /// Returns the index of a key in ``counted``, adding the key if it is new, or `nil` if there is no room for it.
  private mutating func index(of name: BlockKeys.Name) -> Int? {
    if let index = indexOfKey[name] { return index }
    guard reserveRoom(forText: name.key.utf8.count) else {
      hasMoreKeys = true
      return nil
    }
    indexOfKey[name] = counted.count
    counted.append(Key(dimension: name.isContext ? .context(name.key) : .property(name.key)))
    return counted.count - 1
  }

  /// Adds the count of a value to a key, unless there is no room for the value.
  private mutating func add(_ value: BlockKeys.Value, toKeyAt index: Int) {
    let key = value.value.segmentValue(isText: counted[index].dimension.isVersion)
    if let events = counted[index].values[key] {
      counted[index].values[key] = events + value.events
      return
    }
    let textBytes = if case .string(let text) = key { text.utf8.count } else { 0 }
    guard counted[index].values.count < Limits.countedValuesOfKeyMax, reserveRoom(forText: textBytes) else {
      counted[index].hasMoreValues = true
      return
    }
    counted[index].values[key] = value.events
  }

  /// Reserves the memory of a key or a value. Returns `false` if the limit is reached.
  private mutating func reserveRoom(forText count: Int) -> Bool {
    guard bytes + Self.entryBytes + count <= Limits.countedKeyBytesMax else { return false }
    bytes += Self.entryBytes + count
    return true
  }
}
