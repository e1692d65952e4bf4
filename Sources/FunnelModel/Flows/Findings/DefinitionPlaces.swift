/// Finds where a part of a definition stands in its file, so that a finding can name line and column.
struct DefinitionPlaces {
  private let source: String
  private let root: ConfigurationValue?

  /// A step on the way to a value: the key of a member, or the index of an element.
  enum PathPart: ExpressibleByStringLiteral {
    case key(String)
    case index(Int)

    init(stringLiteral value: String) { self = .key(value) }
  }

  init(of file: FlowFile) {
    source = file.name
    // The file has been read as a definition, so it is JSON; a definition that was not read from a file has no bytes.
    root = (try? JSONDocument(parsing: file.bytes)).map { ConfigurationValue(node: $0.root, path: "$") }
  }

  /// A problem at the value on a path, or at the last value on the way that is there.
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
