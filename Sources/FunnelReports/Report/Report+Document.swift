import FunnelModel
import FunnelRendering

/// The context in which rows become a section of a document.
package struct DocumentContext {
  let layout: DocumentLayout
  /// Whether pictures are shown above the tables.
  let hasPictures: Bool
  let query: ReportQuery
  /// The noun for the groups of the flow: people, attempts or entries.
  let noun: CountedNoun
  /// The reports that precede this one in the section of the flow.
  let preceding: [ReportSection]

  /// The funnel of the flow, by segment, for sentences about those who finished in another way. Empty if it was not counted.
  let funnels: [FunnelRow]

  /// The days that charts over time mark.
  let markedDays: [MarkedDay]
  /// Returns the URL of a page with conditions, or `nil` if there are no such pages.
  let targetOfConditions: (@Sendable ([String]) -> String)?

  /// Returns the funnels of the segments of some rows.
  func funnels(of rows: [some ReportRow]) -> [FunnelRow] {
    let keys = Set(rows.map(\.key))
    return funnels.filter { keys.contains($0.key) }
  }

  /// Returns whether a named report comes earlier in the section of the flow.
  func follows(_ report: any RowReport.Type) -> Bool { preceding.contains { $0.name == report.name } }
}

extension Report {
  /// Returns the presentation of the report.
  ///
  /// - Parameter hasPictures: Whether the format supports pictures above the tables.
  func document(_ layout: DocumentLayout, hasPictures: Bool = false) -> ReportDocument {
    var document = ReportDocument(query: query)
    document.damage = damage
    document.alarms = alarms
    document.logContents = logContents
    document.notes = notes + logNotes + (hasPictures ? pageNotes : [])
    document.emptinessReason =
      emptinessReason ?? (query.isMature ? "nobody whose window is closed entered a flow" : "nobody entered a flow")
    document.emptinessTitle = emptinessTitle
    document.mayHaveRows = emptinessReason == nil
    document.isComparison = isComparison
    document.sections = sections(layout, hasPictures: hasPictures)
    return document
  }

  private func sections(_ layout: DocumentLayout, hasPictures: Bool) -> [FlowSection] {
    let answers = answers.map(\.byFlow)
    var areWindowsExplained = false
    return Set(answers.flatMap(\.keys)).sorted().map { flow in
      let all = answers.compactMap { $0[flow] }
      let largest = hasPictures ? LargestSegments(of: all) : nil
      let own = largest?.rows(of: all) ?? all
      var section = FlowSection(
        flow: flow, title: own.lazy.map(\.title).first { !$0.isEmpty }, noun: noun(of: flow))
      section.segmentNote = largest?.note
      if hasPictures { section.headline = headline(of: flow, counting: section.noun) }
      for answer in own {
        let context = DocumentContext(
          layout: layout, hasPictures: hasPictures, query: query, noun: section.noun, preceding: section.reports,
          funnels: funnels(of: flow), markedDays: (firstDays[flow] ?? []) + annotations, targetOfConditions: targetOfConditions)
        var report = answer.document(in: context)
        if areWindowsExplained { report.blocks.removeAll(where: \.explainsWindows) }
        areWindowsExplained = areWindowsExplained || report.blocks.contains(where: \.explainsWindows)
        section.reports.append(report)
      }
      return section
    }
  }
}
