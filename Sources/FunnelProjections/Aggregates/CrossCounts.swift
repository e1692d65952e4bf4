package import FunnelModel

/// The keys whose values are counted together by ``CrossCounts``, and the bounds of the counts.
package struct CrossShape: Hashable, Sendable {
  /// The keys without duplicates (``Dimension/isDriverKey``).
  let keys: [Dimension]
  /// Whether the values of each key are compared as text.
  let areTexts: [Bool]
  /// The maximum number of values of a key. A key with more values is not counted.
  let valuesMax: Int
  /// Whether pairs of values are counted, in addition to single values.
  let countsPairs: Bool

  /// Creates a shape.
  package init(keys: [Dimension], flow: FlowDefinition, valuesMax: Int, countsPairs: Bool) {
    precondition(valuesMax < Int(UInt16.max), "the index of a value fits into 16 bits")
    self.keys = keys
    areTexts = keys.map { flow.isText($0) }
    self.valuesMax = valuesMax
    self.countsPairs = countsPairs
  }
}

/// A number of groups, and the number of those that succeeded.
package struct SuccessCount: Hashable, Sendable {
  /// The number of groups in the lower 32 bits, that of successes in the upper ones.
  // A group is added by one addition, which matters for hundreds of pairs of keys.
  fileprivate(set) var packed: UInt64

  init(packed: UInt64) { self.packed = packed }

  /// Creates a count, of at most `UInt32.max` groups.
  init(groups: Int, successes: Int) {
    precondition(0 <= successes && successes <= groups && groups <= Int(UInt32.max), "a success is one of the groups")
    packed = UInt64(successes) << 32 | UInt64(groups)
  }

  /// The count of one group.
  static func one(isSuccess: Bool) -> SuccessCount { SuccessCount(packed: isSuccess ? 1 << 32 | 1 : 1) }

  package var groups: Int { Int(packed & UInt64(UInt32.max)) }
  package var successes: Int { Int(packed >> 32) }
}

/// The number of groups, and of successes, for each value of some keys and for each pair of values of two keys.
///
/// The counts are tables by index of the value. Their size is bounded by the number of keys and of values. Counts of
/// disjoint groups merge associatively and commutatively: a key with more than ``CrossShape/valuesMax`` values has no
/// counts, in whatever order they come.
package struct CrossCounts: Sendable {
  let shape: CrossShape
  /// The values of each key.
  private var columns: [Column]
  /// The counts of pairs, by ``pairIndex(_:_:)``. A table has a row for each index of the first key.
  private var tables: [[UInt64]]

  /// The values of a key with their counts, by index. Index 0 is the absent value.
  private struct Column {
    var values: [PropertyValue] = [.null]
    var indices: [PropertyValue: Int] = [.null: 0]
    var counts: [UInt64] = [0]
    /// Whether the key has values and counts.
    var isCounted: Bool { !hasTooManyValues && values.count > 1 }
    /// The number of indices for which the tables have room, a power of two.
    var capacity = CrossCounts.capacityMin
    var hasTooManyValues = false
  }

  /// The index of the absent value.
  static let absent = 0
  private static let capacityMin = 4

  /// Creates the counts of no groups.
  init(_ shape: CrossShape) {
    self.shape = shape
    columns = Array(repeating: Column(), count: shape.keys.count)
    let pairCount = shape.countsPairs ? shape.keys.count * (shape.keys.count - 1) / 2 : 0
    tables = Array(repeating: [], count: max(0, pairCount))
  }

  /// Returns the index of a pair of keys, of which the first has the lower index.
  private func pairIndex(_ a: Int, _ b: Int) -> Int {
    assert(a < b && b < columns.count, "a pair has two keys in order")
    return a * (2 * columns.count - a - 1) / 2 + (b - a - 1)
  }

  /// Calls `body` with the index of each pair of keys that have values, and with both keys.
  private func forEachPair(_ body: (_ pair: Int, _ a: Int, _ b: Int) -> Void) {
    guard shape.countsPairs else { return }
    var pair = 0
    for a in columns.indices {
      for b in columns.indices.dropFirst(a + 1) {
        if columns[a].isCounted, columns[b].isCounted { body(pair, a, b) }
        pair += 1
      }
    }
  }
}

// MARK: - Counting

