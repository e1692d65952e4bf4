/// The sentences about people that a funnel's numbers do not contain, or contain as dropped though they finished.
public enum LeftOutText {
  /// The divisor of the threshold: more than a tenth of those who entered are told.
  private static let returnedPartMax = 10
  /// The divisor of the threshold: more than 2 % of those who dropped are told.
  private static let outOfOrderPartMax = 50

  /// Returns how many began before the period and again in it; nil if they are few or the query can't tell them.
  public static func returned(_ returned: Int?, entered: Int, counting noun: CountedNoun) -> String? {
    guard let returned, returned > 0, returned > entered / returnedPartMax else { return nil }
    let all = "\(noun.counted(returned)) began again in this period; they count on the day they first began"
    return noun == .entries ? all : "\(all); --count-by entry counts every start"
  }

  /// Returns how many of the dropped entered the last step in another order; nil if they are few.
  public static func finishedOutOfOrder(_ finished: Int, dropped: Int, counting noun: CountedNoun) -> String? {
    guard finished > 0, finished > dropped / outOfOrderPartMax else { return nil }
    let share = HumanNumbers.percent(Double(finished) / Double(dropped))
    return
      "\(HumanNumbers.count(finished)) of the \(noun.counted(dropped)) \(noun.pronoun) dropped (\(share)) reached the last step, but not in "
      + "this order; --order any counts them as completed, or define a separate flow for their order"
  }

  /// The number of segments about which there are sentences.
  private static let segmentsShownMax = 3

  /// Returns sentences about those who finished in another order, of the segments that have most of them.
  public static func outOfOrder(of rows: [FunnelRow], counting noun: CountedNoun) -> [String] {
    let told = rows.sorted { $0.finishedOutOfOrder > $1.finishedOutOfOrder }.compactMap { row in
      finishedOutOfOrder(row.finishedOutOfOrder, dropped: row.dropped, counting: noun).map { sentence in
        row.key.segment.isEmpty
          ? sentence : "\(row.key.segment.map(\.segmentLabel).joined(separator: ", ")): \(sentence)"
      }
    }
    return Array(told.prefix(segmentsShownMax))
  }

  /// Returns all sentences about the rows of a flow version.
  static func sentences(of rows: [FunnelRow], counting noun: CountedNoun) -> [String] {
    let began = rows.first.flatMap { returned($0.returned, entered: $0.entered, counting: noun) }
    return (began.map { [$0] } ?? []) + outOfOrder(of: rows, counting: noun)
  }
}
