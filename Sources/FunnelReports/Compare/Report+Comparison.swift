package import FunnelModel
import FunnelProjections
import FunnelRendering

extension Report {
  /// Returns a comparison by the values of the query's first dimension, for each flow version.
  ///
  /// The report must contain the rows of `ReportSelection.comparisonByDay`.
  ///
  /// - Parameters:
  ///   - sides: The sides, at least two, the baseline first.
  ///   - all: The same report with the groups in progress, or `nil` if this one includes them.
  ///   - people: The same report by people, or `nil` if this one counts people.
  package func comparison(
    ofValues sides: [ValueSide], all: Report?, people: Report? = nil, _ settings: ComparisonSettings, flows: [FlowDefinition]
  ) -> Report {
    guard let dimension = query.by.first else { preconditionFailure("values are those of a dimension") }
    let compared = sides.reduce(into: Set<PropertyValue>()) { $0.formUnion($1.values) }
    return comparison(
      by: .key(dimension), settings,
      flows.map { flow in
        let own = sides.map { side in
          self.side(side.label, flow, all: all) { $0.segment.first.map(side.values.contains) ?? false }
        }
        var context = context(of: flow)
        context.people = people.map { $0.entered(flow) }
        for row in rows(of: flow, in: FunnelReport.self) {
          context.wholeFlow.count += row.completed
          context.wholeFlow.total += row.entered
          guard let value = row.key.segment.first, !compared.contains(value) else { continue }
          if value == .null { context.withoutValue += row.entered } else { context.withOtherValue += row.entered }
        }
        context.withLaterValue = groupsWithLaterValue(of: dimension, in: flow)
        return FlowComparison(
          key: RowKey(flow: flow), title: flow.title, by: .key(dimension), noun: CountedNoun(of: query, flow), sides: own,
          context: context)
      })
  }

  /// Returns a comparison of versions, for each flow that has all of them.
  ///
  /// The report must contain the rows of `ReportSelection.comparison`.
  ///
  /// - Parameters:
  ///   - versions: The versions, at least two, the baseline first.
  ///   - all: The same report with the groups in progress, or `nil` if this one includes them.
  ///   - people: The same report by people, or `nil` if this one counts people.
  package func comparison(
    ofVersions versions: [Int], all: Report?, people: Report? = nil, _ settings: ComparisonSettings, flows: [FlowDefinition]
  ) -> Report {
    comparison(
      by: .version, settings,
      flows.filter { $0.version == versions.last }.compactMap { newest in
        let definitions = versions.compactMap { version in
          flows.first { $0.app == newest.app && $0.flow == newest.flow && $0.version == version }
        }
        guard definitions.count == versions.count else { return nil }
        var context = context(of: newest)
        context.people = people.map { people in definitions.reduce(0) { $0 + people.entered($1) } }
        return FlowComparison(
          key: RowKey(app: newest.app, flow: newest.flow, version: nil, segment: []), title: newest.title, by: .version,
          noun: CountedNoun(joining: definitions.map { CountedNoun(of: query, $0) }),
          sides: definitions.map { side("v\($0.version)", $0, all: all) }, context: context)
      })
  }

  /// Returns a comparison of two periods, for each flow version.
  ///
  /// - Parameter pair: Returns the two reports for a flow version, with the rows of `ReportSelection.comparison`.
  package func comparison(
    ofPeriods pair: (FlowDefinition) -> PeriodPair, _ settings: ComparisonSettings, flows: [FlowDefinition]
  ) -> Report {
    comparison(
      by: .period, settings,
      flows.map { flow in
        let pair = pair(flow)
        var context = pair.later.report.context(of: flow)
        context.sameAge = pair.sameAge
        context.differentWeekdays = pair.differentWeekdays
        let sides = [pair.baseline, pair.later].map { period in
          var side = period.report.side(period.label, title: period.title, flow, all: period.all)
          side.firstDay = period.firstDay
          // A group is always in one period.
          side.mixed = 0
          return side
        }
        return FlowComparison(
          key: RowKey(flow: flow), title: flow.title, by: .period, noun: CountedNoun(of: query, flow), sides: sides,
          context: context)
      })
  }

