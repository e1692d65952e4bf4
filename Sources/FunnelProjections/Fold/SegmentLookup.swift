package import FunnelIndex
import FunnelModel

/// Looks up the numbers of the segments that events belong to, with a cache.
///
/// The segment of an event depends on its row of dimension values and, if the query uses days, weeks or months, on its day (or its
/// hour, ``SegmentQuery/period(at:)``). Both have few distinct values.
package struct SegmentLookup {
  private let question: SegmentQuery
  private let currentSegments: @Sendable () -> SegmentTable
  private var segments = SegmentTable()
  /// The numbers by row, used if the day does not matter.
  private var numberOfRow: [Int32] = []
  private var numberOfPlace: [Place: Int32] = [:]
  /// The numbers by the rows of several events, used if values of other events than the anchor matter.
  private var numberOfRows: [Rows: Int32] = [:]
  /// The keys that rows lack, of those asked for at the anchor.
  private var anchorKeys: RowKeys
  /// The values of the keys that groups are split by.
  private var mixedKeys: RowKeys
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

  private struct Rows: Hashable {
    let rows: SegmentRows
    let day: Int
  }

  private struct Recent {
    var place: Place
    var number: Int32
  }

  /// Creates a lookup in a table whose rows may grow while it is used.
  package init(question: SegmentQuery, currentSegments: @escaping @Sendable () -> SegmentTable) {
    self.question = question
    self.currentSegments = currentSegments
    anchorKeys = RowKeys(question.anchorKeys, currentSegments: currentSegments)
    mixedKeys = RowKeys(
      question.mixedKeys, areTexts: question.isFirstKeyText, currentSegments: currentSegments)
  }

  /// Returns the number of an event's segment if its row and time alone determine it, which is added to the tally if it is new, or nil if a condition of the query does not hold.
  @inline(__always)
  mutating func segmentNumber(row: UInt32, milliseconds: Int64, in aggregate: inout Aggregate) -> Int? {
    if question.isWhole { return 0 }
    let number =
      question.asksForDays
      ? dailyNumber(row: row, milliseconds: milliseconds, in: &aggregate) : plainNumber(row: row, in: &aggregate)
    return number == Self.excluded ? nil : Int(number)
  }

  /// Returns the number of a group's segment if other events than the anchor matter, which is added to the tally if it is new; nil if a
  /// condition of the query does not hold.
  ///
  /// - Parameters:
  ///   - event: The anchor, or the first pre-prompt.
  ///   - deadline: The last moment of the window that opens with it.
  ///   - stepEvents: The events of each of ``SegmentQuery/steps`` (``StepMatchFinder``).
  package mutating func segmentNumber(
    of group: EventSequence, at event: Int, until deadline: Int64, stepEvents: UnsafeBufferPointer<UInt32>,
    in aggregate: inout Aggregate
  ) -> Int? {
    if question.isWhole { return 0 }
    if question.query.dropsMixed, areMixed(group, from: event, until: deadline) { return nil }
    var rows = SegmentRows(anchor: group.rows?[event] ?? 0)
    rows.later = laterRows(of: group, after: event, until: deadline)
    rows.steps = stepEvents.map { $0 == Contribution.none ? nil : group.rows?[Int($0)] }
    let milliseconds = group.times[event]
    let day = question.asksForDays ? question.period(at: milliseconds) : 0
    let key = Rows(rows: rows, day: day)
    let number = numberOfRows[key] ?? find(rows, milliseconds: milliseconds, in: &aggregate)
    numberOfRows[key] = number
    return number == Self.excluded ? nil : Int(number)
  }

  /// Returns whether the events of a group have several values of a key that groups are split by.
  package mutating func areMixed(_ group: EventSequence, from event: Int, until deadline: Int64) -> Bool {
    mixedKeys.areMixed(in: group, from: event, until: deadline)
  }

  /// Returns the row that provides each key that the anchor lacks; empty if values are those of the anchor.
  mutating func laterRows(of group: EventSequence, after event: Int, until deadline: Int64) -> [UInt32?] {
    guard question.query.attribution == .known, let rows = group.rows else { return [] }
    let found = anchorKeys.firstEvents(
      of: group, after: event, until: deadline, with: anchorKeys.lacking(row: rows[event]))
    guard !found.isEmpty else { return [] }
    return question.anchorKeys.indices.map { key in found[key].map { rows[$0] } }
  }

  @inline(__always)
  private mutating func plainNumber(row: UInt32, in aggregate: inout Aggregate) -> Int32 {
    let index = Int(row)
    if index < numberOfRow.count, numberOfRow[index] != Self.unknown { return numberOfRow[index] }
    while numberOfRow.count <= index { numberOfRow.append(Self.unknown) }
    numberOfRow[index] = find(SegmentRows(anchor: row), milliseconds: 0, in: &aggregate)
    return numberOfRow[index]
  }

  private mutating func dailyNumber(row: UInt32, milliseconds: Int64, in aggregate: inout Aggregate) -> Int32 {
    let day = question.period(at: milliseconds)
    let place = Place(row: row, day: day)
    let slot = (Int(row) &* 31 &+ day) & (recent.count - 1)
    if recent[slot].place == place { return recent[slot].number }
    let number = numberOfPlace[place] ?? find(SegmentRows(anchor: row), milliseconds: milliseconds, in: &aggregate)
    numberOfPlace[place] = number
    recent[slot] = Recent(place: place, number: number)
    return number
  }

  private mutating func find(_ rows: SegmentRows, milliseconds: Int64, in aggregate: inout Aggregate) -> Int32 {
    // A row may have been added after the segments were read.
    let last = (rows.later + rows.steps).reduce(rows.anchor) { max($0, $1 ?? 0) }
    if last >= segments.count { segments = currentSegments() }
    let segment = question.segment(rows: rows, milliseconds: milliseconds, in: segments)
    return segment.map { Int32(aggregate.segmentNumber(of: $0)) } ?? Self.excluded
  }
}
