import FunnelModel
package import FunnelRendering

extension FunnelReport {
  package static func document(of rows: [FunnelRow], in context: DocumentContext) -> ReportSection {
    var part = ReportSection(Self.self)
    let rows = rows.labelled(for: context.query.order)
    precondition(!rows.isEmpty, "a document has rows")
    part.aside = "window \(TimeSpan(milliseconds: rows[0].windowMilliseconds).description)"
    switch context.layout {
    case .compact where rows.count == 1:
      part.blocks = facts(of: rows[0], counting: context.noun) + [.table(stepTable(of: rows, in: context.layout))]
    case .compact:
      part.blocks = overview(of: rows, in: context.layout) + [.matrix(stepMatrix(of: rows))]
    case .long:
      part.blocks = overview(of: rows, in: context.layout) + [.table(stepTable(of: rows, in: context.layout))]
    }
    return part
  }

  /// Returns the numbers of a single segment as sentences.
  private static func facts(of row: FunnelRow, counting noun: CountedNoun) -> [DocumentBlock] {
    var facts = [
      Phrase([
        .text("\(HumanNumbers.count(row.entered)) entered ", .plain), .arrow(.plain),
        .text(" \(HumanNumbers.count(row.completed)) completed", .plain),
      ])
    ]
    if let rate = row.conversion {
      // While many groups are in progress, an interval of the current rate would be misleading.
      facts.append(
        row.hasManyInProgress
          ? Phrase([.rate(rate, .plain), .text(" converted so far", .plain)]) : .rate(rate, "conversion"))
    }
    facts.append(.count(row.dropped, "dropped"))
    if let excluded = row.excluded, excluded > 0 { facts.append(.count(excluded, "excluded")) }
    // If many groups are in progress, they are shown with the rate of the closed groups.
    return row.segmentHeading
      + (row.hasManyInProgress
        ? [.facts(facts), .facts([closedFact(of: row, counting: noun)])]
        : [.facts(facts + [.count(row.inProgress, "in progress")])])
  }

  private static func closedFact(of row: FunnelRow, counting noun: CountedNoun) -> Phrase {
    let inProgress = "\(HumanNumbers.count(row.inProgress)) in progress"
    guard row.closed.entered > 0, let rate = row.closed.conversion else {
      return Phrase("\(inProgress); no conversion window has closed yet")
    }
    return Phrase("\(inProgress); of the \(noun.counted(row.closed.entered)) whose window has closed ")
      + .rate(rate, "converted")
  }

  /// Returns a table with a row for each segment.
  private static func overview(of rows: [FunnelRow], in layout: DocumentLayout) -> [DocumentBlock] {
    let isClosedShown = rows.contains(where: \.hasManyInProgress)
    let rates: [TableColumn<FunnelRow>] = [
      TableColumn("Conversion", priority: .regular(1), hasBar: true) {
        .bar(.init(share: $0.conversion?.value), .rate($0.conversion))
      },
      .interval(priority: .regular(2)) { $0.conversion },
    ]
    let closed: [TableColumn<FunnelRow>] =
      isClosedShown ? TableColumn.closed(in: layout) { ($0.closed.conversion, $0.closed.entered) } : []
    let groups: [TableColumn<FunnelRow>] = [
      .people("Entered", .entered) { $0.entered }, .people("Completed", .completed, priority: .regular(3)) { $0.completed },
    ]
    let others: [TableColumn<FunnelRow>] =
      [
        .people("Dropped", .dropped, priority: .extra(1)) { $0.dropped },
        .people(ColumnTitle("In progress", stacked: ["In", "progress"]), .inProgress, priority: .extra(2)) { $0.inProgress },
      ]
      + (rows.contains { $0.excluded ?? 0 > 0 } ? [.people("Excluded", .excluded, priority: .extra(3)) { $0.excluded }] : [])
    let columns: [TableColumn<FunnelRow>] =
      switch layout {
      case .compact: [.label("Segment") { .label($0.key.segment) }] + rates + closed + groups + others
      case .long:
        [TableColumn("Window") { .text(TimeSpan(milliseconds: $0.windowMilliseconds).description) }] + groups + rates + closed
          + others
      }
    let table = DocumentTable(columns, of: rows)
    return [.table(table)] + (isClosedShown ? [.closedExplanation] : [])
  }
}

extension FunnelReport {
  package static func addPictures(of rows: [FunnelRow], in context: DocumentContext, to part: inout ReportSection) {
    let rows = rows.labelled(for: context.query.order)
    if rows.count == 1, let rate = rows[0].conversion {
      part.figure = Phrase([.rate(rate, .strong)])
    }
    part.pictures = Picture.of(rows, by: context.query.by) { row in
      [steps(of: row, in: context), .figures(figures(of: row))]
    } bySegment: { segments in
      segmentChart(of: segments, in: context)
    }
  }

