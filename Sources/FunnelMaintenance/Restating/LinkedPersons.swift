import FunnelDecoding
import FunnelIndex
import FunnelModel
import FunnelStore
import FunnelSystem

/// Persons who got or lost older events because new events link their subjects to users (specification section 13).
struct LinkedPersons: Sendable {
  /// Persons of an app.
  struct Change: Hashable, Sendable {
    let app: String
    /// The day of all new links of the subject, or `nil` if they are of several days. Events of that day explain its changes.
    let linkDay: CivilDate?
  }

  /// The persons before and after, by change.
  private(set) var persons: [Change: Set<String>] = [:]

  /// Finds the persons.
  ///
  /// - Parameters:
  ///   - commits: The numbers of the commits that brought the new events.
  ///   - then: The store before these commits.
  ///   - lastAsOf: The time of the earlier report.
  /// - Throws: `inputOutput` if the log is damaged.
  init(
    in store: StoreReader, broughtBy commits: Set<Int>, since then: StoreReader, lastAsOf: Timestamp, catalog: FlowCatalog,
    query: ReportQuery, threads: Int
  ) throws(FunnelError) {
    let links = try NewLinks.bySubject(
      in: store, broughtBy: commits, upTo: query.now, timeZone: query.timeZone, threads: threads)
    guard !links.isEmpty else { return }
    let linked = SubjectEvents.sorted(Set(links.keys))
    let uses = try SubjectEvents.uses(of: SubjectSet(linked), in: then, threads: threads)
    // The older events of a subject keep their person if they and the new ones name the same one user.
    let candidates = linked.indices.filter { number in
      guard let use = uses[number] else { return false }
      return use.users.isEmpty || use.users.union(links[Array(linked[number].utf8)]?.users ?? []).count > 1
    }.map { linked[$0] }
    guard !candidates.isEmpty else { return }
    let before = try Self.persons(of: candidates, in: then, upTo: lastAsOf, catalog, query, threads: threads)
    let after = try Self.persons(of: candidates, in: store, upTo: query.now, catalog, query, threads: threads)
    for (event, person) in before {
      guard let now = after[event], !now.utf8.elementsEqual(person.utf8) else { continue }
      let days = links[event.subject]?.days ?? []
      let change = Change(app: event.app, linkDay: days.count == 1 ? days.first : nil)
      persons[change, default: []].formUnion([person, now])
    }
  }

  /// The identity of an event (specification section 2).
  private struct EventKey: Hashable {
    let app: String
    let subject: [UInt8]
    let name: String
    let id: String
  }

  /// Returns the person of each event of some subjects.
  private static func persons(
    of subjects: [String], in store: StoreReader, upTo now: Timestamp, _ catalog: FlowCatalog, _ query: ReportQuery,
    threads: Int
  ) throws(FunnelError) -> [EventKey: String] {
    let events = try FunnelError.catching {
      try SubjectEvents.ofStore(store, subjects: subjects, until: now, catalog: catalog, threads: threads)
    }
    let persons = try EventPersons.persons(
      of: events.map {
        EventPersons.Event(
          app: $0.app, subject: $0.subject, user: $0.linkingUser, timestamp: $0.timestamp, sequence: $0.sequence, id: $0.id)
      }, upTo: now, subjectsMax: query.subjectsOfPersonMax)
    var personOfEvent: [EventKey: String] = [:]
    for (event, person) in zip(events, persons) {
      personOfEvent[EventKey(app: event.app, subject: Array(event.subject.utf8), name: event.name, id: event.id)] = person
    }
    return personOfEvent
  }
}
