import FunnelHistories
import FunnelIndex
import FunnelModel

/// One thread of a fold, which splits histories into groups and counts them.
///
/// A group whose outline is cached is counted by it, without interpreting its events. That is correct if it is known which of its events a
/// time limit cuts off: none of them, or those on the other side of a gap. Any other group is read event by event. Both ways end in
/// ``ContributionView/count(by:into:)``. For groups that also have closed windows, in a query without segments or conditions, only a hit is
/// counted in the outline's cache entry; their counters are raised at the end, all at once.
struct FoldWorker: ~Copyable {
  private let flows: UnsafeMutablePointer<FlowAccumulator>
  private let flowCount: Int
  /// The index in ``flows`` of each flow version of the catalog, -1 if the report is not about it.
  private let placeOfFlow: [Int32]
  private let currentKinds: @Sendable () -> [EventClassTable.Entry]
  private var kinds: [EventClassTable.Entry]
  private let span: AnchorSpan
  private let isWhole: Bool
  private let cachesContributions: Bool
  private var cache = ContributionCache()
  private var partitioner = GroupPartitioner()
  private var contribution = Contribution()
  private var chain = ChainMatch()
  private var events: [FlowEvent] = []
  /// The start of each entry of the group that is being cut.
  private var entryStarts: [Int] = []
  /// Whether some flow has a rule about all groups of a subject.
  private let hasSubjectRules: Bool
  /// The conditions on subjects, if the query has some.
  private let subjectFilter: SubjectFilter?
  /// Whether each history is looked at before its groups are: for rules about, or conditions on, its subject.
  private let readsSubjects: Bool
  /// Whether groups are listed, not only counted.
  private let listsGroups: Bool
  /// What each counter says about whether a group is listed.
  private let roles: [CounterRole]
  private var listed: [ListedGroup] = []
  /// The events of the history that break such a rule, by index in it.
  private var brokenPositions: Set<Int> = []

  /// Creates a worker for a plan and the source whose histories it folds.
  ///
  /// - Parameter selection: What groups are listed; nil if groups are only counted.
  init(plan: FoldPlan, source: some SequenceSource, selection: GroupSelection? = nil) {
    listsGroups = selection != nil
    roles = selection?.roles(ofCounters: plan.flows.map { $0.emptyAggregate.shape.counters }.max() ?? 0) ?? []
    flowCount = plan.flows.count
    flows = .allocate(capacity: flowCount)
    for (place, flow) in plan.flows.enumerated() {
      (flows + place).initialize(to: FlowAccumulator(flow, of: source))
    }
    placeOfFlow = plan.placeOfFlow
    currentKinds = { source.kinds }
    kinds = source.kinds
    span = AnchorSpan(query: plan.query)
    isWhole = plan.query.by.isEmpty && plan.query.conditions.isEmpty
    hasSubjectRules = (0..<plan.flows.count).contains { [flows] in flows[$0].subjectRule != nil }
    subjectFilter = SubjectFilter(plan.query)
    readsSubjects = hasSubjectRules || subjectFilter != nil
    contribution.setEntries(kinds)
    // A cached outline does not record the events of steps.
    cachesContributions = plan.flows.allSatisfy { $0.query.segments.steps.isEmpty }
  }

  deinit {
    flows.deinitialize(count: flowCount)
    flows.deallocate()
  }

  /// Counts the groups of a history.
  @inline(__always)
  mutating func fold(_ sequence: EventSequence) {
    if readsSubjects {
      brokenPositions.removeAll(keepingCapacity: true)
      guard isAdmitted(sequence) else { return }
    }
    if let entry = cache.find(sequence.kinds, count: sequence.count) {
      let flow = flows + Int(entry.pointee.flow)
      if sequence.isOneGroup(by: flow.pointee.countBy) {
        count(sequence, of: flow, by: entry)
        return
      }
    }
    foldUnknown(sequence)
  }

