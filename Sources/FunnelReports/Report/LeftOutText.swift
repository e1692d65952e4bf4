import FunnelModel
import FunnelRendering

/// Sentences about groups that the numbers of a funnel exclude. They have no full stop.
enum LeftOutText {
  /// The inverse of a threshold: returned groups are reported if they are more than a tenth of those that entered.
  private static let returnedPartMax = 10
  /// The inverse of a threshold: groups that finished in another way are reported if they are more than 2 % of
  /// those that dropped, or of those in progress.
  private static let otherWayPartMax = 50
  /// The minimum number in progress at which they are reported. Their windows are open, so small numbers are
  /// not informative.
  private static let inProgressMin = 30
  /// The maximum number of segments with a sentence each.
  private static let segmentsShownMax = 3

  /// Groups that dropped, or that are in progress, and how many of them reached the last step in another way.
  struct Unfinished {
    let finished: Int
    let all: Int

    /// Whether the share of those who finished is large enough for a note.
    var areMany: Bool { finished > all / otherWayPartMax }
  }

  /// Returns a sentence about groups that began before the period and again in it, or `nil` if they are few or
  /// unknown.
  static func returned(_ returned: Int?, entered: Int, counting noun: CountedNoun) -> String? {
    guard let returned, returned > 0, returned > entered / returnedPartMax else { return nil }
    let all = "\(noun.counted(returned)) began again in this period; they count on the day they first began"
    return noun == .entries ? all : "\(all); --count-by entry counts every start"
  }

  /// Returns a sentence about groups that reached the last step in another way, or `nil` if they are few.
  static func otherWay(dropped: Unfinished, inProgress: Unfinished, counting noun: CountedNoun) -> String? {
    let clauses = [
      dropped.areMany ? clause(dropped, "\(noun.pronoun) dropped", noun) : nil,
      inProgress.all >= inProgressMin && inProgress.areMany
        ? clause(inProgress, "in progress", noun) : nil,
    ].compactMap { $0 }
    guard !clauses.isEmpty else { return nil }
    return clauses.joined(separator: " and ")
      + " reached the last step in another way: without a required step, or in another order; --order any counts those who took all steps; "
      + "make the moved step optional in the definition, or define a flow with their order"
  }

  private static func clause(_ part: Unfinished, _ state: String, _ noun: CountedNoun) -> String? {
    guard part.finished > 0 else { return nil }
    let share = part.all < fewGroupsMax ? "" : " (\(HumanNumbers.percent(Double(part.finished) / Double(part.all))))"
    return "\(HumanNumbers.count(part.finished)) of the \(noun.counted(part.all)) \(state)\(share)"
  }

  /// Returns a sentence, for a report that counts them as dropped, about groups that reached the last step in another way, or
  /// `nil` if they are few.
  ///
  /// - Parameter consequence: What the report does with them, as a clause, or an empty string.
  static func countedAsDropped(_ row: FunnelRow, consequence: String = "", counting noun: CountedNoun) -> String? {
    let dropped = Unfinished(finished: row.finishedOutOfOrder, all: row.dropped)
    guard dropped.areMany, let clause = clause(dropped, "\(noun.pronoun) dropped", noun) else { return nil }
    return "\(clause) reached the last step in another order or without a required step\(consequence); "
      + "--order any counts those who took all steps as completed"
  }

  /// Returns the sentences of ``countedAsDropped(_:consequence:counting:)``, for the segments with most of these groups.
  static func countedAsDropped(_ rows: [FunnelRow], consequence: String = "", counting noun: CountedNoun) -> [String] {
    sentences(about: rows, mostFirst: \.finishedOutOfOrder) {
      countedAsDropped($0, consequence: consequence, counting: noun)
    }
  }

  /// Returns sentences about groups that finished in another way, for the segments with most of them.
  static func otherWay(of rows: [FunnelRow], counting noun: CountedNoun) -> [String] {
    sentences(about: rows, mostFirst: { $0.finishedOutOfOrder + $0.inProgressOutOfOrder }) { row in
      otherWay(
        dropped: Unfinished(finished: row.finishedOutOfOrder, all: row.dropped),
        inProgress: Unfinished(finished: row.inProgressOutOfOrder, all: row.inProgress), counting: noun)
    }
  }

  /// Returns a sentence for each of the segments with the largest counts, after the name of the segment.
  private static func sentences(
    about rows: [FunnelRow], mostFirst count: (FunnelRow) -> Int, _ sentence: (FunnelRow) -> String?
  ) -> [String] {
    let sentences = rows.sorted { count($0) > count($1) }.compactMap { row in
      sentence(row).map { sentence in
        row.key.segment.isEmpty
          ? sentence : "\(row.key.segment.map(\.segmentLabel).joined(separator: ", ")): \(sentence)"
      }
    }
    let more = sentences.count - segmentsShownMax
    guard more > 0 else { return sentences }
    return sentences.prefix(segmentsShownMax) + [
      "the same applies to \(HumanNumbers.count(more)) more segment\(more == 1 ? "" : "s")"
    ]
  }
}
