import FunnelModel
import FunnelRendering

/// A field of a row: a key of its JSON object, and one or more columns of its CSV line.
///
/// Both formats are written from the same list of fields and therefore always agree.
package struct Field<Row>: Sendable {
  /// The type of a field, with a function that returns its value for a row.
  enum Value: Sendable {
    case text(@Sendable (Row) -> String?)
    case flag(@Sendable (Row) -> Bool)
    case count(@Sendable (Row) -> Int?)
    /// A count that JSON omits if it is absent.
    case optionalCount(@Sendable (Row) -> Int?)
    case share(@Sendable (Row) -> Double?)
    /// A number other than a share.
    case number(@Sendable (Row) -> Double?)
    /// An object or an array. CSV writes it as JSON into one cell.
    case tree(@Sendable (Row) -> JSONValue)
    /// An object or an array that JSON omits if it is absent. CSV writes it as JSON into one cell.
    case optionalTree(@Sendable (Row) -> JSONValue?)
    /// A rate and, in a separate field, its 95 % interval.
    case rate(@Sendable (Row) -> Rate?)
    case quantiles(@Sendable (Row) -> Quantiles?)
    /// The values of the query's dimensions.
    case segment
    /// A text that JSON omits if it is absent.
    case remark(@Sendable (Row) -> String?)
    /// Counts by name, with the same names in every row.
    case counts(names: [String], @Sendable (Row) -> [Int])
    /// Counts by names that differ from row to row.
    case openCounts(@Sendable (Row) -> [(name: String, count: Int)])
    /// The bounds of an interval.
    case interval(@Sendable (Row) -> (low: Double, high: Double)?)
    /// An object with its own fields. If it is absent, JSON writes `null`, and CSV writes empty cells.
    case object([Field], isPresent: @Sendable (Row) -> Bool)
    /// A list of objects. CSV writes a line for each of them.
    case list(any FieldList<Row>)
    /// An object or an array in JSON, and a line for each element of a list in CSV.
    case branches(tree: @Sendable (Row) -> JSONValue, list: any FieldList<Row>)
  }

  let name: String
  let value: Value
  /// Whether the CSV column precedes those of the other fields.
  private(set) var isFirstInCSV = false

  /// The key of the 95 % interval of a rate.
  var intervalName: String { "\(name)_ci95" }

  private init(_ name: String, _ value: Value) {
    self.name = name
    self.value = value
  }

  /// The field with its CSV column before those of the other fields.
  var firstInCSV: Field {
    var field = self
    field.isFirstInCSV = true
    return field
  }

  // MARK: - Factories, one for each type of value

  static func text(_ name: String, _ value: @escaping @Sendable (Row) -> String?) -> Field { Field(name, .text(value)) }
  static func flag(_ name: String, _ value: @escaping @Sendable (Row) -> Bool) -> Field { Field(name, .flag(value)) }
  static func count(_ name: String, _ value: @escaping @Sendable (Row) -> Int?) -> Field { Field(name, .count(value)) }
  static func optionalCount(_ name: String, _ value: @escaping @Sendable (Row) -> Int?) -> Field {
    Field(name, .optionalCount(value))
  }
  static func share(_ name: String, _ value: @escaping @Sendable (Row) -> Double?) -> Field { Field(name, .share(value)) }
  static func number(_ name: String, _ value: @escaping @Sendable (Row) -> Double?) -> Field { Field(name, .number(value)) }
  static func tree(_ name: String, _ value: @escaping @Sendable (Row) -> JSONValue) -> Field { Field(name, .tree(value)) }
  static func optionalTree(_ name: String, _ value: @escaping @Sendable (Row) -> JSONValue?) -> Field {
    Field(name, .optionalTree(value))
  }
  static func rate(_ name: String, _ value: @escaping @Sendable (Row) -> Rate?) -> Field { Field(name, .rate(value)) }
  static func quantiles(_ name: String, _ value: @escaping @Sendable (Row) -> Quantiles?) -> Field {
    Field(name, .quantiles(value))
  }
  static var segment: Field { Field("by", .segment) }
  static func remark(_ name: String, _ value: @escaping @Sendable (Row) -> String?) -> Field { Field(name, .remark(value)) }
  static func counts(_ name: String, names: [String], _ value: @escaping @Sendable (Row) -> [Int]) -> Field {
    Field(name, .counts(names: names, value))
  }
  static func openCounts(_ name: String, _ value: @escaping @Sendable (Row) -> [(name: String, count: Int)]) -> Field {
    Field(name, .openCounts(value))
  }
  static func interval(_ name: String, _ value: @escaping @Sendable (Row) -> (low: Double, high: Double)?) -> Field {
    Field(name, .interval(value))
  }
  static func object(
    _ name: String, where isPresent: @escaping @Sendable (Row) -> Bool = { _ in true }, _ fields: [Field]
  ) -> Field { Field(name, .object(fields, isPresent: isPresent)) }
  static func list<Element>(
    _ name: String, _ fields: [Field<Element>], _ elements: @escaping @Sendable (Row) -> [Element]
  ) -> Field {
    Field(name, .list(ElementList(fields: fields, elements: elements)))
  }
  static func branches<Element>(
    _ name: String, tree: @escaping @Sendable (Row) -> JSONValue, _ fields: [Field<Element>],
    _ elements: @escaping @Sendable (Row) -> [Element]
  ) -> Field {
    Field(name, .branches(tree: tree, list: ElementList(fields: fields, elements: elements)))
  }

  /// The list whose elements are lines in CSV, or `nil` for other fields.
  var list: (any FieldList<Row>)? {
    switch value {
    case .list(let list), .branches(_, let list): list
    default: nil
    }
  }
}

/// A list in a row, with the type of its elements erased.
protocol FieldList<Row>: Sendable {
  associatedtype Row
  associatedtype Element
  /// The fields of an element.
  var fields: [Field<Element>] { get }
  /// Returns the elements of a row's list.
  func elements(of row: Row) -> [Element]
}

private struct ElementList<Row, Element>: FieldList {
  let fields: [Field<Element>]
  let elements: @Sendable (Row) -> [Element]

  func elements(of row: Row) -> [Element] { elements(row) }
}
