import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An immutable ``FieldTree`` in unmanaged memory. Walking a record along it needs no reference counting.
///
/// A lookup compares lengths first. A bit mask rejects keys whose length no child has.
final class FlatFieldTree: @unchecked Sendable {
  // Unchecked, because the pointers are never written after the initializer.

  /// A path or a prefix of one. See ``FieldTree/Node`` for the properties without a comment.
  struct Node: BitwiseCopyable {
    /// The slot of a value that no slot reads. An `Optional` would double the four bytes.
    static let noSlot: Int32 = -1

    /// A set of the lengths of the children's keys, one bit for each length. The last bit covers all longer keys.
    var childLengths: UInt64 = 0
    /// The index of the first child in the list of all children.
    var firstChild: Int32 = 0
    var childCount: Int32 = 0
    /// The slot that reads the value, or ``noSlot``.
    var slot: Int32 = noSlot
    var treatment = FieldTree.Treatment.ignored
    var isConsumed = false
    var isIdentity = false
    /// The key of the property, or no bytes if the value is not below an object of properties.
    var propertyKey = UnsafeRawBufferPointer(start: nil, count: 0)

    /// Whether the tree has paths below the node.
    @inline(__always)
    var hasChildren: Bool { childCount > 0 }
  }

  /// An edge of the tree: a key and the node to which it leads.
  private struct Child: BitwiseCopyable {
    var key: UnsafeRawBufferPointer
    var node: Int32
  }

  /// The nodes, with the same indices as in the ``FieldTree``.
  let nodes: UnsafePointer<Node>
  let nodeCount: Int
  let slotCount: Int
  /// The path of each node.
  let paths: [String]
  /// The path of the object of properties that contains each node, or an empty string.
  let containers: [String]
  /// The children of all nodes, node by node.
  private let children: UnsafePointer<Child>
  /// The memory of all keys.
  private let texts: UnsafeRawPointer

  /// The index of the node of the whole record.
  static let root = 0

  /// Copies a tree.
  init(_ tree: FieldTree) {
    nodeCount = tree.nodes.count
    slotCount = tree.slotCount
    paths = tree.nodes.map(\.path)
    containers = tree.nodes.map(\.container)
    let texts = tree.nodes.flatMap { node in [node.propertyKey] + node.children.map(\.key) }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(texts.reduce(0) { $0 + $1.count }, 1), alignment: 1)
    var textOffset = 0
    func stored(_ text: [UInt8]) -> UnsafeRawBufferPointer {
      (memory + textOffset).copyMemory(from: text, byteCount: text.count)
      defer { textOffset += text.count }
      return UnsafeRawBufferPointer(start: memory + textOffset, count: text.count)
    }
    let nodes = UnsafeMutablePointer<Node>.allocate(capacity: nodeCount)
    let children = UnsafeMutablePointer<Child>.allocate(capacity: max(nodeCount, 1))
    var childCount = 0
    for (index, source) in tree.nodes.enumerated() {
      var node = Node(firstChild: Int32(childCount), childCount: Int32(source.children.count))
      node.slot = source.slot.map { Int32($0) } ?? Node.noSlot
      node.treatment = source.treatment
      node.isConsumed = source.isConsumed
      node.isIdentity = source.isIdentity
      node.propertyKey = stored(source.propertyKey)
      for child in source.children {
        node.childLengths |= Self.bit(ofLength: child.key.count)
        (children + childCount).initialize(to: Child(key: stored(child.key), node: Int32(child.node)))
        childCount += 1
      }
      (nodes + index).initialize(to: node)
    }
    self.nodes = UnsafePointer(nodes)
    self.children = UnsafePointer(children)
    self.texts = UnsafeRawPointer(memory)
  }

  deinit {
    nodes.deallocate()
    children.deallocate()
    texts.deallocate()
  }

  /// Returns the child of a node with a key, or `nil` if there is none.
  @inline(__always)
  func child(of node: Int, _ key: UnsafeRawBufferPointer) -> Int? {
    assert(node >= 0 && node < nodeCount, "the node does not exist")
    let parent = nodes + node
    // No path has an empty key. An empty buffer may have no base address.
    guard parent.pointee.childLengths & Self.bit(ofLength: key.count) != 0, key.count > 0 else { return nil }
    var child = children + Int(parent.pointee.firstChild)
    let end = child + Int(parent.pointee.childCount)
    while child < end {
      if child.pointee.key.count == key.count, memcmp(child.pointee.key.baseAddress!, key.baseAddress!, key.count) == 0 {
        return Int(child.pointee.node)
      }
      child += 1
    }
    return nil
  }

  /// Returns the descendant of a node whose path is a key with dots, or `nil` if there is none.
  func descendant(of node: Int, dotted key: UnsafeRawBufferPointer) -> Int? {
    // The path `cart.total` finds `{"cart.total":3}` as well as `{"cart":{"total":3}}`.
    guard nodes[node].hasChildren, key.contains(UInt8(ascii: ".")) else { return nil }
    var node = node
    for part in key.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
      guard let child = child(of: node, UnsafeRawBufferPointer(rebasing: part)) else { return nil }
      node = child
    }
    return node
  }

  /// The length from which keys share one bit of ``Node/childLengths``.
  private static let longKeyBytes = 63

  @inline(__always)
  private static func bit(ofLength count: Int) -> UInt64 { 1 << UInt64(min(count, longKeyBytes)) }
}
