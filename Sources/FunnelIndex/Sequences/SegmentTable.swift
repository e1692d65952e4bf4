package import FunnelModel

/// A table of the distinct combinations of dimension values that occur in a query, one row each.
///
/// Only stored dimensions (`ctx.*`, `props.*`) have a column; `day`, `week` and `month` are computed from the
/// time of an event.
package struct SegmentTable: Sendable {
  /// The stored dimensions, in the order of the columns.
  package let dimensions: [Dimension]
  private var rows: [[PropertyValue]] = []
  private var numberOfRow: [[PropertyValue]: UInt32] = [:]

  /// Creates an empty table with a column for each stored dimension among `dimensions`.
  package init(dimensions: [Dimension] = []) {
    var stored: [Dimension] = []
    for dimension in dimensions.compactMap(\.stored) where !stored.contains(dimension) { stored.append(dimension) }
    self.dimensions = stored
  }

  /// The number of rows.
  package var count: Int { rows.count }

  /// Returns the number of a row, which must have one value for each of ``dimensions``. The row is added if it is new.
  package mutating func append(_ row: [PropertyValue]) -> UInt32 {
    precondition(row.count == dimensions.count, "a row has one value for each dimension")
    if let number = numberOfRow[row] { return number }
    let number = UInt32(rows.count)
    rows.append(row)
    numberOfRow[row] = number
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
  package func row(_ number: UInt32) -> [PropertyValue] { rows[Int(number)] }

  /// Returns the value of a stored dimension in a row, or null for a dimension without a column.
  package func value(of dimension: Dimension, row: UInt32) -> PropertyValue {
    guard let column = dimensions.firstIndex(of: dimension) else { return .null }
    return rows[Int(row)][column]
  }
}
