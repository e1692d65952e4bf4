import FunnelSequences
import FunnelIndex
import FunnelModel

/// Splits event sequences into groups and adds each group's contribution to the aggregate of its flow version.
///
/// Not thread-safe: each thread uses its own worker, and the aggregates of all workers are merged.
// Groups take one of three paths, the fastest first:
//
// 1. Only a hit is counted in the cache entry, and the counters of all hits are incremented at the end. That requires
//    a query without segments and conditions, closed windows, and a cached contribution.
// 2. A cached contribution is added without reading the events. That requires knowing which events a time limit cuts
//    off: none, or those on the other side of a gap.
// 3. All other groups are read event by event, and their contributions are cached if possible.
struct FoldWorker: ~Copyable {
  /// The accumulators of the plan's flow versions.
  private let flows: UnsafeMutablePointer<FlowAccumulator>
  private let flowCount: Int
  /// The index in ``flows`` of each flow version of the catalog, or ``FoldPlan/absent``.
  private let placeOfFlow: [Int32]
  private let currentKinds: @Sendable () -> [EventClassTable.Entry]
  /// The event classes of the source by event class ID, as of the last call of `currentKinds`.
  private var kinds: [EventClassTable.Entry]
  private let span: AnchorSpan
  /// Whether the query has neither dimensions nor conditions.
  private let isWhole: Bool
  /// Whether contributions are added to the cache.
  private let cachesContributions: Bool
  private var cache = ContributionCache()
  private var partitioner = GroupPartitioner()
  private var contribution = Contribution()
  private var chain = ChainMatch()
  private var events: [FlowEvent] = []
  /// The index of the first event of each entry of the current subject and flow.
  private var entryStarts: [Int] = []
  /// Whether some flow has a rule about all groups of a subject.
  private let hasSubjectRules: Bool
  /// The conditions on subjects, or `nil` if the query has none.
  private let subjectFilter: SubjectFilter?
  /// Whether there are rules about subjects or conditions on subjects.
  private let readsSubjects: Bool
  /// Whether selected groups are listed instead of aggregated.
  private let listsGroups: Bool
  /// The role of each counter in the selection of groups, by counter ID; empty unless groups are listed.
  private let roles: [CounterRole]
  private var listed: [ListedGroup] = []
  /// The indices in the current event sequence of the events that break a rule about subjects.
  private var brokenPositions: Set<Int> = []

  /// Creates a worker.
  ///
  /// - Parameters:
  ///   - plan: The projections to aggregate.
  ///   - source: The source of the event sequences.
  ///   - selection: The groups to list, or `nil` to aggregate.
  init(plan: FoldPlan, source: some SequenceSource, selection: GroupSelection? = nil) {
    listsGroups = selection != nil
    roles = selection?.roles(ofCounters: plan.flows.map { $0.emptyAggregate.shape.counters }.max() ?? 0) ?? []
    flowCount = plan.flows.count
    flows = .allocate(capacity: flowCount)
    for (index, flow) in plan.flows.enumerated() {
      (flows + index).initialize(to: FlowAccumulator(flow, of: source))
    }
    placeOfFlow = plan.placeOfFlow
    currentKinds = { source.eventClasses }
    kinds = source.eventClasses
    span = AnchorSpan(query: plan.query)
    isWhole = plan.query.by.isEmpty && plan.query.conditions.isEmpty
    hasSubjectRules = (0..<plan.flows.count).contains { [flows] in flows[$0].subjectRule != nil }
    subjectFilter = SubjectFilter(plan.query)
    readsSubjects = hasSubjectRules || subjectFilter != nil
    contribution.setEntries(kinds)
    // A cache entry does not include the events of steps.
    cachesContributions = plan.flows.allSatisfy { $0.query.segments.steps.isEmpty }
  }

  deinit {
    flows.deinitialize(count: flowCount)
    flows.deallocate()
  }

  /// Aggregates or lists the groups of an event sequence.
  @inline(__always)
  mutating func fold(_ sequence: EventSequence) {
    if readsSubjects {
      brokenPositions.removeAll(keepingCapacity: true)
      guard isAdmitted(sequence) else { return }
    }
    if let entry = cache.find(sequence.classIDs, count: sequence.count) {
      let flow = flows + Int(entry.pointee.flow)
      if sequence.isOneGroup(by: flow.pointee.countBy) {
        count(sequence, of: flow, by: entry)
        return
      }
    }
    foldUnknown(sequence)
  }

