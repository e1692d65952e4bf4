import FunnelModel
import FunnelRendering

/// The result of a retention report in one sentence: how many came back in the first period, and in a later one.
///
/// It counts the groups of all segments. The share of a period is of those whose period is over.
struct RetentionHeadline {
  private let noun: CountedNoun
  private let every: CalendarUnit
  private let start: RetentionQuery.Start
  private var total: RetentionCohort

  /// Creates the headline of one flow version, or returns `nil` if nobody has a first period.
  ///
  /// - Parameters:
  ///   - rows: The retention of all segments, or of one.
  ///   - noun: The noun for the groups of the flow.
  init?(_ rows: [RetentionRow], counting noun: CountedNoun) {
    guard let first = rows.first else { return nil }
    self.noun = noun
    every = first.every
    start = first.start
    total = first.total
    for row in rows.dropFirst() { total.add(row.total) }
    guard total.groups > 0, !total.periods.isEmpty else { return nil }
  }

  /// The sentence without its full stop.
  var phrase: Phrase {
    let unit = every.rawValue
    let first = total.periods[0]
    guard first.over > 0 else {
      return Phrase("\(noun.counted(total.groups)) \(start.rawValue); \(unit) 1 is over for none of them yet")
    }
    let phrase =
      Phrase("Of \(noun.counted(first.over)) whose \(unit) 1 is over, ")
      + Phrase("\(HumanNumbers.count(first.returned)) came back in it", .strong)
      + .shareInParentheses(first.returned, of: first.over)
    guard let later = laterPeriod else { return phrase }
    let period = total.periods[later - 1]
    return phrase + Phrase("; \(HumanNumbers.count(period.returned)) of \(HumanNumbers.count(period.over))")
      + .shareInParentheses(period.returned, of: period.over) + Phrase(" in \(unit) \(later)")
  }

  /// The last period after the first, up to the customary one of its unit, that is over for somebody, or `nil` if none is.
  private var laterPeriod: Int? {
    let last = min(every.laterPeriod, total.periods.count)
    guard last > 1 else { return nil }
    return (2...last).last { total.periods[$0 - 1].over > 0 }
  }
}

extension CalendarUnit {
  /// The period that is customarily named beside the first: day 7, week 4, month 3.
  fileprivate var laterPeriod: Int {
    switch self {
    case .day: 7
    case .week: 4
    case .month: 3
    }
  }
}