  /// Returns whether the conditions on subjects hold for a history.
  private func isAdmitted(_ sequence: EventSequence) -> Bool {
    guard let subjectFilter else { return true }
    guard let names = sequence.names else { preconditionFailure("a query about subjects asks for their names") }
    return subjectFilter.admits(names.subject)
  }

  /// Returns the tallies, one for each flow of the plan.
  mutating func finish() -> [Aggregate] {
    cache.forEachEntry { entry, contribution in
      guard entry.hits > 0 else { return }
      contribution.forEachClosedCounter { flows[Int(entry.flow)].add(entry.hits, to: $0, in: 0) }
    }
    return (0..<flowCount).map { flows[$0].finish() }
  }

  /// Counts a group whose outline is cached.
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

  /// Counts a group by an outline that is its own.
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

  /// Returns whether no time limit affects a group.
  @inline(__always)
  private func isUnlimited(_ group: EventSequence, of flow: UnsafeMutablePointer<FlowAccumulator>) -> Bool {
    let (first, last) = (group.times[0], group.times[group.count - 1])
    let (length, overflow) = last.subtractingReportingOverflow(first)
    return first >= span.first && last <= span.last && !overflow && length <= flow.pointee.clock.window
  }

  /// Counts a group that a time limit affects.
  private mutating func foldLimited(_ group: EventSequence, of flow: UnsafeMutablePointer<FlowAccumulator>) {
    // A group counts by events in the period alone.
    if group.times[group.count - 1] < span.first || group.times[0] > span.last { return }
    let gap = gap(in: group, of: flow)
    if let gap, let entry = cache.find(group.kinds, count: group.count, gap: gap) {
      countByContribution(group, of: flow, by: entry)
      return
    }
    foldEventByEvent(group, of: flow)
    if let gap { remember(group, gap: gap, of: flow) }
  }

  /// Returns the index of the event after the only gap of a group, nil if time limits affect the group in another way.
  ///
  /// A gap is longer than the window. Where all events are in the time range, and those before the gap and those after it are each within
  /// the window, it is known of any two events whether one is in the window that opens with the other: if they are on the same side of
  /// the gap. People who come back weeks later make such groups.
  private func gap(in group: EventSequence, of flow: UnsafeMutablePointer<FlowAccumulator>) -> Int? {
    let (window, times, last) = (flow.pointee.clock.window, group.times, group.count - 1)
    guard times[0] >= span.first, times[last] <= span.last else { return nil }
    guard let gap = (1..<group.count).first(where: { times[$0].isLater(than: times[$0 - 1], byMoreThan: window) }) else {
      return nil
    }
    let areBothShort =
      !times[gap - 1].isLater(than: times[0], byMoreThan: window) && !times[last].isLater(than: times[gap], byMoreThan: window)
    return areBothShort ? gap : nil
  }

  /// Adds the outline of a group that was just read event by event to the cache.
  private mutating func remember(_ group: EventSequence, gap: Int, of flow: UnsafeMutablePointer<FlowAccumulator>) {
    guard cachesContributions else { return }
    cache.add(group.kinds, count: group.count, gap: gap, flow: flow - flows, contribution: contribution)
  }

  /// Counts a group by the meaning of its events.
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

  /// Reads the meanings of a group's events.
  private mutating func readEvents(of group: EventSequence) {
    events.removeAll(keepingCapacity: true)
    for index in 0..<group.count {
      let code = group.kinds[index]
      events.append(FlowEvent(milliseconds: group.times[index], kind: kinds[Int(code)].kind, code: code))
    }
  }