extension CrossCounts {
  /// Returns the index of a key's value, adding the value if it is new. Values of a key with too many values have the
  /// index of the absent value.
  mutating func findOrInsert(_ value: PropertyValue, ofKey key: Int) -> Int {
    if let index = columns[key].indices[value] { return index }
    guard !columns[key].hasTooManyValues else { return Self.absent }
    guard columns[key].values.count <= shape.valuesMax else {
      removeCounts(ofKey: key)
      return Self.absent
    }
    let index = columns[key].values.count
    columns[key].values.append(value)
    columns[key].indices[value] = index
    columns[key].counts.append(0)
    if index == columns[key].capacity { doubleCapacity(ofKey: key) }
    return index
  }

  /// Removes the counts of a key that has too many values.
  private mutating func removeCounts(ofKey key: Int) {
    columns[key] = Column()
    columns[key].hasTooManyValues = true
    guard shape.countsPairs else { return }
    for other in columns.indices where other != key { tables[pairIndex(min(key, other), max(key, other))] = [] }
  }

  /// Makes room for more values of a key in all its tables.
  private mutating func doubleCapacity(ofKey key: Int) {
    let old = columns[key].capacity
    columns[key].capacity = 2 * old
    guard shape.countsPairs else { return }
    for other in columns.indices where other != key {
      let (a, b) = (min(key, other), max(key, other))
      let pair = pairIndex(a, b)
      guard !tables[pair].isEmpty else { continue }
      if key == a {
        // The rows of the new values follow those of the others.
        tables[pair] += repeatElement(0, count: tables[pair].count)
      } else {
        let table = tables[pair]
        var wider = [UInt64](repeating: 0, count: 2 * table.count)
        for row in 0..<columns[a].capacity {
          for column in 0..<old { wider[row * 2 * old + column] = table[row * old + column] }
        }
        tables[pair] = wider
      }
    }
  }

  /// Adds groups.
  ///
  /// - Parameters:
  ///   - indices: The indices of the values of each group: those of all groups for the first key, then for the next one,
  ///     and so on.
  ///   - groupsMax: The number of indices for a key.
  ///   - groups: The count of each group, at most `groupsMax`.
  // The groups are counted pair by pair, so that the table of a pair stays in the cache.
  mutating func add(_ indices: [UInt16], groupsMax: Int, groups: [SuccessCount]) {
    for key in columns.indices where !columns[key].hasTooManyValues {
      var counts: [UInt64] = []
      swap(&counts, &columns[key].counts)
      let first = key * groupsMax
      for group in groups.indices { counts[Int(indices[first &+ group])] &+= groups[group].packed }
      swap(&counts, &columns[key].counts)
    }
    var tables: [[UInt64]] = []
    swap(&tables, &self.tables)
    forEachPair { pair, a, b in
      if tables[pair].isEmpty { tables[pair] = Array(repeating: 0, count: columns[a].capacity * columns[b].capacity) }
      let firstOfA = a * groupsMax
      let firstOfB = b * groupsMax
      let width = columns[b].capacity
      var cells = tables[pair].mutableSpan
      for group in groups.indices {
        let cell = Int(indices[firstOfA &+ group]) &* width &+ Int(indices[firstOfB &+ group])
        cells[cell] &+= groups[group].packed
      }
    }
    swap(&tables, &self.tables)
  }

  /// Adds the counts of other groups, which must have the same shape.
  mutating func merge(_ other: CrossCounts) {
    precondition(shape == other.shape, "counts of different keys don't add up")
    let indices = columns.indices.map { key -> [Int] in
      if other.columns[key].hasTooManyValues, !columns[key].hasTooManyValues { removeCounts(ofKey: key) }
      return other.columns[key].values.map { findOrInsert($0, ofKey: key) }
    }
    for key in columns.indices where !columns[key].hasTooManyValues {
      for (index, own) in indices[key].enumerated() { columns[key].counts[own] &+= other.columns[key].counts[index] }
    }
    var tables: [[UInt64]] = []
    swap(&tables, &self.tables)
    forEachPair { pair, a, b in
      let more = other.tables[pair]
      guard !more.isEmpty else { return }
      if tables[pair].isEmpty { tables[pair] = Array(repeating: 0, count: columns[a].capacity * columns[b].capacity) }
      for (indexA, ownA) in indices[a].enumerated() {
        for (indexB, ownB) in indices[b].enumerated() {
          tables[pair][ownA * columns[b].capacity + ownB] &+= more[indexA * other.columns[b].capacity + indexB]
        }
      }
    }
    swap(&tables, &self.tables)
  }
}

