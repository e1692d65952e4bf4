/// Finds the line and column of a value in the file of a definition.
struct DefinitionLocations {
  private let source: String
  /// The parsed file, or `nil` if the definition was not read from a file.
  private let root: ConfigurationValue?

  /// One component of the path to a value.
  enum PathPart: ExpressibleByStringLiteral {
    /// The key of an object's member.
    case key(String)
    /// The index of an array's element.
    case index(Int)

    init(stringLiteral value: String) { self = .key(value) }
  }

  /// Parses the file of a definition again.
  init(of file: FlowFile) {
    source = file.name
    // The bytes are valid JSON, because the definition was read from them. A definition that was not read from
    // a file has no bytes.
    root = (try? JSONDocument(parsing: file.bytes)).map { ConfigurationValue(node: $0.root, path: "$") }
  }

  /// Returns a problem at the value at a path, or at the last value along the path that exists.
  func problem(at path: [PathPart], _ message: String) -> ConfigurationProblem {
    var value = root
    for part in path {
      guard let current = value, let next = Self.child(part, of: current) else { break }
      value = next
    }
    let position = value?.node.position ?? JSONDocument.Position(line: 1, column: 1)
    return ConfigurationProblem(source: source, position: position, path: value?.path ?? "$", message: message)
  }

  /// Returns a member or an element of a value, or `nil` if it does not exist.
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
