import FunnelIngest
public import FunnelModel

/// A key of `ctx` or `props` with its values in the log.
public struct KeyValues: Sendable {
  /// The key, as a stored dimension.
  public let key: Dimension
  /// The values as texts, sorted.
  public let values: [String]
}

extension StoreContents {
  /// Returns the keys of `ctx` and `props` that have at least two and at most `valuesMax` values, sorted by name.
  ///
  /// Only the dictionaries of the index are read. Statistics that were counted from the log have no keys.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  public func keys(valuesMax: Int) throws(FunnelError) -> [KeyValues] {
    guard case .index(let index) = source else { return [] }
    var cells: [Dimension: Set<[UInt8]>] = [:]
    for run in index.runs {
      for cell in try run.contextDictionary().cells { add(cell, as: Dimension.context, to: &cells) }
      for cell in try run.propsDictionary().cells { add(cell, as: Dimension.property, to: &cells) }
    }
    return cells.filter { (2...valuesMax).contains($0.value.count) }
      .map { KeyValues(key: $0.key, values: $0.value.compactMap(Self.text).sorted()) }
      .sorted { $0.key.description < $1.key.description }
  }

  /// Adds a dictionary entry to the entries of its key.
  private func add(_ bytes: [UInt8], as dimension: (String) -> Dimension, to cells: inout [Dimension: Set<[UInt8]>]) {
    let key = bytes.withUnsafeBytes { bytes in
      DimensionCell.read(bytes).map { String(decoding: $0.cell.key, as: UTF8.self) }
    }
    if let key { cells[dimension(key), default: []].insert(bytes) }
  }

  /// Returns the value of a dictionary entry in the notation of a condition, or `nil` for an entry without a value.
  private static func text(_ bytes: [UInt8]) -> String? {
    bytes.withUnsafeBytes { bytes in
      switch DimensionCell.read(bytes)?.cell.value {
      case .string(let text)?: String(decoding: text, as: UTF8.self)
      case .integer(let number)?: String(number)
      case .double(let number)?: String(number)
      case .bool(let isTrue)?: String(isTrue)
      case .null?, nil: nil
      }
    }
  }
}