  /// Returns whether the conditions on subjects hold for an event sequence.
  private func isAdmitted(_ sequence: EventSequence) -> Bool {
    guard let subjectFilter else { return true }
    guard let names = sequence.names else { preconditionFailure("a query about subjects asks for their names") }
    return subjectFilter.admits(names.subject)
  }

  /// Returns the aggregate of each flow version of the plan. Call it once, after the last event sequence.
  mutating func finish() -> [Aggregate] {
    cache.forEachEntry { entry, contribution in
      guard entry.hits > 0 else { return }
      contribution.forEachClosedCounter { flows[Int(entry.flow)].add(entry.hits, to: $0, in: 0) }
    }
    return (0..<flowCount).map { flows[$0].finish() }
  }

  /// Aggregates a group whose event classes, without a gap, are cached.
  @inline(__always)
  private mutating func count(
    _ group: EventSequence, of flow: UnsafeMutablePointer<FlowAccumulator>,
    by entry: UnsafeMutablePointer<ContributionCache.Entry>
  ) {
    guard isUnlimited(group, of: flow) else {
      foldLimited(group, of: flow)
      return
    }
    countByContribution(group, of: flow, by: entry)
  }

  /// Aggregates or lists a group whose contribution is that of a cache entry.
  @inline(__always)
  private mutating func countByContribution(
    _ group: EventSequence, of flow: UnsafeMutablePointer<FlowAccumulator>,
    by entry: UnsafeMutablePointer<ContributionCache.Entry>
  ) {
    if listsGroups {
      if isListed(ContributionCache.view(of: entry), group, of: flow) { list(group, of: flow) }
      return
    }
    if isWhole, !flow.pointee.clock.isOpen(from: group.times[group.count - 1]) {
      entry.pointee.hits += 1
      flow.pointee.recordWhole(ContributionCache.shortSpans(of: entry), times: group.times)
      if entry.pointee.noteCount > 0 {
        for note in ContributionCache.view(of: entry).notes { flow.pointee.take(note, of: group, in: 0) }
      }
      return
    }
    var sink = GroupSink(group: group, flow: flow)
    ContributionCache.view(of: entry).count(by: flow.pointee.clock, into: &sink)
  }

  /// Returns whether all events of a group are in the period of the query and within one conversion window.
  @inline(__always)
  private func isUnlimited(_ group: EventSequence, of flow: UnsafeMutablePointer<FlowAccumulator>) -> Bool {
    let first = group.times[0]
    let last = group.times[group.count - 1]
    let (length, overflow) = last.subtractingReportingOverflow(first)
    return first >= span.first && last <= span.last && !overflow && length <= flow.pointee.clock.windowMilliseconds
  }

  /// Aggregates a group that has events outside the period of the query or the conversion window of its first event.
  private mutating func foldLimited(_ group: EventSequence, of flow: UnsafeMutablePointer<FlowAccumulator>) {
    // A group without events in the period contributes nothing.
    if group.times[group.count - 1] < span.first || group.times[0] > span.last { return }
    let gap = gap(in: group, of: flow)
    if let gap, let entry = cache.find(group.classIDs, count: group.count, gap: gap) {
      countByContribution(group, of: flow, by: entry)
      return
    }
    foldEventByEvent(group, of: flow)
    if let gap { remember(group, gap: gap, of: flow) }
  }

  /// Returns the index of the event after the gap of a group, or `nil` if the group has none, or is affected by time
  /// limits otherwise.
  ///
  /// A gap is a time between two consecutive events that is longer than the conversion window. All events must be in
  /// the period of the query. Those before the gap, and those after it, must each be within one conversion window.
  // Two events of such a group are within one window exactly if they are on the same side of the gap, so its
  // contribution can be cached. Subjects who return after weeks have such groups.
  private func gap(in group: EventSequence, of flow: UnsafeMutablePointer<FlowAccumulator>) -> Int? {
    let window = flow.pointee.clock.windowMilliseconds
    let times = group.times
    let last = group.count - 1
    guard times[0] >= span.first, times[last] <= span.last else { return nil }
    guard let gap = (1..<group.count).first(where: { times[$0].isLater(than: times[$0 - 1], byMoreThan: window) }) else {
      return nil
    }
    let areBothShort =
      !times[gap - 1].isLater(than: times[0], byMoreThan: window) && !times[last].isLater(than: times[gap], byMoreThan: window)
    return areBothShort ? gap : nil
  }

