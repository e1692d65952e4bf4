package import FunnelModel
package import FunnelProjections

/// Counts the groups that have each event of an app, whatever flow the event belongs to.
package final class EventsProjector: Projector {
  package static let readsChain = false

  private let query: FlowQuery
  // The counter ID, and the ID of the values: the name of an event, or its name and its step.
  private let groups = 0
  private let events = 0

  package static func needs(of flow: FlowDefinition) -> EventNeeds {
    var needs = EventNeeds()
    needs.details = true
    return needs
  }

  package init(_ query: FlowQuery) { self.query = query }

  package var counterCount: Int { 1 }
  package var durationCount: Int { 0 }
  package var valueKeys: [[Dimension]?] { [nil] }

  package func contribute(_ events: GroupEvents, along match: ChainMatch, into contribution: inout Contribution) {
    var counted: Set<EventName> = []
    for index in events.indices where events.isInPeriod(index) {
      guard let detail = events.detail(at: index) else { continue }
      let names = [EventName(name: detail.name)] + (detail.step == nil ? [] : [EventName(name: detail.name, step: detail.step)])
      for name in names where counted.insert(name).inserted {
        // A section for each event, because conditions are about the first event of its name.
        contribution.beginSection(at: index)
        contribution.count(groups)
        contribution.noteValues(self.events, [.string(name.name)] + (name.step.map { [.string($0)] } ?? []))
      }
    }
  }

  package func rows(from segments: SegmentedCounts) -> [EventsRow] {
    segments.sized(by: groups).map { counts in
      let counted = counts.values(of: events).counts.map { values, count in
        CountedEvent(
          event: EventName(name: values.first?.description ?? "", step: values.count > 1 ? values[1].description : nil),
          groups: count)
      }
      return EventsRow(
        key: RowKey(flow: query.flow, segment: counts.segment), title: query.flow.title,
        events: counted.sorted { a, b in
          a.groups != b.groups
            ? a.groups > b.groups : a.event.description.utf8.lexicographicallyPrecedes(b.event.description.utf8)
        })
    }
  }
}

/// The name of an event, alone or with a step.
package struct EventName: Hashable, Sendable, CustomStringConvertible {
  package var name: String
  /// The step, or `nil` for the events of the name with any step or with none.
  package var step: String?

  package var description: String { step.map { "\(name):\($0)" } ?? name }
}

/// An event of an app with the number of groups that have it.
package struct CountedEvent: Hashable, Sendable {
  package var event: EventName
  package var groups: Int
}
