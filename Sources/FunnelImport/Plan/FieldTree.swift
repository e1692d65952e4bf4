import FunnelModel

/// A prefix tree of the record paths that an import plan names, with the treatment of each.
///
/// A lookup compares lengths first. A bit mask rejects keys whose length no child has.
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
  struct Node: BitwiseCopyable, Sendable {
    // Nodes have no references, so walking a record along them needs no reference counting.

    /// The treatment of the value if no slot reads it, and of its descendants that have no node.
    var treatment = Treatment.ignored
    /// Whether the value is part of the envelope or of `ctx` and therefore not a property.
    var isConsumed = false
    /// Whether the value only counts if the record has no value at the main path of the slot.
    var isAlternative = false
    /// Whether the value is the ID of a person, a device or a session, which is left out unless it is the subject.
    var isIdentity = false
    fileprivate var packedSlot = PackedIndex.none
    /// The number of keys from the root to the object of properties that contains the node.
    fileprivate var propertyDepth = PackedIndex.none
    /// The key of the member by which the parent contains the node, in ``FieldTree/keys``.
    fileprivate var key = PackedRange.empty
    /// The path from that object to the node, in ``FieldTree/keys``.
    fileprivate var propertyKey = PackedRange.empty
    fileprivate var firstChild = PackedIndex.none
    fileprivate var nextSibling = PackedIndex.none
    /// A set of the lengths of the children's keys, one bit for each length. The last bit covers all longer keys.
    fileprivate var childKeyLengths: UInt64 = 0

    /// The index of the slot that reads the value, or `nil` if none does.
    @inline(__always)
    var slot: Int? { packedSlot.value }

    /// Whether the tree has paths below the node.
    @inline(__always)
    var hasChildren: Bool { childKeyLengths != 0 }

    /// Whether an object of properties contains the node.
    var hasPropertyKey: Bool { !propertyKey.isEmpty }

    /// Whether the plan reads members of the value, but not the value itself.
    var isContainer: Bool { slot == nil && (hasChildren || treatment == .property && !hasPropertyKey) }
  }

  private(set) var nodes = [Node()]
  private(set) var slotCount = 0
  /// The keys from the root to each node, joined by dots.
  private(set) var paths = [""]
  /// The path of the object of properties that contains each node, or an empty string.
  private(set) var containers = [""]
  /// The keys of all nodes, one after another.
  private var keys: [UInt8] = []

  /// The index of the node of the whole record.
  static let root = 0

  // MARK: Lookup

  /// Returns the child of a node with a key, or `nil` if there is none.
  @inline(__always)
  func child(of node: Int, _ key: Span<UInt8>) -> Int? {
    // No path has an empty key.
    guard nodes[node].childKeyLengths & Self.bit(ofLength: key.count) != 0, !key.isEmpty else { return nil }
    var candidate = nodes[node].firstChild
    while let child = candidate.value {
      if key.isEqual(to: keys.span.extracting(nodes[child].key.range)) { return child }
      candidate = nodes[child].nextSibling
    }
    return nil
  }

  /// Returns the node of the member of an object, or `nil` if there is none.
  ///
  /// The path `cart.total` finds `{"cart.total":3}` as well as `{"cart":{"total":3}}`, and `event` finds `{"EVENT":"a"}`.
  @inline(__always)
  func member(of node: Int, _ key: Span<UInt8>) -> Int? {
    child(of: node, key) ?? descendant(of: node, dotted: key) ?? upperCaseMember(of: node, key)
  }

  /// Returns the node of a member of the record whose key is in upper case, as in the tables of some warehouses, or `nil` if
  /// there is none.
  private func upperCaseMember(of node: Int, _ key: Span<UInt8>) -> Int? {
    guard node == Self.root, key.isUpperCase else { return nil }
    var candidate = nodes[node].firstChild
    while let child = candidate.value {
      if key.isUpperCase(of: keys.span.extracting(nodes[child].key.range)) { return child }
      candidate = nodes[child].nextSibling
    }
    return nil
  }

  /// Returns the descendant of a node whose path is a key with dots, or `nil` if there is none.
  private func descendant(of node: Int, dotted key: Span<UInt8>) -> Int? {
    guard nodes[node].hasChildren, key.firstIndex(of: UInt8(ascii: ".")) != nil else { return nil }
    var node = node
    var start = 0
    while true {
      let end = key.extracting(start..<key.count).firstIndex(of: UInt8(ascii: ".")).map { start + $0 } ?? key.count
      guard let child = child(of: node, key.extracting(start..<end)) else { return nil }
      guard end < key.count else { return child }
      node = child
      start = end + 1
    }
  }

  /// Returns the node of a path and the number of its keys for which there are nodes.
  func deepestNode(of path: [String]) -> (node: Int, depth: Int) {
    var node = Self.root
    for (depth, key) in path.enumerated() {
      guard let child = child(of: node, Array(key.utf8).span) else { return (node, depth) }
      node = child
    }
    return (node, path.count)
  }

  /// Returns whether a slot reads a descendant of a node.
  func readsDescendant(of node: Int) -> Bool {
    children(of: node).contains { nodes[$0].slot != nil || readsDescendant(of: $0) }
  }

  /// Returns the key of the property at a node: the path from the object of properties. Empty if no such object contains it.
  @inline(__always)
  func withPropertyKey<Result>(of node: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    body(keys.span.extracting(nodes[node].propertyKey.range))
  }

  // MARK: Building

  /// Returns the slot of a path, adding it if it is missing.
  mutating func findOrInsertSlot(_ path: ImportedPath) -> Int {
    let node = findOrInsert(path.keys)
    let slot = nodes[node].slot ?? slotCount
    nodes[node].packedSlot = PackedIndex(slot)
    slotCount = max(slotCount, slot + 1)
    if let keys = path.alternativeKeys {
      let alternative = findOrInsert(keys)
      if nodes[alternative].slot == nil {
        nodes[alternative].packedSlot = PackedIndex(slot)
        nodes[alternative].isAlternative = true
      }
    }
    return slot
  }

  /// Changes the node of a path, adding it if it is missing.
  mutating func update(_ path: ImportedPath, _ change: (inout Node) -> Void) {
    change(&nodes[findOrInsert(path.keys)])
    if let keys = path.alternativeKeys { change(&nodes[findOrInsert(keys)]) }
  }

  /// Sets the treatment of a value and of its descendants.
  mutating func setTreatment(_ treatment: Treatment, of path: ImportedPath) {
    setTreatment(treatment, from: findOrInsert(path.keys))
  }

  /// Sets the treatment of all values of a record.
  mutating func setTreatmentOfRoot(_ treatment: Treatment) { setTreatment(treatment, from: Self.root) }

  private mutating func setTreatment(_ treatment: Treatment, from node: Int) {
    nodes[node].treatment = treatment
    for child in children(of: node) { setTreatment(treatment, from: child) }
  }

  /// Marks an object whose scalars become properties. No path below it may have been added.
  mutating func setProperties(_ path: ImportedPath) {
    let node = findOrInsert(path.keys)
    precondition(!nodes[node].hasChildren, "nodes inherit from their parents when they are added")
    nodes[node].treatment = .property
    nodes[node].propertyDepth = PackedIndex(path.keys.count)
    containers[node] = path.text
  }

  private func children(of node: Int) -> [Int] {
    var children: [Int] = []
    var candidate = nodes[node].firstChild
    while let child = candidate.value {
      children.append(child)
      candidate = nodes[child].nextSibling
    }
    return children
  }

  /// Returns the node of a path, adding the missing nodes. A new node inherits the treatment of its parent.
  private mutating func findOrInsert(_ path: [String]) -> Int {
    var node = Self.root
    for (depth, key) in path.enumerated() {
      let bytes = Array(key.utf8)
      if let child = child(of: node, bytes.span) {
        node = child
        continue
      }
      var new = Node(treatment: nodes[node].treatment, propertyDepth: nodes[node].propertyDepth)
      new.key = append(bytes)
      new.nextSibling = nodes[node].firstChild
      if let start = new.propertyDepth.value {
        new.propertyKey = append(Array(path[start...depth].joined(separator: ".").utf8))
      }
      nodes[node].firstChild = PackedIndex(nodes.count)
      nodes[node].childKeyLengths |= Self.bit(ofLength: bytes.count)
      paths.append(path[...depth].joined(separator: "."))
      containers.append(containers[node])
      node = nodes.count
      nodes.append(new)
    }
    assert(nodes.count == paths.count && nodes.count == containers.count, "each node has a path and a container")
    return node
  }

  private mutating func append(_ key: [UInt8]) -> PackedRange {
    keys += key
    return PackedRange(keys.count - key.count..<keys.count)
  }

  /// The length from which keys share one bit of ``Node/childKeyLengths``.
  private static let longKeyBytes = 63

  @inline(__always)
  private static func bit(ofLength count: Int) -> UInt64 { 1 << UInt64(min(count, longKeyBytes)) }
}
