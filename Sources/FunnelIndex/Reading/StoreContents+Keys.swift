public import FunnelModel

extension StoreContents {
  /// Returns the keys of `ctx` and `props` that have at least two values and at most so many, in the order of their names. Only the
  /// dictionaries of the index are read; contents that were counted from the log have no keys.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  public func keys(valuesMax: Int) throws(FunnelError) -> [Dimension] {
    guard case .index(let index) = source else { return [] }
    var values: [Dimension: Set<[UInt8]>] = [:]
    for run in index.runs {
      for cell in try run.contextDictionary().cells { add(cell, as: Dimension.context, to: &values) }
      for cell in try run.propsDictionary().cells { add(cell, as: Dimension.property, to: &values) }
    }
    return values.filter { (2...valuesMax).contains($0.value.count) }.keys.sorted { $0.description < $1.description }
  }

  private func add(_ bytes: [UInt8], as dimension: (String) -> Dimension, to values: inout [Dimension: Set<[UInt8]>]) {
    let key = bytes.withUnsafeBytes { bytes in
      DimensionCell.read(bytes).map { String(decoding: $0.cell.key, as: UTF8.self) }
    }
    if let key { values[dimension(key), default: []].insert(bytes) }
  }
}
