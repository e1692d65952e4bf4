package import FunnelModel

/// The number of times each value of each property was counted.
///
/// Numbers are distinguished by their JSON text: a fraction with the text of an integer is counted as the integer.
package struct PropertyCounts: Hashable, Sendable {
  /// The counts of values, by the UTF-8 bytes of the key.
  // Strings with different bytes may be equal by Unicode normalization.
  private var valuesOfKey: [[UInt8]: PropertyValueCounts] = [:]

  /// Creates counts without properties.
  package init() {}

  /// Whether nothing was counted.
  package var isEmpty: Bool { valuesOfKey.isEmpty }

  /// The keys with the counts of their values, ascending by the UTF-8 bytes of the key.
  package var sorted: [(key: String, values: PropertyValueCounts)] {
    valuesOfKey.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { (String(decoding: $0.key, as: UTF8.self), $0.value) }
  }

  /// Returns the counts of a property's values, which are empty for an unknown key.
  package subscript(key: String) -> PropertyValueCounts { valuesOfKey[Array(key.utf8)] ?? PropertyValueCounts() }

  /// Adds to the count of a property's value.
  mutating func add(_ value: PropertyValue, of key: String, _ amount: Int) {
    valuesOfKey[Array(key.utf8), default: PropertyValueCounts()].add(value, amount)
  }

  /// Adds counts of a property's values.
  mutating func merge(_ values: PropertyValueCounts, of key: String) {
    if !values.isEmpty { valuesOfKey[Array(key.utf8), default: PropertyValueCounts()].merge(values) }
  }

  /// Adds the counts of other groups.
  mutating func merge(_ other: PropertyCounts) {
    for (key, values) in other.valuesOfKey { valuesOfKey[key, default: PropertyValueCounts()].merge(values) }
  }
}

/// The number of times each value of one property was counted.
package struct PropertyValueCounts: Hashable, Sendable {
  /// The counts of integers of 64 bits.
  package private(set) var integers = IntegerCounts()
  /// The counts of fractions and of larger integers, by the bit pattern of the double.
  private var doubles = IntegerCounts()
  /// The counts of values that are not numbers.
  private var others: [PropertyValue: Int] = [:]

  /// Creates counts without values.
  package init() {}

  /// Creates the counts of integers.
  init(integers: IntegerCounts) { self.integers = integers }

  /// Whether nothing was counted.
  package var isEmpty: Bool { integers.isEmpty && doubles.isEmpty && others.isEmpty }

  /// The values that are not in ``integers``, with their counts, in unspecified order.
  package var notIntegers: [(value: PropertyValue, count: Int)] {
    var values = others.map { (value: $0.key, count: $0.value) }
    doubles.forEach { values.append((.double(Double(bitPattern: UInt64(bitPattern: $0))), $1)) }
    return values
  }

  /// The values with their counts, ascending (``ValueCounts/precedes(_:_:)``).
  package var sorted: [(value: PropertyValue, count: Int)] {
    var values = notIntegers
    integers.forEach { values.append((.integer($0), $1)) }
    return values.sorted { ValueCounts.precedes([$0.value], [$1.value]) }
  }

  /// Returns the number of times a value was counted.
  package subscript(value: PropertyValue) -> Int {
    switch PropertiesText.normalized(value) {
    case .integer(let integer): integers[integer]
    case .double(let double): doubles[Int64(bitPattern: double.bitPattern)]
    case let other: others[other] ?? 0
    }
  }

  /// Adds to the count of a value.
  mutating func add(_ value: PropertyValue, _ amount: Int) {
    switch PropertiesText.normalized(value) {
    case .integer(let integer): integers.add(integer, amount)
    case .double(let double): doubles.add(Int64(bitPattern: double.bitPattern), amount)
    case let other: others[other, default: 0] += amount
    }
  }

  /// Returns the counts after converting each value as in segments (``PropertyValue/segmentValue(isText:)``).
  package func ofSegmentValues(isText: Bool) -> PropertyValueCounts {
    var result = PropertyValueCounts()
    guard isText else {
      // Numbers do not change.
      result.integers = integers
      result.doubles = doubles
      for (value, count) in others { result.add(value.segmentValue(isText: false), count) }
      return result
    }
    for (value, count) in sorted { result.add(value.segmentValue(isText: true), count) }
    return result
  }

  /// Adds other counts.
  mutating func merge(_ other: PropertyValueCounts) {
    integers.merge(other.integers)
    doubles.merge(other.doubles)
    for (value, count) in other.others { others[value, default: 0] += count }
  }
}
