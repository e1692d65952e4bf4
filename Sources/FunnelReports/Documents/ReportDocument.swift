import FunnelModel

/// A report as it is shown, independent of any format: a section for each flow version, made of facts, tables and notes.
///
/// Renderers know documents only, so a new report is shown in every format, and a new format shows every report. A document holds
/// the plain texts of events and definitions; renderers escape them.
struct ReportDocument {
  let query: ReportQuery
  let damage: ReportDamage?
  /// The alarms, in sentences.
  let alarms: [String]
  /// The contents of the log, in sentences, if the report has no row.
  let logContents: [String]
  /// Sentences about what the numbers leave out or are about, without full stops.
  let notes: [String]
  /// Why the report has no row, as a clause.
  let nothing: String
  /// Whether another question could have rows.
  let mayHaveRows: Bool
  /// Whether the report compares two sides.
  let isComparison: Bool
  /// The flow versions, sorted by app, flow and version.
  let sections: [DocumentSection]
  /// What all sections count.
  var noun: CountedNoun { CountedNoun(joining: sections.map(\.noun)) }

  /// Creates the document of a report.
  ///
  /// - Parameter hasPictures: Whether the report is shown with pictures above its tables.
  init(_ report: Report, layout: DocumentLayout, hasPictures: Bool = false) {
    query = report.query
    damage = report.damage
    alarms = report.alarms
    logContents = report.logContents
    notes = report.notes + report.logNotes
    nothing =
      report.emptinessReason ?? (query.isMature ? "nobody whose window is closed entered a flow" : "nobody entered a flow")
    mayHaveRows = report.emptinessReason == nil
    isComparison = report.answers.map(\.name) == [CompareReport.name]
    let answers = report.answers.map(\.byFlow)
    var areWindowsExplained = false
    sections = Set(answers.flatMap(\.keys)).sorted().map { flow in
      let own = answers.compactMap { $0[flow] }
      var section = DocumentSection(
        flow: flow, title: own.lazy.map(\.title).first { !$0.isEmpty }, noun: report.noun(of: flow))
      for answer in own {
        let context = DocumentContext(
          layout: layout, hasPictures: hasPictures, query: report.query, noun: section.noun, parts: section.parts)
        var part = answer.document(in: context)
        if areWindowsExplained { part.blocks.removeAll(where: \.explainsWindows) }
        areWindowsExplained = areWindowsExplained || part.blocks.contains(where: \.explainsWindows)
        section.parts.append(part)
      }
      return section
    }
  }
}

/// The part of a document about one flow version.
struct DocumentSection {
  let flow: FlowName
  let title: String?
  /// What is counted of the flow.
  let noun: CountedNoun
  /// The named reports that have rows, in their order.
  var parts: [DocumentPart] = []

  /// A short fact about the flow, such as its conversion window.
  var aside: String? { parts.lazy.compactMap(\.aside).first }

  /// The one number that sums the flow up, such as its conversion.
  var figure: Phrase? { parts.lazy.compactMap(\.figure).first }
}

/// The part of a section that one named report contributes.
public struct DocumentPart {
  let name: String
  /// The name for people, above what the part shows.
  let heading: String
  /// A short fact about the flow, for the heading.
  var aside: String?
  /// The one number that sums the part up, for a list of flows.
  var figure: Phrase?
  /// What is shown above the blocks where there can be pictures.
  var pictures: [Picture] = []
  var blocks: [DocumentBlock] = []

  init(_ report: any RowReport.Type) {
    name = report.name
    heading = report.heading
  }
}

/// The circumstances in which rows are shown.
public struct DocumentContext {
  let layout: DocumentLayout
  /// Whether pictures are shown above the tables.
  let hasPictures: Bool
  let query: ReportQuery
  /// What is counted of the flow: people, attempts or entries.
  let noun: CountedNoun
  /// The parts that precede this one in its section.
  let parts: [DocumentPart]

  /// Returns whether a named report precedes in the same section.
  func follows(_ report: any RowReport.Type) -> Bool { parts.contains { $0.name == report.name } }
}

/// The two ways in which the segments of a report are laid out.
enum DocumentLayout {
  /// Segments stand side by side, and a single one is told in sentences. For formats of a limited width.
  case compact
  /// Tables have a row for each segment and step. For formats that scroll.
  case long
}
