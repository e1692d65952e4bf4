import FunnelModel

/// The presentation of a report, independent of the output format: a section for each flow version, with facts,
/// tables and notes.
///
/// Renderers depend only on documents, so every report is available in every format. A document contains the
/// unescaped texts of events and definitions. Renderers must escape them.
struct ReportDocument {
  let query: ReportQuery
  let damage: ReportDamage?
  /// The alerts, in sentences.
  let alarms: [String]
  /// Sentences about the contents of the log. Empty if the report has rows.
  let logContents: [String]
  /// Sentences about the groups that the numbers exclude or are restricted to, without full stops.
  let notes: [String]
  /// The reason why the report has no rows, as a clause. Used only if it has none.
  let nothing: String
  /// Whether other options could give the report rows.
  let mayHaveRows: Bool
  /// Whether the report compares two sides.
  let isComparison: Bool
  /// The flow versions, sorted by app, flow and version.
  let sections: [DocumentSection]
  /// The noun for the groups of all sections.
  var noun: CountedNoun { CountedNoun(joining: sections.map(\.noun)) }

  /// Creates the document of a report.
  ///
  /// - Parameter hasPictures: Whether the format supports pictures above the tables.
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
  /// The noun for the groups of the flow.
  let noun: CountedNoun
  /// The named reports that have rows, in their order.
  var parts: [DocumentPart] = []

  /// A short fact about the flow, such as its conversion window.
  var aside: String? { parts.lazy.compactMap(\.aside).first }

  /// The key figure of the flow, such as its conversion.
  var figure: Phrase? { parts.lazy.compactMap(\.figure).first }
}

/// The part of a section with the content of one named report.
public struct DocumentPart {
  let name: String
  /// The title of the part.
  let heading: String
  /// A short fact about the flow, for the heading.
  var aside: String?
  /// The key figure of the part, for a list of flows.
  var figure: Phrase?
  /// The elements above the blocks, in formats with pictures.
  var pictures: [Picture] = []
  var blocks: [DocumentBlock] = []

  init(_ report: any RowReport.Type) {
    name = report.name
    heading = report.heading
  }
}

/// The context in which rows become a part of a document.
public struct DocumentContext {
  let layout: DocumentLayout
  /// Whether pictures are shown above the tables.
  let hasPictures: Bool
  let query: ReportQuery
  /// The noun for the groups of the flow: people, attempts or entries.
  let noun: CountedNoun
  /// The parts that precede this one in its section.
  let parts: [DocumentPart]

  /// Returns whether a named report comes earlier in the same section.
  func follows(_ report: any RowReport.Type) -> Bool { parts.contains { $0.name == report.name } }
}

/// The layout of the segments of a report.
enum DocumentLayout {
  /// Segments are side by side, and a single segment is described in sentences. For formats of a limited width.
  case compact
  /// Tables have a row for each segment and step. For formats that scroll.
  case long
}
