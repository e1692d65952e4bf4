import FunnelModel

/// A prefix tree of the record paths that an import plan names, with the treatment of each.
///
/// This is the mutable form for building a plan. ``FlatFieldTree`` is the form in which records are walked.
struct FieldTree: Sendable {
  /// The treatment of a value that no slot reads.
  enum Treatment: UInt8, Sendable {
    /// The value is skipped and not counted.
    case ignored
    /// The value becomes a property.
    case property
    /// The value is personal data: left out and counted.
    case leftOut
    /// The value is in a column that no mapping names: left out and counted, but not personal data.
    case unmapped
  }

  /// A path or a prefix of one.
  struct Node: Sendable {
    /// The keys from the root, joined by dots.
    var path: String
    /// The index of the slot that reads the value, or `nil` if none does.
    var slot: Int?
    /// The treatment of the value if no slot reads it, and of its descendants that have no node.
    var treatment = Treatment.ignored
    /// Whether the value is part of the envelope or of `ctx` and therefore not a property.
    var isConsumed = false
    /// Whether the value is the ID of a person, a device or a session, which is left out unless it is the subject.
    var isIdentity = false
    /// The number of keys from the root to the object of properties that contains the node, or `nil` if none does.
    fileprivate var propertyDepth: Int?
    /// The path of that object, or an empty string.
    fileprivate(set) var container = ""
    /// The path from that object to the node, which is the key of the property. Empty if there is no such object.
    fileprivate(set) var propertyKey: [UInt8] = []
    fileprivate(set) var children: [(key: [UInt8], node: Int)] = []
  }

  private(set) var nodes = [Node(path: "")]
  private(set) var slotCount = 0

  /// The index of the node of the whole record.
  static let root = 0

  /// Returns the slot of a path, adding it if it is missing.
  mutating func slot(of path: ImportedPath) -> Int {
    let node = insert(path)
    if let slot = nodes[node].slot { return slot }
    nodes[node].slot = slotCount
    slotCount += 1
    return slotCount - 1
  }

  /// Changes the node of a path, adding it if it is missing.
  mutating func update(_ path: ImportedPath, _ change: (inout Node) -> Void) {
    change(&nodes[insert(path)])
  }

  /// Sets the treatment of a value and of its descendants.
  mutating func setTreatment(_ treatment: Treatment, of path: ImportedPath) {
    inherit(insert(path)) { $0.treatment = treatment }
  }

  /// Sets the treatment of all values of a record.
  mutating func setTreatmentOfRoot(_ treatment: Treatment) { inherit(Self.root) { $0.treatment = treatment } }

  /// Marks an object whose scalars become properties.
  mutating func setProperties(_ path: ImportedPath) {
    inherit(insert(path)) { node in
      node.treatment = .property
      node.propertyDepth = path.keys.count
      node.container = path.text
    }
  }

  /// Changes a node and all its descendants.
  private mutating func inherit(_ node: Int, _ change: (inout Node) -> Void) {
    change(&nodes[node])
    for child in nodes[node].children { inherit(child.node, change) }
  }

  /// Returns the node of a path, adding the missing nodes. A new node inherits the treatment of its parent.
  private mutating func insert(_ path: ImportedPath) -> Int {
    var node = Self.root
    for (depth, key) in path.keys.enumerated() {
      let bytes = Array(key.utf8)
      if let child = nodes[node].children.first(where: { $0.key == bytes }) {
        node = child.node
        continue
      }
      var new = Node(path: path.keys[...depth].joined(separator: "."))
      new.treatment = nodes[node].treatment
      new.propertyDepth = nodes[node].propertyDepth
      new.container = nodes[node].container
      if let start = new.propertyDepth { new.propertyKey = Array(path.keys[start...depth].joined(separator: ".").utf8) }
      nodes.append(new)
      nodes[node].children.append((bytes, nodes.count - 1))
      node = nodes.count - 1
    }
    return node
  }
}
