/// The encoding of dictionaries: numbers of four bytes, and byte strings preceded by their length.
extension IndexDictionaries {
  /// Writes the types.
  func appendTypes(to bytes: inout GrowingBytes) { bytes.append(strings: types) }

  /// Reads types. Returns nil if the bytes are invalid.
  static func types(from bytes: UnsafeRawBufferPointer) -> [[UInt8]]? {
    var reader = NumberReader(bytes)
    guard let types = reader.strings(), reader.isAtEnd else { return nil }
    return types
  }
}

extension DimensionDictionary {
  /// Writes the dictionary.
  func append(to bytes: inout GrowingBytes) {
    bytes.append(number: UInt32(dropsAll ? 1 : 0))
    bytes.append(strings: dropped.sorted { $0.lexicographicallyPrecedes($1) })
    bytes.append(strings: cells)
    bytes.append(list: rowEnds)
    bytes.append(list: cellsOfRows)
  }

  /// Reads a dictionary. Returns nil if the bytes are invalid, or if one of the numbers is out of range.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = NumberReader(bytes)
    guard let flag = reader.number(), let dropped = reader.strings(), let cells = reader.strings(), let ends = reader.list(),
      let numbers = reader.list(), reader.isAtEnd
    else { return nil }
    self.init(cells: cells, rowEnds: ends, cellsOfRows: numbers, dropped: Set(dropped), dropsAll: flag != 0)
    guard isSound else { return nil }
  }

  private var isSound: Bool {
    guard rowEnds.first == 0, Int(rowEnds.last ?? 0) == cellsOfRows.count else { return false }
    guard zip(rowEnds, rowEnds.dropFirst()).allSatisfy({ $0 <= $1 }) else { return false }
    guard cellsOfRows.allSatisfy({ Int($0) < cells.count }) else { return false }
    return cells.allSatisfy { cell in cell.withUnsafeBytes { DimensionCell.read($0)?.byteCount == $0.count } }
  }
}

extension GrowingStorage where Element == UInt8 {
  fileprivate mutating func append(strings: [[UInt8]]) {
    append(number: UInt32(strings.count))
    for string in strings {
      append(number: UInt32(string.count))
      string.withUnsafeBytes { append(raw: $0) }
    }
  }

  fileprivate mutating func append(list: [UInt32]) {
    append(number: UInt32(list.count))
    list.withUnsafeBytes { append(raw: $0) }
  }
}

/// Reads numbers, strings and lists. Returns nil if the bytes end too early.
private struct NumberReader {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { place == bytes.count }

  mutating func number() -> UInt32? {
    guard bytes.count - place >= 4 else { return nil }
    defer { place += 4 }
    return bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
  }

  mutating func strings() -> [[UInt8]]? {
    guard let count = number(), Int(count) <= bytes.count - place else { return nil }
    var strings: [[UInt8]] = []
    strings.reserveCapacity(Int(count))
    for _ in 0..<count {
      guard let length = number(), Int(length) <= bytes.count - place else { return nil }
      strings.append(Array(bytes[place..<place + Int(length)]))
      place += Int(length)
    }
    return strings
  }

  mutating func list() -> [UInt32]? {
    guard let count = number(), Int(count) <= (bytes.count - place) / 4 else { return nil }
    return (0..<count).compactMap { _ in number() }
  }
}
