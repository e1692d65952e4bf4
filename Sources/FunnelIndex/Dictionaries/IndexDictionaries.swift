/// What the codes of rows mean: a recorder's, or a run's.
package struct IndexDictionaries: Sendable {
  /// Event types by code, each as ``EventTypeText`` writes it.
  var types: [[UInt8]] = []
  /// Whether there were few enough types to record them all. Where not, there is no index.
  var hasAllTypes = true
  var context = DimensionDictionary()
  var props = DimensionDictionary()
}

/// The contents of `ctx`, or of `props`, that occur; number 0 is the empty one.
struct DimensionDictionary: Sendable {
  /// Distinct pairs of key and value, each as ``DimensionCell`` writes it.
  var cells: [[UInt8]] = []
  /// Where each content's cells end in ``cellsOfRows``; each begins where the one before ends.
  var rowEnds: [UInt32] = [0]
  /// Numbers of cells, of one content sorted by key.
  var cellsOfRows: [UInt32] = []
  /// Keys that are not indexed.
  var dropped: Set<[UInt8]> = []
  /// Whether no key is indexed at all.
  var dropsAll = false

  /// How many contents there are.
  var rowCount: Int { rowEnds.count }

  /// The numbers of the cells of a content.
  func cells(ofRow row: Int) -> ArraySlice<UInt32> {
    cellsOfRows[(row == 0 ? 0 : Int(rowEnds[row - 1]))..<Int(rowEnds[row])]
  }

  /// Whether the values of a key are indexed.
  func isIndexed(_ key: String) -> Bool {
    !dropsAll && !dropped.contains(Array(key.utf8))
  }
}
