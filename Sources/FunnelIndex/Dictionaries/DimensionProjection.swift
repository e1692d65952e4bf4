internal import FunnelIngest
internal import FunnelModel

/// The contents of a dictionary reduced to some keys: which combinations of their values occur, and which one each content has.
struct DimensionProjection: Sendable {
  /// The combination of each content.
  private(set) var combinationOfRow: [UInt32] = []
  /// The cells of each combination, one for each key, nil where it has none.
  private(set) var combinations: [[[UInt8]?]] = []

  /// A projection of which all contents are the same.
  static let trivial = DimensionProjection()

  private init() {}

  /// Reduces a dictionary; nil where one of the keys is not indexed.
  init?(_ dictionary: DimensionDictionary, keys: [String]) {
    guard keys.allSatisfy(dictionary.isIndexed) else { return nil }
    let keyOfCell = dictionary.cells.map { cell in
      cell.withUnsafeBytes { bytes -> Int? in
        guard let key = DimensionCell.read(bytes)?.cell.key else { return nil }
        return keys.firstIndex { key.elementsEqual($0.utf8) }
      }
    }
    var numbers: [[UInt32?]: UInt32] = [:]
    for row in 0..<dictionary.rowCount {
      var cells: [UInt32?] = Array(repeating: nil, count: keys.count)
      for cell in dictionary.cells(ofRow: row) {
        if let key = keyOfCell[Int(cell)] { cells[key] = cell }
      }
      let number = numbers[cells] ?? UInt32(combinations.count)
      if Int(number) == combinations.count {
        numbers[cells] = number
        combinations.append(cells.map { $0.map { dictionary.cells[Int($0)] } })
      }
      combinationOfRow.append(number)
    }
  }

  /// Whether no key matters.
  var isTrivial: Bool { combinations.isEmpty }

  /// How many combinations there are, at least one.
  var count: Int { max(combinations.count, 1) }

  /// The values of a combination, null where there is none.
  func values(_ combination: Int) -> [PropertyValue] {
    guard !combinations.isEmpty else { return [] }
    return combinations[combination].map { cell in
      cell.map { $0.withUnsafeBytes { DimensionCell.read($0)?.cell.value.propertyValue ?? .null } } ?? .null
    }
  }

  /// Calls the body with a combination as the members of an event, sorted by key; they are valid only inside the call.
  func withMembers<Result>(_ combination: Int, _ body: ([EventMember]) -> Result) -> Result {
    let cells = combinations.isEmpty ? [] : combinations[combination].compactMap { $0 }
    let text = cells.flatMap { $0 }
    return text.withUnsafeBytes { bytes in
      var members: [EventMember] = []
      var place = 0
      while place < bytes.count, let (cell, byteCount) = DimensionCell.read(UnsafeRawBufferPointer(rebasing: bytes[place...])) {
        members.append(EventMember(cell.key, cell.value))
        place += byteCount
      }
      members.sort { $0.key.precedes($1.key) }
      return body(members)
    }
  }
}
