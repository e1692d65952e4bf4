import FunnelIndex
import FunnelModel

/// The keys that the rows of a segment table lack, and the numbers of the values that they have.
///
/// There are few rows and many events, so what is found out about a row is kept.
struct RowKeys {
  let keys: [Dimension]
  /// Whether values are texts whatever they look like, so that 5.1 is not 5.10.
  private let areTexts: Bool
  private let currentSegments: @Sendable () -> SegmentTable
  private var table = SegmentTable()
  /// The keys that each row lacks; nil for a row not looked at yet.
  private var lackingOfRow: [KeySet?] = []
  /// Whether each row has all keys; nil for a row not looked at yet. Reading a set of keys costs more, and most rows lack none.
  private var isRowComplete: [Bool?] = []
  /// The numbers of the values of each row, by key; empty for a row not looked at yet.
  private var numbersOfRow: [[Int32]] = []
  private var numberOfText: [PropertyValue: Int32] = [:]

  /// The number of an absent value.
  private static let absent: Int32 = -1

  /// - Parameters:
  ///   - areTexts: Whether values are texts whatever they look like; else numbers are one by their value.
  ///   - currentSegments: Returns the table, whose rows may grow while it is used.
  init(_ keys: [Dimension], areTexts: Bool = true, currentSegments: @escaping @Sendable () -> SegmentTable) {
    self.keys = keys
    self.areTexts = areTexts
    self.currentSegments = currentSegments
  }

  /// Returns the keys that a row lacks, by index.
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

  /// Returns the first event of a group after another one, within the window, that has each of some keys.
  ///
  /// - Parameters:
  ///   - missing: The keys to search for, by index.
  ///   - deadline: The last moment of the window.
  mutating func firstEvents(
    of group: EventSequence, after event: Int, until deadline: Int64, with missing: KeySet
  ) -> [Int: Int] {
    guard let rows = group.rows else { return [:] }
    var missing = missing
    var found: [Int: Int] = [:]
    var index = event + 1
    while !missing.isEmpty, index < group.count, group.times[index] <= deadline {
      let new = missing.subtracting(lacking(row: rows[index]))
      new.forEach { found[$0] = index }
      missing.subtract(new)
      index += 1
    }
    return found
  }

  /// Returns whether the events of a group have several values of a key, as texts.
  ///
  /// - Parameters:
  ///   - event: The first event that is looked at.
  ///   - deadline: The last moment of the window.
  mutating func areMixed(in group: EventSequence, from event: Int, until deadline: Int64) -> Bool {
    guard let rows = group.rows else { return false }
    var known = [Int32](repeating: Self.absent, count: keys.count)
    var lastRow: UInt32?
    var index = event
    while index < group.count, group.times[index] <= deadline {
      defer { index += 1 }
      guard rows[index] != lastRow else { continue }
      lastRow = rows[index]
      let numbers = numbers(row: rows[index])
      for key in keys.indices where numbers[key] != Self.absent {
        if known[key] == Self.absent { known[key] = numbers[key] }
        if known[key] != numbers[key] { return true }
      }
    }
    return false
  }

  /// Returns numbers of a row's values, by key; values with one text have one number.
  private mutating func numbers(row: UInt32) -> [Int32] {
    let index = Int(row)
    if index < numbersOfRow.count, !numbersOfRow[index].isEmpty { return numbersOfRow[index] }
    while numbersOfRow.count <= index { numbersOfRow.append([]) }
    numbersOfRow[index] = values(row: row).map { value in
      guard value != .null else { return Self.absent }
      let text = PropertyValue.string(value.segmentValue(isText: areTexts).description)
      if let number = numberOfText[text] { return number }
      let number = Int32(numberOfText.count)
      numberOfText[text] = number
      return number
    }
    return numbersOfRow[index]
  }

  private mutating func values(row: UInt32) -> [PropertyValue] {
    // The row may have been added after the table was read.
    if row >= table.count { table = currentSegments() }
    return keys.map { row < table.count ? table.value(of: $0, row: row) : .null }
  }
}
