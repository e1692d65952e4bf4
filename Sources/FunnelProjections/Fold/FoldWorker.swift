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
  let plan: FoldPlan
  /// The accumulators of the plan's flow versions.
  var flows: FixedArray<FlowAccumulator>
  private let currentClasses: @Sendable () -> [EventClassTable.Entry]
  /// The event classes of the source by event class ID, as of the last call of `currentClasses`.
  private(set) var classes: [EventClassTable.Entry]
  let period: AnchorPeriod
  /// Whether contributions are added to the cache.
  private let cachesContributions: Bool
  private var cache = ContributionCache()
  private var contribution = Contribution()
  var chain = ChainMatch()
  /// The events of the group that was read last.
  private(set) var events: [TimedEvent] = []
  var partitioner = GroupPartitioner()
  /// The index of the first event of each entry of the current subject and flow.
  var entryStarts: [Int] = []
  /// Whether some flow has a rule about all groups of a subject.
  let hasSubjectRules: Bool
  /// The indices in the current event sequence of the events that break a rule about subjects.
  var subjectRuleBreaches: Set<Int> = []
  /// The times of the return events of the current event sequence, by index of the return flow in the plan.
  private var returnTimes: [[Int64]]
  /// The conditions on subjects, or `nil` if the query has none.
  private let subjectFilter: SubjectFilter?
  /// The list of the selected groups, or `nil` to aggregate.
  private var listing: GroupList?
  /// The number of groups that were counted by a cached contribution. Counted only in debug builds.
  private var cacheHitCount = 0

  /// Creates a worker.
  ///
  /// - Parameters:
  ///   - plan: The projections to aggregate.
  ///   - source: The source of the event sequences.
  ///   - selection: The groups to list, or `nil` to aggregate.
  ///   - keys: The keys whose last values are listed.
  init(plan: FoldPlan, source: some SequenceSource, selection: GroupSelection? = nil, listing keys: [Dimension] = []) {
    self.plan = plan
    flows = FixedArray(count: plan.flows.count) { FlowAccumulator(plan.flows[$0], of: source) }
    currentClasses = { source.eventClasses }
    classes = source.eventClasses
    period = AnchorPeriod(query: plan.query)
    returnTimes = Array(repeating: [], count: plan.returnFlows.count)
    hasSubjectRules = plan.flows.contains { $0.makeSubjectRule() != nil }
    subjectFilter = SubjectFilter(plan.query)
    // A cache entry does not include the events of steps.
    cachesContributions = plan.flows.allSatisfy { $0.query.segments.steps.isEmpty }
    let counterCount = plan.flows.map { $0.emptyAggregate.shape.counters }.max() ?? 0
    listing = selection.map { selection in
      GroupList(
        roles: selection.roles(ofCounters: counterCount), keys: RowKeys(keys, currentSegments: { source.segments }))
    }
  }

  /// Aggregates or lists the groups of an event sequence.
  @inline(__always)
  mutating func fold(_ sequence: EventSequence) {
    if hasSubjectRules { subjectRuleBreaches.removeAll(keepingCapacity: true) }
    if let subjectFilter {
      guard let names = sequence.names else { preconditionFailure("a query about subjects asks for their names") }
      guard subjectFilter.admits(names.aliases) else { return }
    }
    if !returnTimes.isEmpty { collectReturnTimes(of: sequence) }
    if let entry = cache.find(sequence.allClassIDs) {
      let flow = Int(cache[entry].flow)
      if sequence.isOneGroup(by: flows[flow].countBy) {
        count(sequence, flow: flow, by: entry)
        return
      }
    }
    foldUncached(sequence)
  }

  /// Returns the aggregate of each flow version of the plan. Call it once, after the last event sequence.
  mutating func finish() -> [Aggregate] {
    for entry in cache.indices where cache[entry].hits > 0 { cache.addHits(of: entry, to: &flows[Int(cache[entry].flow)]) }
    return plan.flows.indices.map { flows[$0].finish() }
  }

  /// The groups listed so far.
  var listedGroups: [ListedGroup] { listing?.groups ?? [] }

  /// Stores the times of the sequence's return events in ``returnTimes``.
  private mutating func collectReturnTimes(of sequence: EventSequence) {
    updateClasses(of: sequence)
    for index in returnTimes.indices { returnTimes[index].removeAll(keepingCapacity: true) }
    for event in 0..<sequence.count {
      let flow = Int(classes[Int(sequence.classIDs[event])].flow)
      guard plan.returnFlows.contains(flow) else { continue }
      returnTimes[flow - plan.returnFlows.lowerBound].append(sequence.times[event])
    }
  }

  /// Reads the event classes of the source again if it added one of a sequence after they were read.
  mutating func updateClasses(of sequence: EventSequence) {
    for index in 0..<sequence.count where Int(sequence.classIDs[index]) >= classes.count {
      classes = currentClasses()
      return
    }
  }
}

extension FoldWorker {
  /// Aggregates a group of one flow, by its cached contribution if it has one.
  mutating func foldGroup(_ group: EventSequence, flow: Int) {
    if let entry = cache.find(group.allClassIDs) {
      count(group, flow: flow, by: entry)
    } else {
      foldUncachedGroup(group, flow: flow)
    }
  }

