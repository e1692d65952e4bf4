package import FunnelModel

/// A table of the distinct combinations of dimension values that occur in a query, one row each.
///
/// Only stored dimensions (`ctx.*`, `props.*`) have a column; `day`, `week` and `month` are computed from the
/// time of an event.
// A row is stored as the numbers of its values. A report of many keys has a row for nearly every group, and arrays
// of values would take ten times the memory.
package struct SegmentTable: Sendable {
  /// The stored dimensions, in the order of the columns.
  package let dimensions: [Dimension]
  /// The values of each column, by value number.
  private var values: [[PropertyValue]]
  /// The value number of each value, by column.
  private var numberOfValue: [[PropertyValue: UInt32]]
  /// The value numbers of all rows, those of a row adjacent.
  private var cells: [UInt32] = []
  /// The number of each row, by its value numbers.
  private var numberOfRow: [RowHash: UInt32] = [:]
  /// The number of rows.
  package private(set) var count = 0

  /// A hash of value numbers that distinguishes all rows of a table, except with negligible probability.
  private struct RowHash: Hashable {
    var low: UInt64 = 0x9E37_79B9_7F4A_7C15
    var high: UInt64 = 0xC2B2_AE3D_27D4_EB4F

    mutating func combine(_ number: UInt32) {
      low = Self.mixed(low ^ UInt64(number))
      high = Self.mixed(high &+ UInt64(number) &* 0xD6E8_FEB8_6659_FD93)
    }

    /// The finalizer of SplitMix64: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number
    /// generators", OOPSLA 2014.
    private static func mixed(_ word: UInt64) -> UInt64 {
      var word = word &+ 0x9E37_79B9_7F4A_7C15
      word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
      return word ^ (word >> 31)
    }
  }

  /// Creates an empty table with a column for each stored dimension among `dimensions`.
  package init(dimensions: [Dimension] = []) {
    var stored: [Dimension] = []
    for dimension in dimensions.compactMap(\.stored) where !stored.contains(dimension) { stored.append(dimension) }
    self.dimensions = stored
    values = Array(repeating: [], count: stored.count)
    numberOfValue = Array(repeating: [:], count: stored.count)
  }

  /// Returns the number of a row, which must have one value for each of ``dimensions``. The row is added if it is new.
  package mutating func append(_ row: [PropertyValue]) -> UInt32 {
    precondition(row.count == dimensions.count, "a row has one value for each dimension")
    let start = cells.count
    var hash = RowHash()
    for (column, value) in row.enumerated() {
      let number = findOrInsert(value, inColumn: column)
      hash.combine(number)
      cells.append(number)
    }
    if let number = numberOfRow[hash] {
      cells.removeLast(cells.count - start)
      return number
    }
    let number = UInt32(count)
    numberOfRow[hash] = number
    count += 1
    return number
  }

  /// Returns the number of a value in a column, adding the value if it is new.
  private mutating func findOrInsert(_ value: PropertyValue, inColumn column: Int) -> UInt32 {
    if let number = numberOfValue[column][value] { return number }
    let number = UInt32(values[column].count)
    values[column].append(value)
    numberOfValue[column][value] = number
    return number
  }

  /// Returns the number of the row that equals another one except for the values of `props`. The row is added
  /// if it is new.
  package mutating func append(_ row: UInt32, with props: [String: PropertyValue]) -> UInt32 {
    var values = self.row(row)
    for (column, dimension) in dimensions.enumerated() {
      if case .property(let key) = dimension, let value = props[key] { values[column] = value }
      if case .properties = dimension {
        var members = Dictionary(PropertiesText.decode(values[column]).map { ($0.key, $0.value) }) { _, last in last }
        members.merge(props) { _, changed in changed }
        values[column] = PropertiesText.encode(members.map { ($0.key, $0.value) })
      }
    }
    return append(values)
  }

  /// Returns the values of a row.
  package func row(_ number: UInt32) -> [PropertyValue] {
    dimensions.indices.map { value(ofColumn: $0, number: valueNumber(ofColumn: $0, row: number)) }
  }

  /// Returns the value of a stored dimension in a row, or null for a dimension without a column.
  package func value(of dimension: Dimension, row: UInt32) -> PropertyValue {
    guard let column = dimensions.firstIndex(of: dimension) else { return .null }
    return value(ofColumn: column, number: valueNumber(ofColumn: column, row: row))
  }
}

extension SegmentTable {
  /// Returns the number of a row's value in a column. Equal values of a column have equal numbers, from 0.
  @inline(__always)
  package func valueNumber(ofColumn column: Int, row: UInt32) -> UInt32 {
    precondition(Int(row) < count, "a table has no row \(row)")
    return cells[Int(row) &* dimensions.count &+ column]
  }

  /// Returns the value of a column with a number.
  package func value(ofColumn column: Int, number: UInt32) -> PropertyValue { values[column][Int(number)] }
}
