package import FunnelIndex
package import FunnelModel
import FunnelRendering

extension Report {
  /// Sentences about the groups that the numbers exclude or are restricted to, with the options that change
  /// this. They have no full stop.
  package var notes: [String] {
    completionNotes + leftOutNotes + lateNotes + otherOrderNotes + driverNotes + keyNotes + crowdedNotes + internalNotes
  }

  /// Whether the report compares two sides.
  var isComparison: Bool { answers.map(\.name) == [CompareReport.name] }

  /// Sentences about the flows that everybody completes who enters them.
  private var completionNotes: [String] {
    entries.compactMap { entry in
      let flow = entry.flow
      guard flow.completesAtOnce, let only = flow.requiredSteps.first,
        funnelRows.contains(where: { $0.key.isOf(flow) && $0.entered > 0 })
      else { return nil }
      return
        "\(flow.reference): every \(CountedNoun(of: query, flow).singular) completes: \(flow.steps[only].id) is the only required step, "
        + "and the conversion says nothing; make the steps that matter required"
    }
  }

  /// Sentences about the groups of each flow that reached their next step after its window.
  private var lateNotes: [String] {
    // A comparison has its own notes for each side.
    guard !isComparison else { return [] }
    return late.compactMap { groups in
      groups.sentence(
        counting: CountedNoun(of: query, groups.flow), isAdHoc: !query.steps.isEmpty,
        completed: funnelRows.filter { $0.key.isOf(groups.flow) }.reduce(0) { $0 + $1.completed })
    }
  }

  /// Sentences about the optional steps of each flow that many groups entered in another order.
  private var otherOrderNotes: [String] {
    guard !isComparison else { return [] }
    return otherOrder.flatMap { groups in
      groups.sentences(
        counting: CountedNoun(of: query, groups.flow), rows: funnelRows.filter { $0.key.isOf(groups.flow) })
    }
  }

  /// Sentences about the groups of each flow that began before the period, finished in another way, or are in
  /// progress.
  private var leftOutNotes: [String] {
    entries.flatMap { entry -> [String] in
      let flow = entry.flow
      let noun = CountedNoun(of: query, flow)
      // A comparison has its own notes for each side.
      let rows = isComparison ? [] : funnelRows.filter { $0.key.isOf(flow) }
      let returned = LeftOutText.returned(entry.returned, entered: entry.entered, counting: noun)
      let sentences =
        [returned, youngPeriod(rows, of: flow, noun)].compactMap { $0 }
        + LeftOutText.otherWay(of: rows, counting: noun)
      return sentences.map { "\(flow.reference): \($0)" }
    }
  }

  /// The minimum number of entries at which a large share in progress is reported.
  private static let youngPeriodMin = 30

  /// The groups of a flow version, or of one of its segments, of which some are in progress.
  private struct Progress {
    let segment: [PropertyValue]
    let inProgress: Int
    let entered: Int

    /// Whether so many are in progress that the numbers are not final.
    var isYoung: Bool { entered >= Report.youngPeriodMin && ManyInProgress.holds(inProgress, of: entered) }
  }

  /// Returns a sentence about the effect of groups in progress, or `nil` if they are few or the report shows
  /// the effect.
  ///
  /// If they are few overall, but many in one segment, the sentence is about the segment with the most of them.
  private func youngPeriod(_ rows: [FunnelRow], of flow: FlowDefinition, _ noun: CountedNoun) -> String? {
    guard answers.count == 1, let effect = answers[0].effectOfPeopleInProgress else { return nil }
    let segments = groupsInProgress(rows, of: flow)
    let all = Progress(
      segment: [], inProgress: segments.reduce(0) { $0 + $1.inProgress }, entered: segments.reduce(0) { $0 + $1.entered })
    let most = segments.max { $0.inProgress < $1.inProgress }
    guard let young = [all, most].lazy.compactMap(\.self).first(where: \.isYoung) else { return nil }
    let of = young.segment.isEmpty ? "" : " of \(young.segment.map(\.segmentLabel).joined(separator: ", "))"
    return "\(HumanNumbers.count(young.inProgress)) of \(noun.counted(young.entered))\(of) are in progress: \(effect); "
      + "--mature counts only those whose window is closed"
  }

  /// Returns the groups of each segment of a flow version.
  ///
  /// The outcomes report has its own numbers: a group with an outcome is not in progress.
  private func groupsInProgress(_ rows: [FunnelRow], of flow: FlowDefinition) -> [Progress] {
    guard let outcomes = self[OutcomesReport.self] else {
      return rows.map { Progress(segment: $0.key.segment, inProgress: $0.inProgress, entered: $0.entered) }
    }
    return outcomes.filter { $0.key.isOf(flow) }
      .map { Progress(segment: $0.key.segment, inProgress: $0.inProgress, entered: $0.entered) }
  }

  /// Sentences about the keys that the report of drivers does not use, by flow version and segment.
  private var driverNotes: [String] {
    (self[DriversReport.self] ?? []).compactMap { row in
      let segment = row.key.segment.isEmpty ? "" : ", \(row.key.segment.map(\.segmentLabel).joined(separator: ", "))"
      let text = DriversText(row: row, noun: noun(of: row.key.flowReference))
      return text.leftOut.map { "\(row.key.flowReference)\(segment): \($0)" }
    }
  }

  private var keyNotes: [String] {
    // A comparison has its own note about the groups that its sides exclude.
    let compared = isComparison ? query.by.first : nil
    let absent = keysWithoutValue
    return KeyNotes(
      query: query, coverage: coverage,
      isIncluded: { dimension in dimension != compared && !(dimension.stored.map(absent.contains) ?? false) }
    ).sentences
  }

  private var crowdedNotes: [String] { Self.crowdedNotes(crowdedUsers, query) }

  /// Returns a sentence about the users that were not merged, or an empty array if there are none.
  package static func crowdedNotes(_ crowdedUsers: [CrowdedUser], _ query: ReportQuery) -> [String] {
    guard let most = crowdedUsers.max(by: { $0.subjectCount < $1.subjectCount }) else { return [] }
    let limit = HumanNumbers.count(query.subjectsOfPersonMax)
    let named = "\(most.user.printable) (\(HumanNumbers.count(most.subjectCount)) subjects)"
    let who =
      crowdedUsers.count == 1
      ? "the account \(named) is" : "\(HumanNumbers.count(crowdedUsers.count)) accounts, such as \(named), are"
    return ["\(who) not one person, because more than \(limit) subjects name it; --merge-limit changes that"]
      + crowdedUsers.filter(\.isInternal).prefix(internalCrowdsShownMax).map { crowd in
        "\(crowd.user.printable) of \(InternalSubjects.fileName) does not leave out the "
          + "\(HumanNumbers.count(crowd.subjectCount)) subjects that name it, because it is not one person; "
          + "list the subjects, or raise --merge-limit"
      }
  }

  /// The largest number of internal users that are not merged of which a note tells.
  private static let internalCrowdsShownMax = 3

  private var internalNotes: [String] { Report.internalNotes(internalSubjects) }

  /// Returns a sentence about excluded internal subjects, or an empty array if there are none.
  package static func internalNotes(_ count: Int) -> [String] {
    guard count > 0 else { return [] }
    return [
      "\(HumanNumbers.count(count)) \(count == 1 ? "subject" : "subjects") of \(InternalSubjects.fileName) "
        + "\(count == 1 ? "is" : "are") left out; --internal counts \(count == 1 ? "it" : "them")"
    ]
  }
}