// MARK: - Reading

extension CrossCounts {
  /// A value of a key, with its index.
  package struct Value: Sendable {
    package let value: PropertyValue
    package let count: SuccessCount
    fileprivate let index: Int
  }

  /// The keys, as stored dimensions.
  package var keys: [Dimension] { shape.keys }

  /// The maximum number of values of a key.
  package var valuesMax: Int { shape.valuesMax }

  /// Returns the values of a key, ascending, without the absent value; or `nil` for a key with too many values.
  package func values(ofKey key: Int) -> [Value]? {
    let column = columns[key]
    guard !column.hasTooManyValues else { return nil }
    return column.values.indices.dropFirst()
      .map { Value(value: column.values[$0], count: SuccessCount(packed: column.counts[$0]), index: $0) }
      .filter { $0.count.groups > 0 }
      .sorted { $0.value < $1.value }
  }

  /// Returns the count of the groups that have a value of one key and a value of another one. Requires that pairs
  /// are counted.
  package func count(_ valueA: Value, ofKey a: Int, with valueB: Value, ofKey b: Int) -> SuccessCount {
    precondition(shape.countsPairs && a < b, "a pair that is counted has two keys in order")
    let table = tables[pairIndex(a, b)]
    guard !table.isEmpty else { return SuccessCount(packed: 0) }
    return SuccessCount(packed: table[valueA.index * columns[b].capacity + valueB.index])
  }
}

// MARK: - States

extension CrossCounts {
  /// Writes the counts (``StateFormat``).
  func write(to writer: inout StateWriter) {
    let values = columns.indices.map { self.values(ofKey: $0) }
    for values in values {
      writer.append(byte: values == nil ? 1 : 0)
      writer.append(number: values?.count ?? 0)
      for value in values ?? [] {
        writer.append(value.value)
        writer.append(number: value.count.groups)
        writer.append(number: value.count.successes)
      }
    }
    forEachPair { _, a, b in
      for valueA in values[a] ?? [] {
        for valueB in values[b] ?? [] {
          let count = count(valueA, ofKey: a, with: valueB, ofKey: b)
          writer.append(number: count.groups)
          if count.groups > 0 { writer.append(number: count.successes) }
        }
      }
    }
  }

  /// Reads the counts of a state.
  ///
  /// - Throws: ``StateDamage`` if the bytes are not such counts.
  init(_ shape: CrossShape, from reader: inout StateReader) throws(StateDamage) {
    self.init(shape)
    for key in columns.indices {
      switch try reader.byte() {
      case 0: break
      case 1: removeCounts(ofKey: key)
      default: throw reader.damage("not a flag of a key")
      }
      let count = try reader.count(bytesMin: 3)
      guard count <= (columns[key].hasTooManyValues ? 0 : shape.valuesMax) else {
        throw reader.damage("a key has too many values")
      }
      for _ in 0..<count {
        let value = try reader.value()
        guard columns[key].indices[value] == nil else { throw reader.damage("a value of a key is repeated") }
        let index = findOrInsert(value, ofKey: key)
        columns[key].counts[index] = try Self.successCount(from: &reader).packed
      }
    }
    for a in columns.indices where shape.countsPairs && columns[a].isCounted {
      for b in columns.indices.dropFirst(a + 1) where columns[b].isCounted {
        var table = [UInt64](repeating: 0, count: columns[a].capacity * columns[b].capacity)
        for indexA in columns[a].values.indices.dropFirst() {
          for indexB in columns[b].values.indices.dropFirst() {
            let count = try Self.successCount(from: &reader)
            guard count.groups <= SuccessCount(packed: columns[a].counts[indexA]).groups else {
              throw reader.damage("a pair has more groups than one of its values")
            }
            table[indexA * columns[b].capacity + indexB] = count.packed
          }
        }
        tables[pairIndex(a, b)] = table
      }
    }
  }

  private static func successCount(from reader: inout StateReader) throws(StateDamage) -> SuccessCount {
    let groups = try reader.quantity()
    guard groups > 0 else { return SuccessCount(packed: 0) }
    let successes = try reader.quantity()
    // Two sums stay below the maximum of 32 bits.
    guard groups <= Int(UInt32.max) / 2, successes <= groups else { throw reader.damage("not a count of groups") }
    return SuccessCount(groups: groups, successes: successes)
  }
}
