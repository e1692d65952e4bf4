import FunnelIndex
import FunnelModel

extension FoldWorker {
  /// Aggregates the groups of an event sequence that is not cached as one group.
  mutating func foldUncached(_ sequence: EventSequence) {
    updateClasses(of: sequence)
    if hasSubjectRules { applySubjectRules(to: sequence) }
    if let flow = onlyFlow(of: sequence) { return foldUncachedGroup(sequence, flow: flow) }
    // The swap gives this function unique ownership of the partitioner while the closure mutates `self`.
    var partitioner = GroupPartitioner()
    swap(&partitioner, &self.partitioner)
    partitioner.forEachGroup(
      of: sequence, classes: classes, countsByAttempt: plan.countsByAttempt,
      keepsPositions: hasSubjectRules || sequence.names != nil
    ) { flow, group in
      guard let flow = plan.index(ofCatalogFlow: flow) else { return }
      if flows[flow].countBy == .entry { foldEntries(of: group, flow: flow) } else { foldGroup(group, flow: flow) }
    }
    swap(&partitioner, &self.partitioner)
  }

  /// Splits the events of a subject in one flow into entries and aggregates each entry.
  private mutating func foldEntries(of group: EventSequence, flow: Int) {
    readEvents(of: group)
    let projection = plan.flows[flow]
    let (events, classes) = (events, classes)
    var starts: [Int] = []
    swap(&starts, &entryStarts)
    projection.query.entryMatcher.findEntries(
      of: GroupEvents(events.span, entries: classes.span, query: projection.query), into: &starts, chain: &chain)
    for (index, start) in starts.enumerated() {
      let end = index + 1 < starts.count ? starts[index + 1] : group.count
      foldGroup(group.slice(start..<end), flow: flow)
    }
    swap(&starts, &entryStarts)
  }

  /// Returns the index in the plan of the flow that all events belong to, if they are one group of it, or `nil`.
  private func onlyFlow(of sequence: EventSequence) -> Int? {
    let catalogFlow = classes[Int(sequence.classIDs[0])].flow
    for index in 1..<sequence.count where classes[Int(sequence.classIDs[index])].flow != catalogFlow { return nil }
    guard let flow = plan.index(ofCatalogFlow: catalogFlow), sequence.isOneGroup(by: flows[flow].countBy) else { return nil }
    return flow
  }

  /// Stores the indices of the events that break a rule about all groups of the subject in ``subjectRuleBreaches``.
  private mutating func applySubjectRules(to sequence: EventSequence) {
    for flow in 0..<flows.count { flows[flow].subjectRule?.reset() }
    for index in 0..<sequence.count {
      let classID = sequence.classIDs[index]
      let entry = classes[Int(classID)]
      guard let flow = plan.index(ofCatalogFlow: entry.flow), flows[flow].subjectRule != nil else { continue }
      let event = TimedEvent(milliseconds: sequence.times[index], kind: entry.kind, classID: classID)
      if flows[flow].subjectRule?.isBroken(by: event, detail: entry.detail) == true { subjectRuleBreaches.insert(index) }
    }
  }
}
