import FunnelIndex
import FunnelModel

/// Looks up the numbers of the segments that events belong to, with a cache.
///
/// The segment of an event depends on its row of dimension values and, if the query uses days, weeks or months, on its day (or its
/// hour, ``SegmentQuestion/period(at:)``). Both have few distinct values.
struct SegmentLookup {
  private let question: SegmentQuestion
  private let currentSegments: @Sendable () -> SegmentTable
  private var segments = SegmentTable()
  /// The numbers by row, used if the day does not matter.
  private var numberOfRow: [Int32] = []
  private var numberOfPlace: [Place: Int32] = [:]
  /// The numbers by the rows of the anchor and of the steps' matches, used if values at matches matter.
  private var numberOfMatches: [Matches: Int32] = [:]
  /// A direct-mapped cache of recent results, used if the day matters.
  private var recent = Array(repeating: Recent(place: Place(row: 0, day: .min), number: 0), count: 256)

  private static let unknown: Int32 = -2
  /// The value for rows at which a condition of the query does not hold.
  private static let excluded: Int32 = -1

  private struct Place: Hashable {
    let row: UInt32
    /// The day, or the hour if the query uses hours.
    let day: Int
  }

  private struct Matches: Hashable {
    let place: Place
    let stepRows: [UInt32?]
  }

  private struct Recent {
    var place: Place
    var number: Int32
  }

  /// Creates a lookup in a table whose rows may grow while it is used.
  init(question: SegmentQuestion, currentSegments: @escaping @Sendable () -> SegmentTable) {
    self.question = question
    self.currentSegments = currentSegments
  }

  /// Returns the number of an event's segment, which is added to the tally if it is new, or nil if a condition of the query does not hold.
  @inline(__always)
  mutating func segmentNumber(row: UInt32, milliseconds: Int64, in tally: inout Tally) -> Int? {
    if question.isWhole { return 0 }
    let number =
      question.asksForDays
      ? dailyNumber(row: row, milliseconds: milliseconds, in: &tally) : plainNumber(row: row, in: &tally)
    return number == Self.excluded ? nil : Int(number)
  }

  /// Returns the number if values at the matches of steps matter; `stepRows` has the row of each of ``SegmentQuestion/steps``.
  mutating func segmentNumber(row: UInt32, milliseconds: Int64, stepRows: [UInt32?], in tally: inout Tally) -> Int? {
    let day = question.asksForDays ? question.period(at: milliseconds) : 0
    let matches = Matches(place: Place(row: row, day: day), stepRows: stepRows)
    let number = numberOfMatches[matches] ?? find(row: row, milliseconds: milliseconds, stepRows: stepRows, in: &tally)
    numberOfMatches[matches] = number
    return number == Self.excluded ? nil : Int(number)
  }

  @inline(__always)
  private mutating func plainNumber(row: UInt32, in tally: inout Tally) -> Int32 {
    let index = Int(row)
    if index < numberOfRow.count, numberOfRow[index] != Self.unknown { return numberOfRow[index] }
    while numberOfRow.count <= index { numberOfRow.append(Self.unknown) }
    numberOfRow[index] = find(row: row, milliseconds: 0, in: &tally)
    return numberOfRow[index]
  }

  private mutating func dailyNumber(row: UInt32, milliseconds: Int64, in tally: inout Tally) -> Int32 {
    let day = question.period(at: milliseconds)
    let place = Place(row: row, day: day)
    let slot = (Int(row) &* 31 &+ day) & (recent.count - 1)
    if recent[slot].place == place { return recent[slot].number }
    let number = numberOfPlace[place] ?? find(row: row, milliseconds: milliseconds, in: &tally)
    numberOfPlace[place] = number
    recent[slot] = Recent(place: place, number: number)
    return number
  }

  private mutating func find(
    row: UInt32, milliseconds: Int64, stepRows: [UInt32?] = [], in tally: inout Tally
  ) -> Int32 {
    // The row may have been added after the segments were read.
    if stepRows.reduce(row, { max($0, $1 ?? 0) }) >= segments.count { segments = currentSegments() }
    let segment = question.segment(row: row, milliseconds: milliseconds, stepRows: stepRows, in: segments)
    return segment.map { Int32(tally.segmentNumber(of: $0)) } ?? Self.excluded
  }
}
