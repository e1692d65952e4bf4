/// Durations on their way into a tally: rows of a few each, handed on when a row is full.
///
/// A histogram is large, and a group has a duration for many of them. Written down first, durations reach each histogram in batches, and
/// the fold itself stays within memory that is near. Sheets beyond the first ones have no rows.
struct DurationBuffers: ~Copyable {
  /// Words of a row: the number of durations in it, then the durations.
  static let rowWords = 128
  private static let bytesMax = 2 << 20

  private let durationCount: Int
  private let sheetCountMax: Int
  /// The rows of each sheet, nil where it has none yet.
  private let sheets: UnsafeMutablePointer<UnsafeMutablePointer<Int64>?>
  /// The rows of sheet 0.
  let whole: UnsafeMutablePointer<Int64>

  init(durationCount: Int) {
    self.durationCount = durationCount
    sheetCountMax = max(1, Self.bytesMax / (max(1, durationCount) * Self.rowWords * MemoryLayout<Int64>.stride))
    sheets = .allocate(capacity: sheetCountMax)
    sheets.initialize(repeating: nil, count: sheetCountMax)
    whole = Self.makeRows(durationCount)
    sheets[0] = whole
  }

  deinit {
    for sheet in 0..<sheetCountMax { sheets[sheet]?.deallocate() }
    sheets.deallocate()
  }

  private static func makeRows(_ count: Int) -> UnsafeMutablePointer<Int64> {
    let rows = UnsafeMutablePointer<Int64>.allocate(capacity: max(1, count) * rowWords)
    rows.initialize(repeating: 0, count: max(1, count) * rowWords)
    return rows
  }

  /// The row of a duration, or nil where the sheet has none.
  @inline(__always)
  func row(of duration: Int, in sheet: Int) -> UnsafeMutablePointer<Int64>? {
    guard sheet < sheetCountMax else { return nil }
    let rows = sheets[sheet] ?? addRows(of: sheet)
    return rows + duration * Self.rowWords
  }

  private func addRows(of sheet: Int) -> UnsafeMutablePointer<Int64> {
    let rows = Self.makeRows(durationCount)
    sheets[sheet] = rows
    return rows
  }

  /// Puts a duration into a row.
  ///
  /// - Returns: whether the row is full.
  @inline(__always)
  static func append(_ milliseconds: Int64, to row: UnsafeMutablePointer<Int64>) -> Bool {
    let count = Int(row[0]) &+ 1
    row[count] = milliseconds
    row[0] = Int64(count)
    return count == rowWords - 1
  }

  /// Empties a row into a tally.
  static func drain(_ row: UnsafeMutablePointer<Int64>, of duration: Int, in sheet: Int, into tally: inout Tally) {
    tally.record(UnsafeBufferPointer(start: row + 1, count: Int(row[0])), of: duration, in: sheet)
    row[0] = 0
  }

  /// Empties all rows into a tally.
  func drain(into tally: inout Tally) {
    for sheet in 0..<sheetCountMax {
      guard let rows = sheets[sheet] else { continue }
      for duration in 0..<durationCount where rows[duration * Self.rowWords] > 0 {
        Self.drain(rows + duration * Self.rowWords, of: duration, in: sheet, into: &tally)
      }
    }
  }
}