  private static func figures(of row: FunnelRow) -> [DocumentFigure] {
    // While many groups are in progress, an interval of the current rate would be misleading.
    let isFinal = !row.hasManyInProgress
    let interval = isFinal ? row.conversion.map { Phrase([.text("95 % interval ", .plain), .interval($0)]) } : nil
    var figures = [
      DocumentFigure(name: "Entered", value: Phrase(HumanNumbers.count(row.entered))),
      DocumentFigure(name: "Completed", value: Phrase(HumanNumbers.count(row.completed))),
      DocumentFigure(name: isFinal ? "Conversion" : "Converted so far", value: share(row.conversion), note: interval),
    ]
    if row.hasManyInProgress, let rate = row.closed.conversion {
      let note = Phrase([.text("of \(HumanNumbers.count(row.closed.entered)), 95 % interval ", .plain), .interval(rate)])
      figures.append(DocumentFigure(name: "Of those whose window has closed", value: share(rate), note: note))
    }
    figures.append(DocumentFigure(name: "Dropped", value: Phrase(HumanNumbers.count(row.dropped))))
    figures.append(DocumentFigure(name: "In progress", value: Phrase(HumanNumbers.count(row.inProgress))))
    if let excluded = row.excluded, excluded > 0 {
      figures.append(DocumentFigure(name: "Excluded", value: Phrase(HumanNumbers.count(excluded))))
    }
    return figures
  }

  private static func share(_ rate: Rate?) -> Phrase {
    Phrase([rate.map { Phrase.Part.rate($0, .plain) } ?? .absent])
  }

  /// Returns a chart with a bar for each step, of the groups that reached it.
  ///
  /// A bar is divided into groups that went on, are in progress, were excluded, or dropped. If steps may come
  /// in any order, it is not divided, because a step has no next step.
  private static func steps(of row: FunnelRow, in context: DocumentContext) -> Picture {
    let isOrdered = context.query.order != .any
    let required = row.steps.filter { !$0.isOptional }
    let reachedNext = Dictionary(
      zip(required, required.dropFirst()).map { ($0.id, $1.reached ?? 0) }, uniquingKeysWith: { $1 })
    let nextID = Dictionary(zip(required, required.dropFirst()).map { ($0.id, $1.id) }, uniquingKeysWith: { $1 })
    let bars = row.steps.map { step in
      let lengths =
        isOrdered && !step.isOptional
        ? lengths(of: step, isLast: step.id == required.last?.id, reachedNext: reachedNext[step.id])
        : [step.isOptional ? 0 : step.reached ?? 0, 0, step.isOptional ? step.reached ?? 0 : 0, 0, 0, 0]
      let share = step.fromStart.map { Phrase.Part.share($0, of: row.entered, .strong) } ?? .absent
      return BarChart.Bar(
        label: .init(phrase: Phrase(step.label + (step.isOptional ? " (optional)" : ""))),
        lengths: lengths.map(Double.init), whole: Double(row.entered),
        value: Phrase(step.reached.map { [.text("\(HumanNumbers.count($0)) · ", .plain), share] } ?? [.absent]),
        people: people(of: step, next: nextID[step.id], isOrdered: isOrdered), segment: row.key.segment)
    }
    let parts: [BarChart.Part] = [
      .init(name: isOrdered ? "went on" : "reached", ink: .good), .init(name: "completed", ink: .good),
      .init(name: "reached, optional", ink: .partial),
      .init(name: "in progress", ink: .open), .init(name: "excluded", ink: .neutral), .init(name: "dropped", ink: .loss),
    ]
    let divided = isOrdered ? ", divided into those who went on, are in progress and dropped there" : ""
    return .chart(
      "Reached, of those who entered", "One bar per step, showing the number of \(context.noun.who) reached it\(divided)",
      .bars(BarChart(parts: parts, bars: bars)))
  }

  /// Returns the people that the parts of a step's bar count.
  ///
  /// - Parameter next: The next required step, or `nil` for the last and for an optional step.
  private static func people(of step: FunnelStepRow, next: String?, isOrdered: Bool) -> [PeopleState?] {
    func at(_ state: GroupState) -> PeopleState { .step(step.id, state.rawValue) }
    let wentOn = isOrdered ? next.map { PeopleState.step($0, GroupState.reached.rawValue) } : at(.reached)
    return [
      wentOn, .flow(GroupState.completed.rawValue), at(.reached), at(.inProgress), at(.excluded), at(.dropped),
    ]
  }

  /// Returns the numbers of groups in the parts of a required step's bar.
  private static func lengths(of step: FunnelStepRow, isLast: Bool, reachedNext: Int?) -> [Int] {
    let reached = step.reached ?? 0
    let dropped = step.dropped ?? 0
    let inProgress = step.inProgress ?? 0
    let wentOn = min(reachedNext ?? reached - dropped - inProgress, reached)
    let excluded = max(0, reached - wentOn - dropped - inProgress)
    return [isLast ? 0 : wentOn, isLast ? wentOn : 0, 0, inProgress, excluded, dropped]
  }
}
