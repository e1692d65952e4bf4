/// The encoding of dictionaries: a number takes four bytes, and lists and byte strings are preceded by their count.
extension IndexDictionaries {
  /// Appends the encoded event types.
  func appendTypes(to bytes: inout GrowingBytes) { bytes.append(strings: types) }

  /// Decodes event types, or returns `nil` if the bytes are invalid.
  static func types(from bytes: UnsafeRawBufferPointer) -> [[UInt8]]? {
    var reader = NumberReader(bytes)
    guard let types = reader.strings(), reader.isAtEnd else { return nil }
    return types
  }
}

extension DimensionDictionary {
  /// Appends the encoded dictionary.
  func append(to bytes: inout GrowingBytes) {
    bytes.append(number: UInt32(dropsAll ? 1 : 0))
    bytes.append(strings: dropped.sorted { $0.lexicographicallyPrecedes($1) })
    bytes.append(strings: cells)
    bytes.append(list: rowEnds)
    bytes.append(list: cellsOfRows)
  }

  /// Decodes a dictionary, or returns `nil` if the bytes are invalid or one of the numbers is out of range.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = NumberReader(bytes)
    guard let flag = reader.number(), let dropped = reader.strings(), let cells = reader.strings(), let ends = reader.list(),
      let numbers = reader.list(), reader.isAtEnd
    else { return nil }
    self.init(cells: cells, rowEnds: ends, cellsOfRows: numbers, dropped: Set(dropped), dropsAll: flag != 0)
    guard isSound else { return nil }
  }

  /// Whether all offsets and numbers are in range, and all entries are valid.
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

/// Decodes numbers, strings and lists one after another. The methods return `nil` if the bytes end too early.
private struct NumberReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  private static let numberBytes = MemoryLayout<UInt32>.size

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// Whether all bytes have been decoded.
  var isAtEnd: Bool { offset == bytes.count }

  mutating func number() -> UInt32? {
    guard bytes.count - offset >= Self.numberBytes else { return nil }
    defer { offset += Self.numberBytes }
    return bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
  }

  mutating func strings() -> [[UInt8]]? {
    guard let count = number(), Int(count) <= bytes.count - offset else { return nil }
    var strings: [[UInt8]] = []
    strings.reserveCapacity(Int(count))
    for _ in 0..<count {
      guard let length = number(), Int(length) <= bytes.count - offset else { return nil }
      strings.append(Array(bytes[offset..<offset + Int(length)]))
      offset += Int(length)
    }
    return strings
  }

  mutating func list() -> [UInt32]? {
    guard let count = number(), Int(count) <= (bytes.count - offset) / Self.numberBytes else { return nil }
    return (0..<count).compactMap { _ in number() }
  }
}
