import FunnelModel

/// Sentences about people that the numbers of a funnel leave out. They have no full stop.
enum LeftOutText {
  /// The divisor of the threshold: those who returned are mentioned if they are more than a tenth of those who entered.
  private static let returnedPartMax = 10
  /// The divisor of the threshold: those who finished in another way are mentioned if they are more than 2 % of those who dropped, or of
  /// those in progress.
  private static let otherWayPartMax = 50
  /// The least number in progress of whom some are mentioned: their windows are open, so of few people nothing is known yet.
  private static let inProgressMin = 30
  /// The number of segments about which there are sentences.
  private static let segmentsShownMax = 3

  /// Returns how many began before the period and again in it; nil if they are few or the query can't tell them.
  static func returned(_ returned: Int?, entered: Int, counting noun: CountedNoun) -> String? {
    guard let returned, returned > 0, returned > entered / returnedPartMax else { return nil }
    let all = "\(noun.counted(returned)) began again in this period; they count on the day they first began"
    return noun == .entries ? all : "\(all); --count-by entry counts every start"
  }

  /// Returns how many of those who did not complete the steps in their order reached the last step in another way, nil if they are few.
  ///
  /// - Parameters:
  ///   - dropped: Those who dropped, and those of them who reached the last step.
  ///   - inProgress: The same of those in progress.
  static func otherWay(
    dropped: (finished: Int, all: Int), inProgress: (finished: Int, all: Int), counting noun: CountedNoun
  ) -> String? {
    let clauses = [
      dropped.finished > dropped.all / otherWayPartMax ? clause(dropped, "\(noun.pronoun) dropped", noun) : nil,
      inProgress.all >= inProgressMin && inProgress.finished > inProgress.all / otherWayPartMax
        ? clause(inProgress, "in progress", noun) : nil,
    ].compactMap { $0 }
    guard !clauses.isEmpty else { return nil }
    return clauses.joined(separator: " and ")
      + " reached the last step in another way: without a required step, or in another order; --order any counts those who took all steps, "
      + "and a second flow definition counts another order"
  }

  private static func clause(_ part: (finished: Int, all: Int), _ state: String, _ noun: CountedNoun) -> String? {
    guard part.finished > 0 else { return nil }
    let share = part.all < fewGroupsMax ? "" : " (\(HumanNumbers.percent(Double(part.finished) / Double(part.all))))"
    return "\(HumanNumbers.count(part.finished)) of the \(noun.counted(part.all)) \(state)\(share)"
  }

  /// Returns sentences about those who finished in another way, of the segments that have most of them.
  static func otherWay(of rows: [FunnelRow], counting noun: CountedNoun) -> [String] {
    let told = rows.sorted { count(of: $0) > count(of: $1) }.compactMap { row in
      otherWay(
        dropped: (row.finishedOutOfOrder, row.dropped), inProgress: (row.inProgressOutOfOrder, row.inProgress), counting: noun
      ).map { sentence in
        row.key.segment.isEmpty
          ? sentence : "\(row.key.segment.map(\.segmentLabel).joined(separator: ", ")): \(sentence)"
      }
    }
    let more = told.count - segmentsShownMax
    guard more > 0 else { return told }
    return told.prefix(segmentsShownMax) + [
      "the same applies to \(HumanNumbers.count(more)) more segment\(more == 1 ? "" : "s")"
    ]
  }

  private static func count(of row: FunnelRow) -> Int { row.finishedOutOfOrder + row.inProgressOutOfOrder }
}
