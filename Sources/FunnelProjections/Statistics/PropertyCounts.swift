public import FunnelModel

/// The number of times each value of each property was counted, each property by itself.
///
/// Values are counted as JSON text has them: a fraction of which the text is that of an integer is counted as the integer.
public struct PropertyCounts: Hashable, Sendable {
  /// The counts by the UTF-8 of the keys, because strings that differ in bytes only may be equal.
  private var valuesOfKey: [[UInt8]: PropertyValueCounts] = [:]

  public init() {}

  /// Whether nothing was counted.
  public var isEmpty: Bool { valuesOfKey.isEmpty }

  /// The keys with the counts of their values, in the order of the keys' bytes.
  public var sorted: [(key: String, values: PropertyValueCounts)] {
    valuesOfKey.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { (String(decoding: $0.key, as: UTF8.self), $0.value) }
  }

  /// Returns the counts of a property's values.
  public subscript(key: String) -> PropertyValueCounts { valuesOfKey[Array(key.utf8)] ?? PropertyValueCounts() }

  mutating func add(_ value: PropertyValue, of key: String, _ amount: Int) {
    valuesOfKey[Array(key.utf8), default: PropertyValueCounts()].add(value, amount)
  }

  mutating func merge(_ values: PropertyValueCounts, of key: String) {
    if !values.isEmpty { valuesOfKey[Array(key.utf8), default: PropertyValueCounts()].merge(values) }
  }

  mutating func merge(_ other: PropertyCounts) {
    for (key, values) in other.valuesOfKey { valuesOfKey[key, default: PropertyValueCounts()].merge(values) }
  }
}

/// The number of times each value of one property was counted.
public struct PropertyValueCounts: Hashable, Sendable {
  public private(set) var integers = IntegerCounts()
  /// The counts of fractions, and of integers beyond 64 bits, by the bits of the double.
  private var doubles = IntegerCounts()
  private var others: [PropertyValue: Int] = [:]

  public init() {}

  init(integers: IntegerCounts) { self.integers = integers }

  public var isEmpty: Bool { integers.isEmpty && doubles.isEmpty && others.isEmpty }

  /// The values that are not integers, with their counts, in no particular order.
  public var notIntegers: [(value: PropertyValue, count: Int)] {
    var values = others.map { (value: $0.key, count: $0.value) }
    doubles.forEach { values.append((.double(Double(bitPattern: UInt64(bitPattern: $0))), $1)) }
    return values
  }

  /// The values with their counts, in the order of the values (``ValueCounts/precedes(_:_:)``).
  public var sorted: [(value: PropertyValue, count: Int)] {
    var values = notIntegers
    integers.forEach { values.append((.integer($0), $1)) }
    return values.sorted { ValueCounts.precedes([$0.value], [$1.value]) }
  }

  /// Returns the number of times a value was counted.
  public subscript(value: PropertyValue) -> Int {
    switch PropertiesText.normalized(value) {
    case .integer(let integer): integers[integer]
    case .double(let double): doubles[Int64(bitPattern: double.bitPattern)]
    case let other: others[other] ?? 0
    }
  }

  mutating func add(_ value: PropertyValue, _ amount: Int) {
    switch PropertiesText.normalized(value) {
    case .integer(let integer): integers.add(integer, amount)
    case .double(let double): doubles.add(Int64(bitPattern: double.bitPattern), amount)
    case let other: others[other, default: 0] += amount
    }
  }

  /// Returns the counts of the values as segments have them (``PropertyValue/segmentValue(isText:)``).
  public func ofSegmentValues(isText: Bool) -> PropertyValueCounts {
    var result = PropertyValueCounts()
    guard isText else {
      (result.integers, result.doubles) = (integers, doubles)
      for (value, count) in others { result.add(value.segmentValue(isText: false), count) }
      return result
    }
    for (value, count) in sorted { result.add(value.segmentValue(isText: true), count) }
    return result
  }

  mutating func merge(_ other: PropertyValueCounts) {
    integers.merge(other.integers)
    doubles.merge(other.doubles)
    for (value, count) in other.others { others[value, default: 0] += count }
  }
}
