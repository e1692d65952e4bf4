/// The union of several dictionaries, with the translation of each one's codes.
struct DictionaryUnion {
  private(set) var dictionaries = IndexDictionaries()
  /// The new codes indexed by the old ones, for each dictionary.
  private(set) var types: [[UInt32]] = []
  private(set) var context: [[UInt32]] = []
  private(set) var props: [[UInt32]] = []

  /// Creates the union of dictionaries.
  ///
  /// - Parameter numbering: The numbering of an earlier state of the same dictionaries; only entries added since then cost time.
  init(_ sources: [IndexDictionaries], _ numbering: DictionaryNumbering = DictionaryNumbering()) {
    var codeOfType: [[UInt8]: UInt32] = [:]
    for source in sources {
      types.append(
        source.types.map { type in
          if let code = codeOfType[type] { return code }
          let code = UInt32(dictionaries.types.count)
          dictionaries.types.append(type)
          codeOfType[type] = code
          return code
        })
    }
    dictionaries.hasAllTypes = sources.allSatisfy(\.hasAllTypes) && dictionaries.types.count <= IndexLimits.typesMax
    let contextUnion = DimensionUnion(sources.map(\.context), numbering.context)
    let propsUnion = DimensionUnion(sources.map(\.props), numbering.props)
    dictionaries.context = contextUnion.dictionary
    dictionaries.props = propsUnion.dictionary
    context = contextUnion.codes
    props = propsUnion.codes
  }
}

/// The numbering that successive unions of growing dictionaries have in common. It must not be shared between threads.
final class DictionaryNumbering {
  fileprivate let context = CellNumbering()
  fileprivate let props = CellNumbering()
}

/// A common numbering of the cells of several dictionaries.
private final class CellNumbering {
  private(set) var cells: [[UInt8]] = []
  private(set) var keyOfCell: [Int] = []
  private(set) var keys: [[UInt8]] = []
  /// The number of values of each key.
  private(set) var valueCounts: [UInt32] = []
  /// The common numbers of the cells of each dictionary.
  private(set) var commonCells: [[UInt32]] = []
  private var numberOfCell: [[UInt8]: UInt32] = [:]
  private var numberOfKey: [[UInt8]: Int] = [:]

  /// Adds the cells that were appended to the dictionaries since the last update.
  func update(_ sources: [DimensionDictionary]) {
    for (index, source) in sources.enumerated() {
      if index == commonCells.count { commonCells.append([]) }
      for cell in source.cells[commonCells[index].count...] { commonCells[index].append(number(of: cell)) }
    }
  }

  private func number(of cell: [UInt8]) -> UInt32 {
    if let number = numberOfCell[cell] { return number }
    let number = UInt32(cells.count)
    let bytes = cell.withUnsafeBytes {
      Array(DimensionCell.read($0)?.cell.key ?? UnsafeRawBufferPointer(start: nil, count: 0))
    }
    let key = numberOfKey[bytes] ?? keys.count
    if key == keys.count {
      numberOfKey[bytes] = key
      keys.append(bytes)
      valueCounts.append(0)
    }
    cells.append(cell)
    keyOfCell.append(key)
    valueCounts[key] += 1
    numberOfCell[cell] = number
    return number
  }
}

/// The union of several dictionaries of contents, without the keys that one of them drops, and those with too many values in the union.
private struct DimensionUnion {
  private(set) var dictionary = DimensionDictionary()
  private(set) var codes: [[UInt32]] = []

  private let numbering: CellNumbering

  init(_ sources: [DimensionDictionary], _ numbering: CellNumbering) {
    self.numbering = numbering
    numbering.update(sources)
    for source in sources {
      dictionary.dropped.formUnion(source.dropped)
      if source.dropsAll { dictionary.dropsAll = true }
    }
    if numbering.keys.count > IndexLimits.keysMax { dictionary.dropsAll = true }
    var valuesMax = UInt32(IndexLimits.valuesOfKeyMax)
    repeat {
      for (key, count) in zip(numbering.keys, numbering.valueCounts) where count > valuesMax { dictionary.dropped.insert(key) }
      joinRows(of: sources)
      valuesMax = IndexLimits.tightened(valuesMax)
    } while dictionary.rowCount > IndexLimits.contentsMax
  }

  /// Numbers the contents, reduced to the keys that are kept.
  private mutating func joinRows(of sources: [DimensionDictionary]) {
    let dropsAll = dictionary.dropsAll
    let isKept = numbering.keys.map { !dropsAll && !dictionary.dropped.contains($0) }
    var newCells: [UInt32?] = Array(repeating: nil, count: numbering.cells.count)
    dictionary.cells = []
    dictionary.rowEnds = [0]
    dictionary.cellsOfRows = []
    codes = []
    var numberOfRow: [[UInt32]: UInt32] = [[]: 0]
    for (source, common) in zip(sources, numbering.commonCells) {
      codes.append(
        (0..<source.rowCount).map { row in
          var content: [UInt32] = []
          for cell in source.cells(ofRow: row) where isKept[numbering.keyOfCell[Int(common[Int(cell)])]] {
            content.append(common[Int(cell)])
          }
          if let number = numberOfRow[content] { return number }
          let number = UInt32(dictionary.rowEnds.count)
          numberOfRow[content] = number
          for cell in content { dictionary.cellsOfRows.append(newCell(cell, &newCells)) }
          dictionary.rowEnds.append(UInt32(dictionary.cellsOfRows.count))
          return number
        })
    }
  }

  private mutating func newCell(_ cell: UInt32, _ newCells: inout [UInt32?]) -> UInt32 {
    if let number = newCells[Int(cell)] { return number }
    let number = UInt32(dictionary.cells.count)
    dictionary.cells.append(numbering.cells[Int(cell)])
    newCells[Int(cell)] = number
    return number
  }
}
