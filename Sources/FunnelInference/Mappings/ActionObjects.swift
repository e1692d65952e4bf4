import FunnelImport
import FunnelModel

/// An action in the column of the names that happens to different kinds of things, such as `create` of a client and of a deal.
struct ActionObjects: Hashable, Sendable {
  /// The action with the most kinds of things.
  private let action: String
  /// The column with the kinds of things.
  private let column: String
  /// The kinds of things of the action, sorted.
  private let objects: [String]

  /// The last keys of columns with actions, without case and punctuation.
  private static let actions: Set<String> = ["action", "verb", "operation", "method", "eventaction"]
  /// The last keys of columns with the kinds of things, the most likely first.
  private static let kinds = [
    "entitytype", "objecttype", "resourcetype", "targettype", "itemtype", "recordtype", "trackabletype", "auditabletype",
    "controller", "entity", "resource", "object", "model",
  ]
  /// The number of kinds that a column has at most. More are the things themselves.
  private static let kindsMax = 50

  /// Finds the action. Returns `nil` if the names are no actions, or each of them happens to one kind of thing.
  init?(_ columns: [(name: String, values: ColumnCandidates.Values)], beside name: String, _ records: [[String: String]]) {
    guard Self.actions.contains(Self.lastKey(name)) else { return nil }
    let found = Self.kinds.lazy.compactMap { kind in
      columns.first { column in
        Self.lastKey(column.name) == kind && ColumnCandidates.haveSeveralNames(column.values)
          && column.values.distinct <= Self.kindsMax
      }
    }.first
    guard let column = found?.name else { return nil }
    var objects: [String: Set<String>] = [:]
    for record in records {
      if let action = record[name], let object = record[column] { objects[action, default: []].insert(object) }
    }
    guard let most = objects.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) }), most.value.count > 1 else {
      return nil
    }
    action = most.key
    self.column = column
    self.objects = most.value.sorted()
  }

  /// Returns the last key of a path, folded.
  private static func lastKey(_ path: String) -> String {
    ColumnCandidates.folded(String(path.split(separator: ".").last ?? ""))
  }

  /// The sentence that says how the mapping tells the things apart.
  var sentence: String {
    let object = objects[0]
    let native = String(decoding: NameFolding.fold(Array("\(action)_\(object)".utf8).span), as: UTF8.self)
    return
      "name: \(action) occurs with \(Quantity.count(objects.count)) values of \(column), and they become one step; tell them apart with \"when\", as in \(action.quoted): [{\"name\": \"\(native)\", \"when\": {\(column.quoted): \(object.quoted)}}, …]"
  }
}
