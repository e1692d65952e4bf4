/// Buffers for durations: one row for each duration of a sheet, drained into a tally when it is full.
///
/// Histograms are large, and each group has durations for many of them. Buffered durations reach each histogram in batches, so the fold
/// itself works in a small part of memory. Only a limited number of sheets, the first ones, have rows.
struct DurationBuffers: ~Copyable {
  /// The number of words of a row: the number of durations in it, followed by the durations.
  static let rowWords = 128
  private static let bytesMax = 2 << 20

  private let durationCount: Int
  private let sheetCountMax: Int
  /// The rows of each sheet; nil if it has none yet.
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

  /// Returns the row of a duration, or nil if its sheet has none.
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

  /// Appends a duration to a row.
  ///
  /// - Returns: Whether the row is full.
  @inline(__always)
  static func append(_ milliseconds: Int64, to row: UnsafeMutablePointer<Int64>) -> Bool {
    let count = Int(row[0]) &+ 1
    row[count] = milliseconds
    row[0] = Int64(count)
    return count == rowWords - 1
  }

  /// Moves the durations of a row into a tally.
  static func drain(_ row: UnsafeMutablePointer<Int64>, of duration: Int, in sheet: Int, into tally: inout Tally) {
    tally.record(UnsafeBufferPointer(start: row + 1, count: Int(row[0])), of: duration, in: sheet)
    row[0] = 0
  }

  /// Moves the durations of all rows into a tally.
  func drain(into tally: inout Tally) {
    for sheet in 0..<sheetCountMax {
      guard let rows = sheets[sheet] else { continue }
      for duration in 0..<durationCount where rows[duration * Self.rowWords] > 0 {
        Self.drain(rows + duration * Self.rowWords, of: duration, in: sheet, into: &tally)
      }
    }
  }
}
