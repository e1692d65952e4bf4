internal import FunnelIngest
internal import FunnelModel

/// A dictionary reduced to some keys: the combinations of their values that occur, and the combination of each content.
struct DimensionProjection: Sendable {
  /// The combination of each content, by the content's number. Empty if the projection is trivial.
  private(set) var combinationOfRow: [UInt32] = []
  /// The encoded entries of each combination, one for each key; `nil` for a key without a value.
  private(set) var combinations: [[[UInt8]?]] = []

  /// The projection on no keys, in which all contents are equal.
  static let trivial = DimensionProjection()

  private init() {}

  /// Projects a dictionary on keys, or returns `nil` if the values of one of them are not in the dictionary.
  ///
  /// - Parameter dispensable: Keys whose values may be missing from the dictionary. They then have no value.
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

  /// Projects a dictionary on all keys: each content is a combination of its own, without its measured
  /// properties. Returns `nil` if a key is not indexed, or if the values of one of `keys` are not in the
  /// dictionary.
  ///
  /// - Parameter dispensable: Keys whose values may be missing from the dictionary.
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

  /// Returns the values of a combination in the order of the keys, null for a key without a value.
  func values(_ combination: Int) -> [PropertyValue] {
    guard !combinations.isEmpty else { return [] }
    return combinations[combination].map { cell in
      cell.map { $0.withUnsafeBytes { DimensionCell.read($0)?.cell.value?.propertyValue ?? .null } } ?? .null
    }
  }

  /// Returns the keys of a combination with their values, each key once.
  func members(_ combination: Int) -> [(key: String, value: PropertyValue)] {
    guard !combinations.isEmpty else { return [] }
    return combinations[combination].compactMap { cell in
      cell?.withUnsafeBytes { bytes in
        guard let cell = DimensionCell.read(bytes)?.cell, let value = cell.value else { return nil }
        return (String(decoding: cell.key, as: UTF8.self), value.propertyValue)
      }
    }
  }

  /// Calls `body` with the members of a combination, sorted by key. They are valid only during the call.
  func withMembers<Result>(_ combination: Int, _ body: ([EventMember]) -> Result) -> Result {
    let cells = combinations.isEmpty ? [] : combinations[combination].compactMap { $0 }
    let joined = cells.flatMap { $0 }
    return joined.withUnsafeBytes { bytes in
      var members: [EventMember] = []
      var offset = 0
      while offset < bytes.count,
        let (cell, byteCount) = DimensionCell.read(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
      {
        if let value = cell.value { members.append(EventMember(cell.key, value)) }
        offset += byteCount
      }
      members.sort { $0.key.precedes($1.key) }
      return body(members)
    }
  }
}
