import FunnelJourneys
import FunnelModel

/// The segments a state has seen, by number.
///
/// Which segment an event falls into depends on its row of dimension values, and where days, weeks or months are asked for on its day.
/// Both are few, so the answer is looked up once for each pair and remembered.
struct SegmentIndex: Sendable {
  /// The number of the segment without values, into which all groups fall where there is no `by`.
  static let whole = 0

  private(set) var segments = [Segment(values: [])]
  private var numberOfSegment = [Segment(values: []): SegmentIndex.whole]
  private var remembered: [Place: Answer] = [:]

  private struct Place: Hashable {
    let row: UInt32
    let day: Int
  }

  private struct Answer {
    /// The row's values: another table may have others under the same number.
    let values: [PropertyValue]
    /// Nil where a condition does not hold.
    let number: Int?
  }

  /// The number of the segment of one of a journey's events, or nil where a condition of the query does not hold there.
  @inline(__always)
  mutating func number(of event: JourneyEvent, in journey: Journey, for question: SegmentQuestion) -> Int? {
    question.isWhole ? Self.whole : lookUp(event, in: journey, for: question)
  }

  private mutating func lookUp(_ event: JourneyEvent, in journey: Journey, for question: SegmentQuestion) -> Int? {
    let values = journey.segments.dimensions.isEmpty ? [] : journey.segments.row(event.row)
    let day = question.asksForDays ? question.query.timeZone.day(at: event.milliseconds).daysSinceEpoch : 0
    let place = Place(row: event.row, day: day)
    if let answer = remembered[place], answer.values == values { return answer.number }
    let answer = Answer(values: values, number: journey.segment(at: event, for: question.query).map { number(of: $0) })
    remembered[place] = answer
    return answer.number
  }

  private mutating func number(of segment: Segment) -> Int {
    if let number = numberOfSegment[segment] { return number }
    numberOfSegment[segment] = segments.count
    segments.append(segment)
    return segments.count - 1
  }

  /// Takes in the segments of another index.
  ///
  /// - Returns: the number here of each of the other's segments.
  mutating func merge(_ other: SegmentIndex) -> [Int] {
    other.segments.map { number(of: $0) }
  }
}

/// What a query asks of segments.
struct SegmentQuestion: Sendable {
  let query: ReportQuery
  /// Whether all groups fall into one segment, without condition.
  let isWhole: Bool
  /// Whether segments or conditions depend on the day.
  let asksForDays: Bool

  init(query: ReportQuery) {
    self.query = query
    isWhole = query.by.isEmpty && query.conditions.isEmpty
    asksForDays = (query.by + query.conditions.map(\.dimension)).contains { dimension in
      switch dimension {
      case .day, .week, .month: true
      case .property, .context: false
      }
    }
  }
}
