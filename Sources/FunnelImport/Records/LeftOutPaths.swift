/// Assigns an ID to each path whose value is left out although the import plan does not name it, such as a list among the
/// properties.
///
/// A lookup of a known path does not allocate. Not thread-safe: each worker owns one.
final class LeftOutPaths {
  private let table = TextInterner()
  /// The paths by their IDs. The first one collects all paths beyond the maximum.
  private var paths = [ImportCounts.otherPaths]
  /// The number of the last record that had each path, by the IDs of the paths.
  private var lastRecords = [0]
  /// The number of records so far.
  private var recordCount = 0
  /// The path that is looked up, reused to avoid allocations.
  private var path: [UInt8] = []

  /// The ID of all paths beyond the maximum.
  private static let otherPaths = 0

  /// Returns the path with an ID.
  subscript(id: Int) -> String { paths[id] }

  /// Starts the next record. Each path counts once a record.
  func beginRecord() { recordCount += 1 }

  /// Returns the ID of a path, or `nil` if the path was counted for the current record already.
  ///
  /// - Parameters:
  ///   - key: The key of the value, or several keys joined by dots.
  ///   - container: The path of the object that contains the key, or an empty string for the record itself.
  func count(_ key: Span<UInt8>, in container: String) -> Int? {
    assert(recordCount > 0, "a record has begun")
    path.removeAll(keepingCapacity: true)
    if !container.isEmpty {
      path += container.utf8
      path.append(UInt8(ascii: "."))
    }
    path.append(copying: key)
    let id = findOrInsertPath()
    guard lastRecords[id] != recordCount else { return nil }
    lastRecords[id] = recordCount
    return id
  }

  /// Returns the ID of ``path``, which is added if it is new.
  private func findOrInsertPath() -> Int {
    // The IDs of the table begin at 0, which is taken by the other paths.
    if let id = table.find(path.span) { return id + 1 }
    guard paths.count < ImportCounts.entriesMax else { return Self.otherPaths }
    let (id, isNew) = table.findOrInsert(path.span)
    assert(isNew && id + 1 == paths.count, "the table and the list contain the same paths")
    paths.append(String(decoding: path, as: UTF8.self))
    lastRecords.append(0)
    return id + 1
  }
}

/// Counts the records with left-out values, by the path of the value. Not thread-safe: each worker owns one.
final class LeftOutCounts {
  /// The counts of the paths that the plan names, by node.
  private var ofNodes: [Int]
  /// The counts of the other paths, by their IDs in ``LeftOutPaths``.
  private var ofUnknown: [Int] = []
  /// The layouts with records that are not yet counted.
  @exclusivity(unchecked) private var uncounted: [RecordLayout] = []

  /// Creates counts of zero for a tree with a number of nodes.
  init(nodeCount: Int) { ofNodes = [Int](repeating: 0, count: nodeCount) }

  /// Counts the left-out values of a record that became events.
  ///
  /// - Parameters:
  ///   - subject: The field index of the subject.
  ///   - user: The field index of the user, or `nil` if the event has none. All other IDs are left out.
  @inline(__always)
  func count(_ layout: RecordLayout, subject: Int, user: Int?) {
    // The next record overwrites a layout that no other shares. The values of all others are counted at once later.
    guard layout.lifetime == .shared else { return add(layout, subject: subject, user: user, records: 1) }
    if layout.uncounted.records > 0, layout.uncounted.subject == subject, layout.uncounted.user == user {
      layout.uncounted.records &+= 1
    } else {
      begin(layout, subject: subject, user: user)
    }
  }

  /// Begins to count the records of a layout with another subject or user.
  private func begin(_ layout: RecordLayout, subject: Int, user: Int?) {
    if layout.uncounted.records > 0 {
      add(layout, subject: layout.uncounted.subject, user: layout.uncounted.user, records: layout.uncounted.records)
    } else {
      uncounted.append(layout)
    }
    layout.uncounted = (1, subject, user)
  }

  /// Adds the left-out values of records with a layout.
  private func add(_ layout: RecordLayout, subject: Int, user: Int?, records: Int) {
    for node in layout.leftOut { ofNodes[Int(node)] &+= records }
    for identity in layout.identities where Int(identity.field) != subject && Int(identity.field) != user {
      ofNodes[Int(identity.node)] &+= records
    }
    for id in layout.unknownLeftOut {
      while ofUnknown.count <= id { ofUnknown.append(0) }
      ofUnknown[id] &+= records
    }
  }

  /// Adds the counts to those of an import and resets them.
  ///
  /// - Parameters:
  ///   - paths: The path of each node.
  ///   - unknownPaths: The other paths.
  func move(to counts: inout ImportCounts, paths: [String], unknownPaths: LeftOutPaths) {
    assert(paths.count == ofNodes.count, "each node has a path")
    for layout in uncounted {
      add(layout, subject: layout.uncounted.subject, user: layout.uncounted.user, records: layout.uncounted.records)
      layout.uncounted.records = 0
    }
    uncounted.removeAll(keepingCapacity: true)
    for node in ofNodes.indices where ofNodes[node] > 0 {
      counts.leaveOut(paths[node], count: ofNodes[node])
      ofNodes[node] = 0
    }
    for id in ofUnknown.indices where ofUnknown[id] > 0 {
      counts.leaveOut(unknownPaths[id], count: ofUnknown[id])
      ofUnknown[id] = 0
    }
  }
}
