public import FunnelModel

/// The values of the dimensions a query names, by event: codes into a dictionary of distinct values.
///
/// Only stored dimensions (`ctx.*`, `props.*`) have a column; `day`, `week` and `month` are computed from the event's time.
public struct SegmentTable: Sendable {
  /// The stored dimensions, in the order of the columns.
  public private(set) var dimensions: [Dimension]
  private var codes: [UInt32]
  private var values: [PropertyValue]
  private var codeOfValue: [PropertyValue: UInt32]

  /// A table for the stored dimensions among those given, without rows.
  public init(dimensions: [Dimension] = []) {
    var stored: [Dimension] = []
    for dimension in dimensions where !stored.contains(dimension) {
      switch dimension {
      case .property, .context: stored.append(dimension)
      case .day, .week, .month: break
      }
    }
    self.dimensions = stored
    codes = []
    values = [.null]
    codeOfValue = [.null: 0]
  }

  /// Adds a row and returns its number: one value for each of ``dimensions``. Without dimensions every row is row 0.
  public mutating func append(_ row: [PropertyValue]) -> UInt32 {
    precondition(row.count == dimensions.count, "a row has one value for each dimension")
    guard !dimensions.isEmpty else { return 0 }
    let number = UInt32(codes.count / dimensions.count)
    for value in row { codes.append(code(of: value)) }
    return number
  }

  /// The value of a stored dimension in a row; null for a dimension without a column.
  public func value(of dimension: Dimension, row: UInt32) -> PropertyValue {
    guard let column = dimensions.firstIndex(of: dimension) else { return .null }
    return values[Int(codes[Int(row) * dimensions.count + column])]
  }

  private mutating func code(of value: PropertyValue) -> UInt32 {
    if let code = codeOfValue[value] { return code }
    let code = UInt32(values.count)
    values.append(value)
    codeOfValue[value] = code
    return code
  }
}
