import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The tree of all paths at which a plan looks, so that one walk over a record finds every value.
///
/// A node costs a comparison of lengths and one of bytes; keys of a length that no child has are passed over by a bit mask.
struct FieldTree: Sendable {
  /// What becomes of a value that nobody asked for by its path.
  enum Treatment: Sendable {
    /// It is neither a property nor counted.
    case ignored
    /// It becomes a property.
    case property
    /// It is left out and counted.
    case leftOut
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
    var propertyDepth: Int?
    /// The bytes of the path below that object: the key of the property.
    var propertyKey: [UInt8] = []
    fileprivate(set) var children: [Child] = []
    /// A bit for each length of a child's key; the last is for all lengths from 63 on.
    fileprivate(set) var childLengths: UInt64 = 0

    /// Whether a path leads on.
    var hasChildren: Bool { !children.isEmpty }
  }

  struct Child: Sendable {
    fileprivate var key: [UInt8]
    fileprivate var node: Int
  }

  private(set) var nodes = [Node(path: "")]
  private(set) var slotCount = 0

  static let root = 0

  /// Returns the child of a node that a key names, or nil if there is none.
  @inline(__always)
  func child(of node: Int, _ key: UnsafeRawBufferPointer) -> Int? {
    let lengths = nodes[node].childLengths
    // Keys of paths are not empty, so an empty key has no child and its address is not looked at.
    guard !key.isEmpty, lengths & Self.bit(ofLength: key.count) != 0 else { return nil }
    for child in nodes[node].children where child.key.count == key.count {
      if child.key.withUnsafeBytes({ memcmp($0.baseAddress!, key.baseAddress!, key.count) == 0 }) { return child.node }
    }
    return nil
  }

  /// Returns the child that a key with dots in it names: `{"cart.total":3}` is found by the path `cart.total`, too.
  func descendant(of node: Int, dotted key: UnsafeRawBufferPointer) -> Int? {
    guard nodes[node].hasChildren else { return nil }
    var node = node
    for part in key.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
      guard let child = child(of: node, UnsafeRawBufferPointer(rebasing: part)) else { return nil }
      node = child
    }
    return node
  }

  /// Returns the slot of a path, which is added if nobody asked for it yet.
  mutating func slot(of path: ForeignPath) -> Int {
    let node = insert(path)
    if let slot = nodes[node].slot { return slot }
    nodes[node].slot = slotCount
    slotCount += 1
    return slotCount - 1
  }

  /// Changes the node of a path, which is added if it is missing.
  mutating func update(_ path: ForeignPath, _ change: (inout Node) -> Void) {
    change(&nodes[insert(path)])
  }

  /// Says what becomes of a value and of everything below it, except for what is asked for by its path.
  mutating func setTreatment(_ treatment: Treatment, of path: ForeignPath) {
    let node = insert(path)
    nodes[node].treatment = treatment
    for child in nodes[node].children { inherit(treatment, in: child.node) }
  }

  private mutating func inherit(_ treatment: Treatment, in node: Int) {
    nodes[node].treatment = treatment
    for child in nodes[node].children { inherit(treatment, in: child.node) }
  }

  /// Marks the object at a path as one whose scalars become properties.
  mutating func setProperties(_ path: ForeignPath) {
    setTreatment(.property, of: path)
    setPropertyDepth(path.keys.count, in: insert(path))
  }

  private mutating func setPropertyDepth(_ depth: Int, in node: Int) {
    nodes[node].propertyDepth = depth
    for child in nodes[node].children { setPropertyDepth(depth, in: child.node) }
  }

  private mutating func insert(_ path: ForeignPath) -> Int {
    var node = Self.root
    for (depth, key) in path.keys.enumerated() {
      let bytes = Array(key.utf8)
      if let child = bytes.withUnsafeBytes({ child(of: node, $0) }) {
        node = child
        continue
      }
      var new = Node(path: path.keys[...depth].joined(separator: "."))
      new.treatment = nodes[node].treatment
      new.propertyDepth = nodes[node].propertyDepth
      if let start = new.propertyDepth { new.propertyKey = Array(path.keys[start...depth].joined(separator: ".").utf8) }
      nodes.append(new)
      nodes[node].children.append(Child(key: bytes, node: nodes.count - 1))
      nodes[node].childLengths |= Self.bit(ofLength: bytes.count)
      node = nodes.count - 1
    }
    return node
  }

  @inline(__always)
  private static func bit(ofLength count: Int) -> UInt64 { 1 << UInt64(min(count, 63)) }
}