  /// Returns a report with the rows of comparisons. Its query has only the dimensions that the user requested.
  private func comparison(by: ComparedBy, _ settings: ComparisonSettings, _ flows: [FlowComparison]) -> Report {
    var report = self
    report.query.by = if case .key(let dimension) = by { [dimension] } else { [] }
    report.query.every = nil
    // A comparison at the same age includes groups in progress.
    if flows.contains(where: { $0.context.isSameAge && $0.sides.contains { $0.entered > 0 } }) { report.query.isMature = false }
    report.answers = [ReportRows<CompareReport>(rows: flows.flatMap { $0.rows(settings) })]
    return report
  }

  private func context(of flow: FlowDefinition) -> FlowComparison.Context {
    var context = FlowComparison.Context()
    context.windowMilliseconds = query.windowMilliseconds(for: flow)
    context.countsOpenGroups = !query.isMature
    context.dropsMixed = query.dropsMixed
    context.takesLaterValues = query.attribution == .known
    context.takesBestStart = query.anchor == .best
    return context
  }

  /// Returns the number of groups that entered a flow version, over all segments.
  private func entered(_ flow: FlowDefinition) -> Int {
    rows(of: flow, in: FunnelReport.self).reduce(0) { $0 + $1.entered }
  }

  private func rows<Named: NamedReport>(
    of flow: FlowDefinition, in report: Named.Type, where isIncluded: (RowKey) -> Bool = { _ in true }
  ) -> [Named.Row] {
    (self[report] ?? []).filter { $0.key.isOf(flow) && isIncluded($0.key) }
  }

  /// Returns a side with the rows of a flow version that satisfy a condition.
  ///
  /// - Parameter all: The same report with the groups in progress, or `nil` if this one includes them.
  func side(
    _ label: String, title: String? = nil, _ flow: FlowDefinition, all: Report? = nil,
    where isIncluded: (RowKey) -> Bool = { _ in true }
  ) -> ComparisonSide {
    var side = ComparisonSide(
      label: label, title: title, of: flow, order: query.order,
      funnel: rows(of: flow, in: FunnelReport.self, where: isIncluded),
      grants: rows(of: flow, in: GrantsReport.self, where: isIncluded))
    if let all {
      let entered = all.rows(of: flow, in: FunnelReport.self, where: isIncluded).reduce(0) { $0 + $1.entered }
      side.inProgress = max(0, entered - side.entered)
    }
    for bucket in rows(of: flow, in: TrendReport.self, where: isIncluded).flatMap(\.buckets) {
      side.enteredByDay[bucket.start, default: 0] += bucket.entered
    }
    side.mixed = mixedGroups(of: flow, where: isIncluded)
    return side
  }

  /// Returns the number of groups of a flow version that have a value of a key only after their first step.
  private func groupsWithLaterValue(of dimension: Dimension, in flow: FlowDefinition) -> Int {
    coverage.first { $0.flow.reference == flow.reference && $0.permission == nil }?
      .keys.first { $0.key == dimension }?.later ?? 0
  }

  /// Returns the number of groups of a side that have more than one value of the key within their window.
  private func mixedGroups(of flow: FlowDefinition, where isIncluded: (RowKey) -> Bool) -> Int {
    mixed.filter { $0.flow.reference == flow.reference && isIncluded(RowKey(flow: flow, segment: $0.segment)) }
      .reduce(0) { $0 + $1.mixed }
  }
}

extension Report {
  /// The comparison without rows in which both sides are empty. JSON and CSV omit such rows, and
  /// ``comparisonNotes`` explains why.
  package var withoutEmptyComparisons: Report {
    var report = self
    report.answers = answers.map { answer in
      guard let answer = answer as? ReportRows<CompareReport> else { return answer }
      return ReportRows<CompareReport>(rows: answer.rows.filter { $0.groups > 0 })
    }
    return report
  }

  /// The warnings and notes of a comparison, for formats that contain only numbers. Each begins with its flow.
  package var comparisonNotes: [String] {
    var notes: [String] = []
    for case let answer as ReportRows<CompareReport> in answers {
      for row in answer.rows {
        let version = row.key.version.map { "@\($0)" } ?? ""
        let warnings = CompareReport.sentences(of: row).compactMap(\.warning)
        for note in row.groups > 0 ? warnings + ComparisonText.notes(of: row) : [ComparisonText.verdict(of: row)] {
          let line = "\(row.key.app)/\(row.key.flow)\(version): \(note)"
          if !notes.contains(line) { notes.append(line) }
        }
      }
    }
    return notes
  }
}