  /// Adds the contribution of the last group that was read event by event to the cache.
  private mutating func remember(_ group: EventSequence, gap: Int, of flow: UnsafeMutablePointer<FlowAccumulator>) {
    guard cachesContributions else { return }
    cache.add(group.classIDs, count: group.count, gap: gap, flow: flow - flows, contribution: contribution)
  }

  /// Aggregates or lists a group by reading its events.
  private mutating func foldEventByEvent(_ group: EventSequence, of flow: UnsafeMutablePointer<FlowAccumulator>) {
    readEvents(of: group)
    contribution.removeAll()
    if hasSubjectRules {
      contribution.eventsAgainstOtherGroups = Set(
        (0..<group.count).filter { event in brokenPositions.contains(group.positions.map { Int($0[event]) } ?? event) })
    }
    events.withUnsafeBufferPointer { flow.pointee.projection.contribute($0, into: &contribution, chain: &chain) }
    var sink = GroupSink(group: group, flow: flow)
    contribution.withView { $0.count(by: flow.pointee.clock, into: &sink) }
    if listsGroups, contribution.withView({ isListed($0, group, of: flow) }) { list(group, of: flow) }
  }

  /// Stores a group's events with their event classes in ``events``.
  private mutating func readEvents(of group: EventSequence) {
    events.removeAll(keepingCapacity: true)
    for index in 0..<group.count {
      let classID = group.classIDs[index]
      events.append(FlowEvent(milliseconds: group.times[index], kind: kinds[Int(classID)].kind, code: classID))
    }
  }

  /// Returns whether a group is selected by the counters that its contribution increments.
  private func isListed(
    _ contribution: ContributionView, _ group: EventSequence, of flow: UnsafeMutablePointer<FlowAccumulator>
  ) -> Bool {
    var sink = SelectionSink(sink: GroupSink(group: group, flow: flow), roles: roles)
    contribution.count(by: flow.pointee.clock, into: &sink)
    return sink.isListed
  }

  /// Adds a group to the list.
  private mutating func list(_ group: EventSequence, of flow: UnsafeMutablePointer<FlowAccumulator>) {
    guard let names = group.names else { preconditionFailure("groups are listed by the names of their subjects") }
    readEvents(of: group)
    let projection = flow.pointee.projection
    let hasChain = events.withUnsafeBufferPointer { projection.query.matcher.match($0, into: &chain) }
    var listed = ListedGroup(subject: names.subject)
    if flow.pointee.countBy == .attempt { listed.attempt = names.attempt(ofEvent: group.positions.map { Int($0[0]) } ?? 0) }
    if hasChain {
      listed.anchor = Timestamp(milliseconds: events[chain.anchor].milliseconds)
      listed.matchedStepCount = chain.matchedStepCount
      listed.lastStep = events.withUnsafeBufferPointer { projection.query.matcher.lastStep(of: $0, along: chain) }
    }
    self.listed.append(listed)
  }

  /// Returns the groups listed so far.
  func takeListed() -> [ListedGroup] { listed }

  /// Aggregates the groups of an event sequence that is not cached as one group.
  private mutating func foldUnknown(_ sequence: EventSequence) {
    for index in 0..<sequence.count where Int(sequence.classIDs[index]) >= kinds.count {
      // The source added this event class after the classes were read.
      kinds = currentKinds()
      contribution.setEntries(kinds)
      break
    }
    if hasSubjectRules { applySubjectRules(to: sequence) }
    if let flow = onlyFlow(of: sequence) {
      foldGroup(sequence, flow: flow)
      return
    }
    let kinds = kinds
    let placeOfFlow = placeOfFlow
    let flows = flows
    // The swap gives this function unique ownership of the partitioner while the closure mutates `self`.
    var partitioner = GroupPartitioner()
    swap(&partitioner, &self.partitioner)
    partitioner.forEachGroup(
      of: sequence, keepsPositions: hasSubjectRules || sequence.names != nil, flowOfKind: { kinds[Int($0)].flow },
      countsByAttempt: { flow in
        let index = Int(placeOfFlow[Int(flow)])
        return index >= 0 && flows[index].countBy == .attempt
      }
    ) { flow, group in
      let index = Int(placeOfFlow[Int(flow)])
      guard index >= 0 else { return }
      if flows[index].countBy == .entry { foldEntries(of: group, flow: index) } else { foldKnownOrNew(group, flow: index) }
    }
    swap(&partitioner, &self.partitioner)
  }

