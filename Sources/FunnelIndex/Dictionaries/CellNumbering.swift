/// A common numbering of the cells of several dictionaries, which may grow. It must not be shared between threads.
final class CellNumbering {
  private(set) var cells: [[UInt8]] = []
  private(set) var keyOfCell: [Int] = []
  private(set) var contentOfCell: [CellContent] = []
  private(set) var keys: [Key] = []
  /// The common numbers of the cells of each dictionary.
  private(set) var commonCells: [[UInt32]] = []
  private var numberOfCell: [[UInt8]: UInt32] = [:]
  private var numberOfKey: [[UInt8]: Int] = [:]

  /// What a cell says of its key.
  enum CellContent {
    case measured
    case number(MeasuredNumber)
    case other
  }

  /// What is known of a key.
  struct Key {
    let bytes: [UInt8]
    /// The number of its values.
    var valueCount: UInt32 = 0
    var hasOnlyNumbers = true
    /// Whether one of the dictionaries measures it.
    var isMeasured = false
  }

  /// Adds the cells that were appended to the dictionaries since the last update.
  func update(_ sources: [DimensionDictionary]) {
    for (index, source) in sources.enumerated() {
      if index == commonCells.count { commonCells.append([]) }
      for cell in source.cells[commonCells[index].count...] { commonCells[index].append(number(of: cell)) }
    }
  }

  /// Returns the number of the cell that says that a key is measured.
  func numberOfMeasuredCell(ofKey key: Int) -> UInt32 {
    var bytes = GrowingBytes(capacity: 64)
    keys[key].bytes.withUnsafeBytes { DimensionCell.append(measured: $0, to: &bytes) }
    return number(of: Array(bytes.elements))
  }

  private func number(of cell: [UInt8]) -> UInt32 {
    if let number = numberOfCell[cell] { return number }
    let number = UInt32(cells.count)
    let (bytes, content) = cell.withUnsafeBytes { bytes -> ([UInt8], CellContent) in
      guard let cell = DimensionCell.read(bytes)?.cell else { return ([], .other) }
      return (Array(cell.key), cell.value == nil ? .measured : cell.number.map(CellContent.number) ?? .other)
    }
    let key = numberOfKey[bytes] ?? keys.count
    if key == keys.count {
      numberOfKey[bytes] = key
      keys.append(Key(bytes: bytes))
    }
    cells.append(cell)
    keyOfCell.append(key)
    contentOfCell.append(content)
    switch content {
    case .measured: keys[key].isMeasured = true
    case .number: keys[key].valueCount += 1
    case .other:
      keys[key].valueCount += 1
      keys[key].hasOnlyNumbers = false
    }
    numberOfCell[cell] = number
    return number
  }
}
