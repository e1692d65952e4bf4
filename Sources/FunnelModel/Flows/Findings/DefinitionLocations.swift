/// Finds the location of a part of a definition in its file, so that a finding can name the line and column.
struct DefinitionLocations {
  private let source: String
  private let root: ConfigurationValue?

  /// One component of the path to a value: the key of a member, or the index of an element.
  enum PathPart: ExpressibleByStringLiteral {
    case key(String)
    case index(Int)

    init(stringLiteral value: String) { self = .key(value) }
  }

  init(of file: FlowFile) {
    source = file.name
    // The bytes have been read as a definition, so they are valid JSON. A definition that was not read from a file has no bytes.
    root = (try? JSONDocument(parsing: file.bytes)).map { ConfigurationValue(node: $0.root, path: "$") }
  }

  /// Returns a problem at the value on a path, or at the last existing value along the path.
  func problem(at path: [PathPart], _ message: String) -> ConfigurationProblem {
    var value = root
    for part in path {
      guard let current = value, let next = Self.child(part, of: current) else { break }
      value = next
    }
    let position = value?.node.position ?? JSONDocument.Position(line: 1, column: 1)
    return ConfigurationProblem(source: source, position: position, path: value?.path ?? "$", message: message)
  }

  private static func child(_ part: PathPart, of value: ConfigurationValue) -> ConfigurationValue? {
    switch part {
    case .key(let key):
      return value.node[key].map { ConfigurationValue(node: $0, path: value.path(ofMember: key)) }
    case .index(let index):
      guard let elements = value.node.array, elements.indices.contains(index) else { return nil }
      return ConfigurationValue(node: elements[index], path: "\(value.path)[\(index)]")
    }
  }
}
