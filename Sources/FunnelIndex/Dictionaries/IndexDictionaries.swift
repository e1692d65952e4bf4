/// The dictionaries of a recorder or of a sorted run, which decode the codes of its rows.
package struct IndexDictionaries: Sendable {
  /// The event types by code, each encoded as an ``EventTypeText``.
  var types: [[UInt8]] = []
  /// Whether all types were recorded. If there are too many, there is no index.
  var hasAllTypes = true
  /// The contents of `ctx`.
  var context = DimensionDictionary()
  /// The contents of `props`.
  var props = DimensionDictionary()
}

/// The distinct contents of `ctx`, or of `props`: each is the set of keys with their values that an event has.
/// Content 0 is empty.
struct DimensionDictionary: Sendable {
  /// The entries: the distinct pairs of key and value, each encoded as a ``DimensionCell``.
  var cells: [[UInt8]] = []
  /// The end of each content's entries in ``cellsOfRows``. A content begins at the end of the one before.
  var rowEnds: [UInt32] = [0]
  /// The numbers of the entries of all contents. Those of one content are sorted by key.
  var cellsOfRows: [UInt32] = []
  /// The keys that are not indexed.
  var dropped: Set<[UInt8]> = []
  /// Whether no key is indexed at all.
  var dropsAll = false

  /// The number of contents.
  var rowCount: Int { rowEnds.count }

  /// Returns the numbers of the entries of a content.
  func cells(ofRow row: Int) -> ArraySlice<UInt32> {
    cellsOfRows[(row == 0 ? 0 : Int(rowEnds[row - 1]))..<Int(rowEnds[row])]
  }

  /// The keys of the measured properties, in the order of their entries, which is that of the measured columns.
  var measuredKeys: [[UInt8]] {
    cells.compactMap { cell in
      cell.withUnsafeBytes { bytes in
        guard let cell = DimensionCell.read(bytes)?.cell, cell.value == nil else { return nil }
        return Array(cell.key)
      }
    }
  }

  /// Returns whether the contents have the values of all keys except the dispensable ones: none of the others
  /// is dropped or measured.
  func hasValues(of keys: [String], except dispensable: Set<String>) -> Bool {
    let missing = dropped.union(measuredKeys)
    return keys.allSatisfy { dispensable.contains($0) || !dropsAll && !missing.contains(Array($0.utf8)) }
  }
}
