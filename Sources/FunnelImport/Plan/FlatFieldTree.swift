import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A ``FieldTree`` in fixed memory, so that one walk over a record finds every value without counting references.
///
/// A node costs a comparison of lengths and one of bytes; keys of a length that no child has are passed over by a bit mask. It is immutable,
/// and thereby safe to share.
final class FlatFieldTree: @unchecked Sendable {
  /// A node.
  struct Node: BitwiseCopyable {
    /// A bit for each length of a child's key; the last is for all lengths from 63 on.
    var childLengths: UInt64 = 0
    var firstChild: Int32 = 0
    var childCount: Int32 = 0
    /// The slot that takes the value; -1 if nobody asks for it.
    var slot: Int32 = -1
    var treatment = FieldTree.Treatment.ignored
    var isConsumed = false
    var isIdentity = false
    /// The key of the property, if the value is one.
    var propertyKey = UnsafeRawBufferPointer(start: nil, count: 0)

    /// Whether a path leads on.
    @inline(__always)
    var hasChildren: Bool { childCount > 0 }
  }

  private struct Child: BitwiseCopyable {
    var key: UnsafeRawBufferPointer
    var node: Int32
  }

  let nodes: UnsafePointer<Node>
  let nodeCount: Int
  let slotCount: Int
  /// The path of each node, and of the object whose scalars become properties.
  let paths: [String]
  let containers: [String]
  private let children: UnsafePointer<Child>
  private let texts: UnsafeRawPointer

  static let root = 0

  init(_ tree: FieldTree) {
    (nodeCount, slotCount) = (tree.nodes.count, tree.slotCount)
    (paths, containers) = (tree.nodes.map(\.path), tree.nodes.map(\.container))
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
      node.slot = source.slot.map { Int32($0) } ?? -1
      (node.treatment, node.isConsumed, node.isIdentity) = (source.treatment, source.isConsumed, source.isIdentity)
      node.propertyKey = stored(source.propertyKey)
      for child in source.children {
        node.childLengths |= Self.bit(ofLength: child.key.count)
        (children + childCount).initialize(to: Child(key: stored(child.key), node: Int32(child.node)))
        childCount += 1
      }
      (nodes + index).initialize(to: node)
    }
    (self.nodes, self.children, self.texts) = (UnsafePointer(nodes), UnsafePointer(children), UnsafeRawPointer(memory))
  }

  deinit {
    nodes.deallocate()
    children.deallocate()
    texts.deallocate()
  }

  /// Returns the child of a node that a key names, or nil if there is none.
  @inline(__always)
  func child(of node: Int, _ key: UnsafeRawBufferPointer) -> Int? {
    let parent = nodes + node
    // Keys of paths are not empty, so an empty key has no child and its address is not looked at.
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

  /// Returns the child that a key with dots in it names: `{"cart.total":3}` is found by the path `cart.total`, too.
  func descendant(of node: Int, dotted key: UnsafeRawBufferPointer) -> Int? {
    guard nodes[node].hasChildren, key.contains(UInt8(ascii: ".")) else { return nil }
    var node = node
    for part in key.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
      guard let child = child(of: node, UnsafeRawBufferPointer(rebasing: part)) else { return nil }
      node = child
    }
    return node
  }

  @inline(__always)
  private static func bit(ofLength count: Int) -> UInt64 { 1 << UInt64(min(count, 63)) }
}
