internal import FunnelIngest
internal import FunnelModel

/// The contents of a dictionary reduced to some keys: the combinations of their values that occur, and the combination of each content.
struct DimensionProjection: Sendable {
  /// The combination of each content.
  private(set) var combinationOfRow: [UInt32] = []
  /// The cells of each combination, one for each key, or nil if it has no value for the key.
  private(set) var combinations: [[[UInt8]?]] = []

  /// A projection on no keys, in which all contents are the same.
  static let trivial = DimensionProjection()

  private init() {}

  /// Projects a dictionary on keys. Returns nil if the contents lack the values of one of the keys, except those that are dispensable.
  init?(_ dictionary: DimensionDictionary, keys: [String], dispensable: Set<String> = []) {
    guard dictionary.hasValues(of: keys, except: dispensable) else { return nil }
    let keyOfCell = dictionary.cells.map { cell in
      cell.withUnsafeBytes { bytes -> Int? in
        guard let cell = DimensionCell.read(bytes)?.cell, cell.value != nil else { return nil }
        return keys.firstIndex { cell.key.elementsEqual($0.utf8) }
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

  /// Projects a dictionary on all keys: every content is a combination of its own, without its measured properties. Returns nil if a key
  /// is not indexed, or if the contents lack the values of one of `keys`, except those that are dispensable.
  init?(wholeOf dictionary: DimensionDictionary, keys: [String], dispensable: Set<String>) {
    guard !dictionary.dropsAll, dictionary.dropped.isEmpty, dictionary.hasValues(of: keys, except: dispensable) else {
      return nil
    }
    combinationOfRow = (0..<UInt32(dictionary.rowCount)).map { $0 }
    combinations = (0..<dictionary.rowCount).map { row in dictionary.cells(ofRow: row).map { dictionary.cells[Int($0)] } }
  }

  /// Whether the projection has no keys.
  var isTrivial: Bool { combinations.isEmpty }

  /// The number of combinations, at least one.
  var count: Int { max(combinations.count, 1) }

  /// Returns the values of a combination, null for a key without a value.
  func values(_ combination: Int) -> [PropertyValue] {
    guard !combinations.isEmpty else { return [] }
    return combinations[combination].map { cell in
      cell.map { $0.withUnsafeBytes { DimensionCell.read($0)?.cell.value?.propertyValue ?? .null } } ?? .null
    }
  }

  /// Returns the members of a combination, each key once.
  func members(_ combination: Int) -> [(key: String, value: PropertyValue)] {
    guard !combinations.isEmpty else { return [] }
    return combinations[combination].compactMap { cell in
      cell?.withUnsafeBytes { bytes in
        guard let cell = DimensionCell.read(bytes)?.cell, let value = cell.value else { return nil }
        return (String(decoding: cell.key, as: UTF8.self), value.propertyValue)
      }
    }
  }

  /// Calls `body` with a combination as the members of an event, sorted by key. They are valid only during the call.
  func withMembers<Result>(_ combination: Int, _ body: ([EventMember]) -> Result) -> Result {
    let cells = combinations.isEmpty ? [] : combinations[combination].compactMap { $0 }
    let text = cells.flatMap { $0 }
    return text.withUnsafeBytes { bytes in
      var members: [EventMember] = []
      var place = 0
      while place < bytes.count, let (cell, byteCount) = DimensionCell.read(UnsafeRawBufferPointer(rebasing: bytes[place...])) {
        if let value = cell.value { members.append(EventMember(cell.key, value)) }
        place += byteCount
      }
      members.sort { $0.key.precedes($1.key) }
      return body(members)
    }
  }
}
