package import FunnelModel

/// The presentation of a report, independent of the output format: a section for each flow version, with facts,
/// tables and notes.
///
/// Renderers depend only on documents, so every report is available in every format. A document contains the
/// unescaped texts of events and definitions, which renderers escape (``Escaped``):
///
///     print(TableRenderer.render(document, style: .file))
///     let page = HTMLRenderer.render(document)
package struct ReportDocument {
  package let query: ReportQuery
  package var damage: ReportDamage?
  /// The alerts, in sentences.
  package var alarms: [String] = []
  /// Sentences about the contents of the log. Empty if the report has rows.
  package var logContents: [String] = []
  /// Sentences about the groups that the numbers exclude or are restricted to, without full stops.
  package var notes: [String] = []
  /// The usual heading of a report without rows.
  package static let emptinessTitleDefault = "Nothing matched"
  /// The heading of the report if it has no rows.
  package var emptinessTitle = Self.emptinessTitleDefault
  /// The reason why the report has no rows, as a clause. Used only if it has none.
  package var emptinessReason = "nobody entered a flow"
  /// Whether other options could give the report rows.
  package var mayHaveRows = true
  /// Whether the report compares two sides.
  package var isComparison = false
  /// The flow versions, sorted by app, flow and version.
  package var sections: [FlowSection] = []

  /// Creates a document without sections.
  package init(query: ReportQuery) {
    self.query = query
  }

  /// The noun for the groups of all sections.
  var noun: CountedNoun { CountedNoun(joining: sections.map(\.noun)) }
}

/// The section of a document about one flow version.
package struct FlowSection {
  let flow: FlowReference
  let title: String?
  /// The noun for the groups of the flow.
  package let noun: CountedNoun
  /// The result of the flow in one sentence, without a full stop, in formats with pictures.
  package var headline: Phrase?
  /// A sentence about segments that are left out, without a full stop, or `nil` if none is.
  package var segmentNote: String?
  /// The named reports that have rows, in their order.
  package var reports: [ReportSection] = []

  package init(flow: FlowReference, title: String?, noun: CountedNoun) {
    self.flow = flow
    self.title = title
    self.noun = noun
  }

  /// A short fact about the flow, such as its conversion window.
  var aside: String? { reports.lazy.compactMap(\.aside).first }

  /// The key figure of the flow, such as its conversion.
  var figure: Phrase? { reports.lazy.compactMap(\.figure).first }
}

/// The section of a flow with the content of one named report.
package struct ReportSection {
  package let name: String
  /// The title of the section.
  let heading: String
  /// A short fact about the flow, for the heading.
  package var aside: String?
  /// The key figure of the report, for a list of flows.
  package var figure: Phrase?
  /// The elements above the blocks, in formats with pictures.
  package var pictures: [Picture] = []
  package var blocks: [DocumentBlock] = []

  package init(name: String, heading: String) {
    self.name = name
    self.heading = heading
  }
}

/// The layout of the segments of a report.
package enum DocumentLayout {
  /// Segments are side by side, and a single segment is described in sentences. For formats of a limited width.
  case compact
  /// Tables have a row for each segment and step. For formats that scroll.
  case long
}

extension FlowReference {
  /// Returns the name for headings, such as `clarity/onboarding v2`, escaped for an output format.
  package func heading<Rule>() -> Escaped<Rule> {
    let version: Escaped<Rule> = version.map { " v\(String($0))" } ?? ""
    return "\(app)/\(flow)\(version)"
  }
}
