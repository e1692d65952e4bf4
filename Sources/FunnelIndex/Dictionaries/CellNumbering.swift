/// A common numbering of the entries of several dictionaries, which may grow (``DimensionCell``).
///
/// Not thread-safe: the thread that builds the unions owns it.
final class CellNumbering {
  /// The encoded entries, by their common numbers.
  private(set) var cells: [[UInt8]] = []
  /// The index in ``keys`` of each entry's key.
  private(set) var keyOfCell: [Int] = []
  /// The value of each entry.
  private(set) var contentOfCell: [CellContent] = []
  /// The keys of `ctx` or `props`.
  private(set) var keys: [Key] = []
  /// The common numbers of the entries of each dictionary.
  private(set) var commonCells: [[UInt32]] = []
  private var numberOfCell: [[UInt8]: UInt32] = [:]
  private var numberOfKey: [[UInt8]: Int] = [:]

  /// The value of a dictionary entry.
  enum CellContent {
    /// No value: the key is measured.
    case measured
    /// A number.
    case number(MeasuredNumber)
    /// A string or a boolean.
    case other
  }

  /// A key of `ctx` or `props`, with statistics of its values.
  struct Key {
    /// The key as UTF-8.
    let bytes: [UInt8]
    /// The number of distinct values.
    var valueCount: UInt32 = 0
    /// Whether all values are numbers.
    var hasOnlyNumbers = true
    /// Whether one of the dictionaries measures it.
    var isMeasured = false
  }

  /// Adds the entries that were appended to the dictionaries since the last update.
  func update(_ sources: [DimensionDictionary]) {
    for (index, source) in sources.enumerated() {
      if index == commonCells.count { commonCells.append([]) }
      for cell in source.cells[commonCells[index].count...] { commonCells[index].append(number(of: cell)) }
    }
  }

  /// Returns the number of the entry that marks a key as measured.
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
