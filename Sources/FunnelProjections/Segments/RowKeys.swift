import FunnelIndex
import FunnelModel

/// Looks up which keys of a query the dimension rows of events have, and whether a group has several values of a key.
///
/// Results are cached by row, because there are few rows and many events. Not thread-safe: each worker owns one.
struct RowKeys {
  /// The keys. All results refer to them by index.
  let keys: [Dimension]
  /// Whether values are compared as text, so 5.1 differs from 5.10.
  private let areTexts: Bool
  private let currentSegments: @Sendable () -> SegmentTable
  private var table = SegmentTable()
  /// A cache of the keys that each row lacks, or `nil` for a row that is not read yet.
  private var lackingOfRow: [KeySet?] = []
  /// A cache of whether each row has all keys, or `nil` for a row that is not read yet.
  // It is separate because reading a set of keys costs more, and most rows have all keys.
  private var isRowComplete: [Bool?] = []
  /// A cache of the value IDs of each row, by key; empty for a row that is not read yet.
  private var valueIDsOfRow: [[Int32]] = []
  /// The value ID of each text. IDs are shared by all keys.
  private var valueIDOfText: [PropertyValue: Int32] = [:]

  /// The value ID of an absent value.
  // An Optional would take twice the memory.
  private static let absent: Int32 = -1

  /// Creates a lookup of keys.
  ///
  /// - Parameters:
  ///   - areTexts: Whether values are compared as text. If not, numbers are compared by value.
  ///   - currentSegments: Returns the segment table of the source, which may grow.
  init(_ keys: [Dimension], areTexts: Bool = true, currentSegments: @escaping @Sendable () -> SegmentTable) {
    self.keys = keys
    self.areTexts = areTexts
    self.currentSegments = currentSegments
  }

  /// Returns the keys that a row lacks.
  mutating func lacking(row: UInt32) -> KeySet {
    let index = Int(row)
    if index < lackingOfRow.count, let known = lackingOfRow[index] { return known }
    while lackingOfRow.count <= index { lackingOfRow.append(nil) }
    let values = values(row: row)
    let lacking = KeySet(count: keys.count) { values[$0] == .null }
    lackingOfRow[index] = lacking
    return lacking
  }

  /// Returns whether a row has all keys.
  mutating func isComplete(row: UInt32) -> Bool {
    let index = Int(row)
    if index < isRowComplete.count, let known = isRowComplete[index] { return known }
    while isRowComplete.count <= index { isRowComplete.append(nil) }
    let isComplete = lacking(row: row).isEmpty
    isRowComplete[index] = isComplete
    return isComplete
  }

  /// Returns the index of the first event of a group that has each of some keys, by key.
  ///
  /// - Parameters:
  ///   - event: The index of the event after which the search starts.
  ///   - window: The window in which events are searched.
  ///   - missing: The keys to search for.
  mutating func firstEvents(
    of events: EventSequence, after event: Int, within window: ConversionWindow, with missing: KeySet
  ) -> [Int: Int] {
    guard let rows = events.rows else { return [:] }
    var missing = missing
    var found: [Int: Int] = [:]
    var index = event + 1
    while !missing.isEmpty, index < events.count, window.contains(events.times[index]) {
      let new = missing.subtracting(lacking(row: rows[index]))
      new.forEach { found[$0] = index }
      missing.subtract(new)
      index += 1
    }
    return found
  }

  /// Returns whether the events of a group have several values of one of the keys. Absent values are ignored.
  ///
  /// - Parameters:
  ///   - event: The index of the first event to read.
  ///   - window: The window of the events. Later events are ignored.
  mutating func areMixed(in events: EventSequence, from event: Int, within window: ConversionWindow) -> Bool {
    guard let rows = events.rows else { return false }
    var known = [Int32](repeating: Self.absent, count: keys.count)
    var lastRow: UInt32?
    var index = event
    while index < events.count, window.contains(events.times[index]) {
      defer { index += 1 }
      guard rows[index] != lastRow else { continue }
      lastRow = rows[index]
      let ids = valueIDs(row: rows[index])
      for key in keys.indices where ids[key] != Self.absent {
        if known[key] == Self.absent { known[key] = ids[key] }
        if known[key] != ids[key] { return true }
      }
    }
    return false
  }

  /// Returns the value of each key at the last event of a group that has it, by key; null if no event has it.
  mutating func lastValues(of events: EventSequence) -> [PropertyValue] {
    var found = [PropertyValue](repeating: .null, count: keys.count)
    guard let rows = events.rows else { return found }
    var missing = KeySet(count: keys.count) { _ in true }
    for index in (0..<events.count).reversed() where !missing.isEmpty {
      let new = missing.subtracting(lacking(row: rows[index]))
      if new.isEmpty { continue }
      let values = values(row: rows[index])
      new.forEach { found[$0] = values[$0] }
      missing.subtract(new)
    }
    return found
  }

  /// Returns the value IDs of a row, by key, or ``absent`` for a key that the row lacks. Equal texts have equal IDs.
  private mutating func valueIDs(row: UInt32) -> [Int32] {
    let index = Int(row)
    if index < valueIDsOfRow.count, !valueIDsOfRow[index].isEmpty { return valueIDsOfRow[index] }
    while valueIDsOfRow.count <= index { valueIDsOfRow.append([]) }
    valueIDsOfRow[index] = values(row: row).map { value in
      guard value != .null else { return Self.absent }
      let text = PropertyValue.string(value.segmentValue(isText: areTexts).description)
      if let id = valueIDOfText[text] { return id }
      let id = Int32(valueIDOfText.count)
      valueIDOfText[text] = id
      return id
    }
    return valueIDsOfRow[index]
  }

  /// Returns the values of a row, by key, which are null for a key that the row lacks.
  private mutating func values(row: UInt32) -> [PropertyValue] {
    // The source may have added the row after the table was read.
    if row >= table.count { table = currentSegments() }
    return keys.map { row < table.count ? table.value(of: $0, row: row) : .null }
  }
}
