import FunnelModel

/// The array that may hold the records of an input whose first value is an object around it, by its path.
struct NestedRecords {
  /// The path of the array, such as `export.entry`.
  let path: String

  /// The number of objects that an array has at least. One may be a part of a record.
  private static let recordsMin = 2
  /// The maximum depth of the array.
  private static let levelsMax = 8

  /// Finds the longest array of objects in a value that is in no other array, or returns `nil` if there is none.
  init?(in line: [UInt8]) {
    guard let root = try? JSONDocument(parsing: line).root else { return nil }
    let longest = Self.arrays(in: root, at: []).max { ($0.count, $1.path) < ($1.count, $0.path) }
    guard let longest, longest.count >= Self.recordsMin else { return nil }
    path = longest.path
  }

  /// Returns the arrays of objects in an object, with their paths and the numbers of their elements.
  private static func arrays(in node: JSONDocument.Node, at keys: [String]) -> [(path: String, count: Int)] {
    switch node.value {
    case .object(let members):
      // A key with a dot is no part of a path.
      return members.filter { keys.count < levelsMax && !$0.key.contains(".") }
        .flatMap { arrays(in: $0.node, at: keys + [$0.key]) }
    case .array(let elements):
      let areObjects = elements.allSatisfy { if case .object = $0.value { true } else { false } }
      return areObjects && !keys.isEmpty ? [(keys.joined(separator: "."), elements.count)] : []
    case .string, .number, .bool, .null: return []
    }
  }

  /// The advice that names the array.
  var advice: String { "the records may be the array \(path): give {\"records\": \(path.quoted)} with --map" }
}
