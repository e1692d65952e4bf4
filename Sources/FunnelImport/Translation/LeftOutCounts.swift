/// The number of records with a value that was left out, by the value's path. Not to be shared between threads.
final class LeftOutCounts {
  /// By the nodes of the paths that a plan names.
  private let ofNodes: UnsafeMutableBufferPointer<Int>
  /// By the numbers of the other paths.
  private var ofUnknown: [Int] = []

  init(nodeCount: Int) {
    ofNodes = .allocate(capacity: nodeCount)
    ofNodes.initialize(repeating: 0)
  }

  deinit { ofNodes.deallocate() }

  /// Counts what is left out of a record that became events.
  ///
  /// - Parameter subject: The field of the subject, the only id that is taken.
  @inline(__always)
  func count(_ layout: RecordLayout, subject: Int) {
    for node in layout.leftOut { ofNodes[Int(node)] &+= 1 }
    for identity in layout.identities where Int(identity.field) != subject { ofNodes[Int(identity.node)] &+= 1 }
    for number in layout.unknownLeftOut {
      while ofUnknown.count <= number { ofUnknown.append(0) }
      ofUnknown[number] &+= 1
    }
  }

  /// Moves the counts to a tally.
  ///
  /// - Parameters:
  ///   - paths: The paths of the nodes.
  ///   - unknownPaths: The other paths by their numbers.
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
