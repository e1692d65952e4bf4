/// Counts the records with left-out values, by the path of the value. Not thread-safe: each worker owns one.
final class LeftOutCounts {
  /// The counts of the paths that the plan names, by node.
  private let ofNodes: UnsafeMutableBufferPointer<Int>
  /// The counts of the other paths, by number (see ``LeftOutPaths``).
  private var ofUnknown: [Int] = []

  /// Creates counts of zero for a tree with a number of nodes.
  init(nodeCount: Int) {
    ofNodes = .allocate(capacity: nodeCount)
    ofNodes.initialize(repeating: 0)
  }

  deinit { ofNodes.deallocate() }

  /// Counts the left-out values of a record that became events.
  ///
  /// - Parameter subject: The field index of the subject, the only ID that is not left out.
  @inline(__always)
  func count(_ layout: RecordLayout, subject: Int) {
    for node in layout.leftOut { ofNodes[Int(node)] &+= 1 }
    for identity in layout.identities where Int(identity.field) != subject { ofNodes[Int(identity.node)] &+= 1 }
    for number in layout.unknownLeftOut {
      while ofUnknown.count <= number { ofUnknown.append(0) }
      ofUnknown[number] &+= 1
    }
  }

  /// Adds the counts to an aggregate and resets them.
  ///
  /// - Parameters:
  ///   - paths: The path of each node.
  ///   - unknownPaths: The other paths, by number.
  func moveCounts(to aggregate: inout ImportCounts, paths: [String], unknownPaths: LeftOutPaths) {
    for node in ofNodes.indices where ofNodes[node] > 0 {
      aggregate.leaveOut(paths[node], count: ofNodes[node])
      ofNodes[node] = 0
    }
    for number in ofUnknown.indices where ofUnknown[number] > 0 {
      aggregate.leaveOut(unknownPaths[number], count: ofUnknown[number])
      ofUnknown[number] = 0
    }
  }
}
