import FunnelModel
import FunnelProjections
package import FunnelRendering

/// The counts of an app's events on the page that builds funnels (``ExplorePage``). No command prints them.
///
/// It counts the events that ``ReportQuery/eventsOfApp`` selects.
package enum EventsReport: NamedReport {
  package typealias Projector = EventsProjector

  package static let name = "events"
  package static let heading = "Events"

  package static let fields: [Field<EventsRow>] = [
    .list(
      "events",
      [.text("event") { $0.event.name }, .text("step") { $0.event.step }, .count("groups") { $0.groups }],
      { $0.events })
  ]

  package static func document(of rows: [EventsRow], in context: DocumentContext) -> ReportSection {
    var part = ReportSection(Self.self)
    let columns: [TableColumn<CountedEvent>] = [
      .label("Event") { .label(.init(phrase: Phrase($0.event.description))) },
      .count(ColumnTitle(context.noun.title)) { $0.groups },
    ]
    part.blocks = [.table(DocumentTable(columns, of: rows, lines: \.events))]
    return part
  }

  package static func addPictures(of rows: [EventsRow], in context: DocumentContext, to part: inout ReportSection) {}
}

/// The events of an app in one segment.
package struct EventsRow: ReportRow {
  package var key: RowKey
  package var title: String
  /// The events with most groups first, ties by name.
  package var events: [CountedEvent]

  package var groups: Int { events.first?.groups ?? 0 }
}
