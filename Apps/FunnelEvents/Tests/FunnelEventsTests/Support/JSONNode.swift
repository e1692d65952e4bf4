import Foundation

/// A value of a JSON document, for expectations.
struct JSONNode: @unchecked Sendable {
  private let value: Any

  init?(parsing line: String) {
    guard let value = try? JSONSerialization.jsonObject(with: Data(line.utf8)) else { return nil }
    self.value = value
  }

  private init(_ value: Any) { self.value = value }

  subscript(key: String) -> JSONNode? { (value as? [String: Any])?[key].map(JSONNode.init) }

  var string: String? { value as? String }
  var integer: Int? { value as? Int }
  var keys: [String] { (value as? [String: Any])?.keys.sorted() ?? [] }

  /// The event's `seq`.
  var sequence: Int? { self["seq"]?.integer }
}