  /// Aggregates a group that is not cached without a gap, and adds its contribution to the cache.
  mutating func foldUncachedGroup(_ group: EventSequence, flow: Int) {
    guard isUnlimited(group, flow: flow) else { return foldLimited(group, flow: flow) }
    foldEventByEvent(group, flow: flow)
    remember(group, gap: 0, flow: flow)
  }

  /// Aggregates a group whose event classes, without a gap, are cached.
  @inline(__always)
  private mutating func count(_ group: EventSequence, flow: Int, by entry: ContributionCache.Index) {
    guard isUnlimited(group, flow: flow) else { return foldLimited(group, flow: flow) }
    addContribution(of: entry, to: flow, group)
  }

  /// Aggregates a group that has events outside the period of the query or the conversion window of its first event.
  private mutating func foldLimited(_ group: EventSequence, flow: Int) {
    // A group without events in the period contributes nothing.
    if group.times[group.count - 1] < period.first || group.times[0] > period.last { return }
    guard let gap = gap(in: group, flow: flow) else { return foldEventByEvent(group, flow: flow) }
    if let entry = cache.find(group.allClassIDs, gap: gap) {
      addContribution(of: entry, to: flow, group)
    } else {
      foldEventByEvent(group, flow: flow)
      remember(group, gap: gap, flow: flow)
    }
  }

  /// Aggregates or lists a group whose contribution is that of a cache entry.
  @inline(__always)
  private mutating func addContribution(of entry: ContributionCache.Index, to flow: Int, _ group: EventSequence) {
    assert(isConfirmed(entry, by: group, flow: flow), "a contribution depends on times that its projector may not read")
    let clock = flows[flow].clock
    if let roles = listing?.roles {
      if cache.isSelected(entry, by: roles, group, by: clock, in: &flows[flow]) { list(group, flow: flow) }
    } else if plan.isWhole, !clock.isOpen(from: group.times[group.count - 1]) {
      cache.addHit(to: entry, of: group, in: &flows[flow])
    } else {
      cache.add(entry, group, by: clock, to: &flows[flow])
    }
  }

  /// Aggregates or lists a group by reading its events.
  private mutating func foldEventByEvent(_ group: EventSequence, flow: Int) {
    contribute(group, flow: flow)
    let clock = flows[flow].clock
    if let roles = listing?.roles {
      if contribution.isSelected(by: roles, group, by: clock, in: &flows[flow]) { list(group, flow: flow) }
    } else {
      contribution.add(group, by: clock, to: &flows[flow])
    }
  }

  /// Reads a group's events, and stores its contribution in ``contribution``.
  private mutating func contribute(_ group: EventSequence, flow: Int) {
    readEvents(of: group)
    contribution.removeAll()
    let breaches =
      subjectRuleBreaches.isEmpty
      ? [] : Set((0..<group.count).filter { subjectRuleBreaches.contains(group.position(of: $0)) })
    let projection = plan.flows[flow]
    let (events, classes) = (events, classes)
    let view = GroupEvents(
      events.span, entries: classes.span, query: projection.query, subjectRuleBreaches: breaches,
      returnTimes: plan.returnFlowOfFlow[flow].map { returnTimes[$0] } ?? [])
    projection.contribute(view, into: &contribution, chain: &chain)
  }

  /// Adds the contribution of the last group that was read event by event to the cache.
  private mutating func remember(_ group: EventSequence, gap: Int, flow: Int) {
    guard cachesContributions else { return }
    cache.add(group.allClassIDs, gap: gap, flow: flow, contribution: contribution)
  }

  /// Stores a group's events with their event classes in ``events``.
  mutating func readEvents(of group: EventSequence) {
    events.removeAll(keepingCapacity: true)
    for index in 0..<group.count {
      let classID = group.classIDs[index]
      events.append(TimedEvent(milliseconds: group.times[index], kind: classes[Int(classID)].kind, classID: classID))
    }
  }

  /// The number of cache hits for each of which one is compared with the contribution of the events.
  private static var hitsPerComparison: Int { 32 }

  /// Returns whether the contribution of a cache entry is that of a group's events. Compares only a sample.
  private mutating func isConfirmed(_ entry: ContributionCache.Index, by group: EventSequence, flow: Int) -> Bool {
    cacheHitCount += 1
    guard cacheHitCount % Self.hitsPerComparison == 1 else { return true }
    contribute(group, flow: flow)
    return !contribution.dependsOnTimes && cache.view(of: entry).isEqual(to: contribution.view)
  }

  /// Adds a group to the list.
  private mutating func list(_ group: EventSequence, flow: Int) {
    guard let names = group.names else { preconditionFailure("groups are listed by the names of their subjects") }
    readEvents(of: group)
    let projection = plan.flows[flow]
    let (events, classes) = (events, classes)
    let view = GroupEvents(events.span, entries: classes.span, query: projection.query)
    var listed = ListedGroup(
      subject: flows[flow].countBy.isOfPersons ? names.person : names.subject)
    if flows[flow].countBy == .attempt { listed.attempt = names.attempt(ofEvent: group.position(of: 0)) }
    if projection.query.matcher.match(view, into: &chain) {
      listed.anchor = Timestamp(milliseconds: events[chain.anchor].milliseconds)
      listed.matchedStepCount = chain.matchedStepCount
      listed.lastStep = projection.query.matcher.lastStep(of: view, along: chain)
    }
    if let values = listing?.keys.lastValues(of: group) { listed.lastValues = values }
    listing?.groups.append(listed)
  }
}
