package import FunnelIndex
package import FunnelModel

/// Looks up the segments of groups, and adds new segments to an aggregate.
///
/// Results are cached, so use a lookup with one aggregate only. Not thread-safe: each worker owns one.
// The segment of an event depends on its dimension row and, if the query has calendar dimensions, on its day or hour
// (``SegmentQuery/period(at:)``). Both have few distinct values.
package struct SegmentLookup {
  private let query: SegmentQuery
  private let currentSegments: @Sendable () -> SegmentTable
  private var segments = SegmentTable()
  // The caches below have the number of the segment, or ``excluded``.
  /// A cache by dimension row, used if the segment depends only on the anchor's row; ``unknown`` for a row that is not
  /// evaluated yet.
  private var numberOfRow: [Int32] = []
  /// A cache by dimension row and day, used if the segment depends only on the anchor's row and time.
  private var numberOfRowAndDay: [RowAndDay: Int32] = [:]
  /// A cache by the rows of several events, used if the segment depends on other events too.
  private var numberOfRows: [Rows: Int32] = [:]
  /// A direct-mapped cache in front of ``numberOfRowAndDay``.
  private var recent = Array(
    repeating: Recent(key: RowAndDay(row: 0, day: .min), number: 0), count: SegmentLookup.recentCount)

  /// The lookup of the keys whose values are read at the anchor.
  private var anchorKeys: RowKeys
  /// The lookup of the key of which a group must not have several values.
  private var mixedKeys: RowKeys

  // Values of the caches that are not segment numbers. An Optional would take twice the memory.
  /// The number of a row that is not evaluated yet.
  private static let unknown: Int32 = -2
  /// The number for groups for which a condition of the query does not hold.
  private static let excluded: Int32 = -1
  /// The size of ``recent``, a power of two.
  private static let recentCount = 256

  private struct RowAndDay: Hashable {
    let row: UInt32
    /// The day, or the hour if the query uses hours.
    let day: Int
  }

  private struct Rows: Hashable {
    let rows: SegmentRows
    /// The day, the hour if the query uses hours, or 0 if it uses neither.
    let day: Int
  }

  private struct Recent {
    var key: RowAndDay
    var number: Int32
  }

  /// Creates a lookup.
  ///
  /// - Parameter currentSegments: Returns the segment table of the source, which may grow.
  package init(query: SegmentQuery, currentSegments: @escaping @Sendable () -> SegmentTable) {
    self.query = query
    self.currentSegments = currentSegments
    anchorKeys = RowKeys(query.anchorKeys, currentSegments: currentSegments)
    mixedKeys = RowKeys(
      query.mixedKeys, areTexts: query.isFirstKeyText, currentSegments: currentSegments)
  }

  /// Returns the number of a group's segment, adding the segment if it is new, or `nil` if a condition of the query
  /// does not hold.
  ///
  /// Use it only if the segment depends on no other event than the anchor (``SegmentQuery/readsAnchorAlone``).
  ///
  /// - Parameters:
  ///   - row: The dimension row of the anchor.
  ///   - milliseconds: The time of the anchor.
  @inline(__always)
  mutating func segmentNumber(row: UInt32, milliseconds: Int64, in aggregate: inout Aggregate) -> Int? {
    if query.isWhole { return 0 }
    let number =
      query.asksForDays
      ? dailyNumber(row: row, milliseconds: milliseconds, in: &aggregate) : plainNumber(row: row, in: &aggregate)
    return number == Self.excluded ? nil : Int(number)
  }

  /// Returns the number of a group's segment, adding the segment if it is new, or `nil` if a condition of the query
  /// does not hold.
  ///
  /// - Parameters:
  ///   - events: The events of the group.
  ///   - anchor: The index of the anchor, or of the first pre-prompt.
  ///   - window: The window that opens with that event.
  ///   - stepEvents: The events that provide the values of steps (``Contribution/stepEvents``).
  package mutating func segmentNumber(
    of events: EventSequence, at anchor: Int, within window: ConversionWindow, stepEvents: Span<StepEvents?>,
    in aggregate: inout Aggregate
  ) -> Int? {
    if query.isWhole { return 0 }
    if query.query.dropsMixed, areMixed(events, from: anchor, within: window) { return nil }
    var rows = SegmentRows(anchor: events.rows?[anchor] ?? 0)
    rows.later = laterRows(of: events, after: anchor, within: window)
    for step in stepEvents.indices {
      let found = stepEvents[step]
      let match = found.flatMap { events.rows?[$0.match] }
      rows.steps.append(.init(match: match, completion: found?.completion.flatMap { events.rows?[$0] }))
    }
    let milliseconds = events.times[anchor]
    let day = query.asksForDays ? query.period(at: milliseconds) : 0
    let key = Rows(rows: rows, day: day)
    let number = numberOfRows[key] ?? find(rows, milliseconds: milliseconds, in: &aggregate)
    numberOfRows[key] = number
    return number == Self.excluded ? nil : Int(number)
  }

  /// Returns whether the events of a group have several values of the key that groups are split by.
  ///
  /// - Parameters:
  ///   - event: The index of the first event to read.
  ///   - window: The window of the events.
  package mutating func areMixed(_ events: EventSequence, from event: Int, within window: ConversionWindow) -> Bool {
    mixedKeys.areMixed(in: events, from: event, within: window)
  }

  /// Returns the value of ``SegmentRows/later`` for a group.
  private mutating func laterRows(of events: EventSequence, after event: Int, within window: ConversionWindow) -> [UInt32?] {
    guard query.query.attribution == .known, let rows = events.rows else { return [] }
    let found = anchorKeys.firstEvents(
      of: events, after: event, within: window, with: anchorKeys.lacking(row: rows[event]))
    guard !found.isEmpty else { return [] }
    return query.anchorKeys.indices.map { key in found[key].map { rows[$0] } }
  }

  /// Returns the number of a segment that depends only on the anchor's row.
  @inline(__always)
  private mutating func plainNumber(row: UInt32, in aggregate: inout Aggregate) -> Int32 {
    let index = Int(row)
    if index < numberOfRow.count, numberOfRow[index] != Self.unknown { return numberOfRow[index] }
    while numberOfRow.count <= index { numberOfRow.append(Self.unknown) }
    numberOfRow[index] = find(SegmentRows(anchor: row), milliseconds: 0, in: &aggregate)
    return numberOfRow[index]
  }

  /// Returns the number of a segment that depends only on the anchor's row and time.
  private mutating func dailyNumber(row: UInt32, milliseconds: Int64, in aggregate: inout Aggregate) -> Int32 {
    let day = query.period(at: milliseconds)
    let key = RowAndDay(row: row, day: day)
    // The multiplier separates the rows of one day from those of the days around it.
    let slot = (Int(row) &* 31 &+ day) & (recent.count - 1)
    if recent[slot].key == key { return recent[slot].number }
    let number = numberOfRowAndDay[key] ?? find(SegmentRows(anchor: row), milliseconds: milliseconds, in: &aggregate)
    numberOfRowAndDay[key] = number
    recent[slot] = Recent(key: key, number: number)
    return number
  }

  /// Returns the number of a segment without a cache, adding the segment if it is new.
  private mutating func find(_ rows: SegmentRows, milliseconds: Int64, in aggregate: inout Aggregate) -> Int32 {
    // The source may have added rows after the table was read.
    if rows.greatest >= segments.count { segments = currentSegments() }
    let segment = query.segment(rows: rows, milliseconds: milliseconds, in: segments)
    return segment.map { Int32(aggregate.segmentNumber(of: $0)) } ?? Self.excluded
  }
}