  /// Returns whether a group is to be listed, by the counters that its outline raises.
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
      listed.level = chain.level
      listed.lastStep = events.withUnsafeBufferPointer { projection.query.matcher.lastStep(of: $0, along: chain) }
    }
    self.listed.append(listed)
  }

  /// Returns the groups listed so far.
  func takeListed() -> [ListedGroup] { listed }

  /// Counts the groups of a history that is not cached as one group.
  private mutating func foldUnknown(_ sequence: EventSequence) {
    for index in 0..<sequence.count where Int(sequence.kinds[index]) >= kinds.count {
      // The source added this kind after the kinds were read.
      kinds = currentKinds()
      contribution.setEntries(kinds)
      break
    }
    if hasSubjectRules { applySubjectRules(to: sequence) }
    if let flow = onlyFlow(of: sequence) {
      foldGroup(sequence, flow: flow)
      return
    }
    let (kinds, placeOfFlow, flows) = (kinds, placeOfFlow, flows)
    var partitioner = GroupPartitioner()
    swap(&partitioner, &self.partitioner)
    partitioner.forEachGroup(
      of: sequence, keepsPositions: hasSubjectRules || sequence.names != nil, flowOfKind: { kinds[Int($0)].flow },
      countsByAttempt: { flow in
        let place = Int(placeOfFlow[Int(flow)])
        return place >= 0 && flows[place].countBy == .attempt
      }
    ) { flow, group in
      let place = Int(placeOfFlow[Int(flow)])
      guard place >= 0 else { return }
      if flows[place].countBy == .entry { foldEntries(of: group, flow: place) } else { foldKnownOrNew(group, flow: place) }
    }
    swap(&partitioner, &self.partitioner)
  }

  /// Counts each entry of the events that a subject has in a flow.
  private mutating func foldEntries(of group: EventSequence, flow place: Int) {
    readEvents(of: group)
    let matcher = flows[place].projection.query.entryMatcher
    var starts: [Int] = []
    swap(&starts, &entryStarts)
    events.withUnsafeBufferPointer { matcher.findEntries(of: $0, into: &starts, chain: &chain) }
    for (index, start) in starts.enumerated() {
      let end = index + 1 < starts.count ? starts[index + 1] : group.count
      foldKnownOrNew(group.slice(start..<end), flow: place)
    }
    swap(&starts, &entryStarts)
  }

  /// Counts a group by its cached outline, if it has one.
  private mutating func foldKnownOrNew(_ group: EventSequence, flow place: Int) {
    if let entry = cache.find(group.kinds, count: group.count) {
      count(group, of: flows + place, by: entry)
    } else {
      foldGroup(group, flow: place)
    }
  }

  /// Finds the events that break a rule about all groups of the subject.
  private mutating func applySubjectRules(to sequence: EventSequence) {
    for place in 0..<flowCount { flows[place].subjectRule?.reset() }
    for index in 0..<sequence.count {
      let entry = kinds[Int(sequence.kinds[index])]
      let place = Int(placeOfFlow[Int(entry.flow)])
      guard place >= 0, flows[place].subjectRule != nil else { continue }
      let event = FlowEvent(milliseconds: sequence.times[index], kind: entry.kind, code: sequence.kinds[index])
      if flows[place].subjectRule?.isBroken(by: event, detail: entry.detail) == true { brokenPositions.insert(index) }
    }
  }

  /// Returns the index of the flow if the whole history is one group of it.
  private func onlyFlow(of sequence: EventSequence) -> Int? {
    let flow = kinds[Int(sequence.kinds[0])].flow
    for index in 1..<sequence.count where kinds[Int(sequence.kinds[index])].flow != flow { return nil }
    let place = Int(placeOfFlow[Int(flow)])
    guard place >= 0, sequence.isOneGroup(by: flows[place].countBy) else { return nil }
    return place
  }

  /// Counts a group whose outline is not cached, unless time limits affect it, and adds the outline to the cache.
  private mutating func foldGroup(_ group: EventSequence, flow place: Int) {
    let flow = flows + place
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
  /// Returns whether all events of one flow are one group; entries are cut by their events, so it is not known of them.
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
      count: range.count, kinds: kinds + start, times: times + start, attempts: attempts.map { $0 + start },
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
