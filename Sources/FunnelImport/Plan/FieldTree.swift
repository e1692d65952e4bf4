import FunnelModel

/// The tree of all paths at which a plan looks, as it is built. ``FlatFieldTree`` is what records are walked along with.
struct FieldTree: Sendable {
  /// What becomes of a value that nobody asked for by its path.
  enum Treatment: UInt8, Sendable {
    /// It is neither a property nor counted.
    case ignored
    /// It becomes a property.
    case property
    /// It is personal: left out and counted.
    case leftOut
    /// It is a column that no mapping names: left out and counted, but nothing to hide.
    case unmapped
  }

  /// A path, or the beginning of one.
  struct Node: Sendable {
    /// The keys from the root, joined by dots.
    var path: String
    /// The index of the slot that takes the value; nil if nobody asks for it.
    var slot: Int?
    /// What becomes of the value if no slot takes it, and of values below that have no node.
    var treatment = Treatment.ignored
    /// Whether the value feeds the envelope or `ctx`, so that it is no property.
    var isConsumed = false
    /// Whether the value is an id of a person or device, which is left out unless it is the subject.
    var isIdentity = false
    /// The number of keys from the root to the object whose scalars become properties, if the node is in one.
    fileprivate var propertyDepth: Int?
    /// The path of that object, and the path below it: the key of the property.
    fileprivate(set) var container = ""
    fileprivate(set) var propertyKey: [UInt8] = []
    fileprivate(set) var children: [(key: [UInt8], node: Int)] = []
  }

  private(set) var nodes = [Node(path: "")]
  private(set) var slotCount = 0

  static let root = 0

  /// Returns the slot of a path, which is added if nobody asked for it yet.
  mutating func slot(of path: ImportedPath) -> Int {
    let node = insert(path)
    if let slot = nodes[node].slot { return slot }
    nodes[node].slot = slotCount
    slotCount += 1
    return slotCount - 1
  }

  /// Changes the node of a path, which is added if it is missing.
  mutating func update(_ path: ImportedPath, _ change: (inout Node) -> Void) {
    change(&nodes[insert(path)])
  }

  /// Says what becomes of a value and of everything below it, except for what is asked for by its path.
  mutating func setTreatment(_ treatment: Treatment, of path: ImportedPath) {
    inherit(insert(path)) { $0.treatment = treatment }
  }

  /// Says what becomes of values at the top of a record.
  mutating func setTreatmentOfRoot(_ treatment: Treatment) { inherit(Self.root) { $0.treatment = treatment } }

  /// Marks the object at a path as one whose scalars become properties.
  mutating func setProperties(_ path: ImportedPath) {
    inherit(insert(path)) { node in
      node.treatment = .property
      node.propertyDepth = path.keys.count
      node.container = path.text
    }
  }

  private mutating func inherit(_ node: Int, _ change: (inout Node) -> Void) {
    change(&nodes[node])
    for child in nodes[node].children { inherit(child.node, change) }
  }

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