  /// Splits the events of a subject in one flow into entries and aggregates each entry.
  private mutating func foldEntries(of group: EventSequence, flow flowIndex: Int) {
    readEvents(of: group)
    let matcher = flows[flowIndex].projection.query.entryMatcher
    var starts: [Int] = []
    swap(&starts, &entryStarts)
    events.withUnsafeBufferPointer { matcher.findEntries(of: $0, into: &starts, chain: &chain) }
    for (index, start) in starts.enumerated() {
      let end = index + 1 < starts.count ? starts[index + 1] : group.count
      foldKnownOrNew(group.slice(start..<end), flow: flowIndex)
    }
    swap(&starts, &entryStarts)
  }

  /// Aggregates a group, by its cached contribution if it has one.
  private mutating func foldKnownOrNew(_ group: EventSequence, flow flowIndex: Int) {
    if let entry = cache.find(group.classIDs, count: group.count) {
      count(group, of: flows + flowIndex, by: entry)
    } else {
      foldGroup(group, flow: flowIndex)
    }
  }

  /// Stores the indices of the events that break a rule about all groups of the subject in ``brokenPositions``.
  private mutating func applySubjectRules(to sequence: EventSequence) {
    for flowIndex in 0..<flowCount { flows[flowIndex].subjectRule?.reset() }
    for index in 0..<sequence.count {
      let entry = kinds[Int(sequence.classIDs[index])]
      let flowIndex = Int(placeOfFlow[Int(entry.flow)])
      guard flowIndex >= 0, flows[flowIndex].subjectRule != nil else { continue }
      let event = FlowEvent(milliseconds: sequence.times[index], kind: entry.kind, code: sequence.classIDs[index])
      if flows[flowIndex].subjectRule?.isBroken(by: event, detail: entry.detail) == true { brokenPositions.insert(index) }
    }
  }

  /// Returns the index in the plan of the flow that all events belong to, if they are one group of it, or `nil`.
  private func onlyFlow(of sequence: EventSequence) -> Int? {
    let flow = kinds[Int(sequence.classIDs[0])].flow
    for index in 1..<sequence.count where kinds[Int(sequence.classIDs[index])].flow != flow { return nil }
    let flowIndex = Int(placeOfFlow[Int(flow)])
    guard flowIndex >= 0, sequence.isOneGroup(by: flows[flowIndex].countBy) else { return nil }
    return flowIndex
  }

  /// Aggregates a group that is not cached without a gap, and adds its contribution to the cache.
  private mutating func foldGroup(_ group: EventSequence, flow flowIndex: Int) {
    let flow = flows + flowIndex
    guard isUnlimited(group, of: flow) else { return foldLimited(group, of: flow) }
    foldEventByEvent(group, of: flow)
    remember(group, gap: 0, of: flow)
  }
}

extension Int64 {
  /// Returns whether a time is later than another by more than a number of milliseconds.
  @inline(__always)
  fileprivate func isLater(than other: Int64, byMoreThan milliseconds: Int64) -> Bool {
    let (length, overflow) = subtractingReportingOverflow(other)
    return overflow || length > milliseconds
  }
}

extension EventSequence {
  /// Returns whether the events, all of one flow, are one group. Returns `false` for entries, because splitting them
  /// needs event classes.
  @inline(__always)
  fileprivate func isOneGroup(by countBy: FlowDefinition.CountBy) -> Bool {
    switch countBy {
    case .person, .subject: true
    case .attempt: hasOneAttempt
    case .entry: false
    }
  }

  /// Returns the events of a range of indices.
  fileprivate func slice(_ range: Range<Int>) -> EventSequence {
    precondition(!range.isEmpty && range.upperBound <= count, "a slice has events of the history")
    let start = range.lowerBound
    return EventSequence(
      count: range.count, classIDs: classIDs + start, times: times + start, attempts: attempts.map { $0 + start },
      rows: rows.map { $0 + start },
      measurements: measurements.map { EventMeasurements(starts: $0.starts + start, all: $0.all) },
      positions: positions.map { $0 + start }, names: names)
  }

  /// Whether all events have the same attempt.
  @inline(__always)
  private var hasOneAttempt: Bool {
    guard let attempts else { return true }
    for index in 1..<count where attempts[index] != attempts[0] { return false }
    return true
  }
}
