import FunnelDecoding
import FunnelIndex
import FunnelIngest
package import FunnelModel
package import FunnelReports
import FunnelStore

extension ReportReader {
  /// The events that a trace reads.
  private enum TracedEvents {
    case ofSubject(String)
    /// The events of the subjects that a user has in any app, and of the subject with the same text.
    case ofUser(String)
  }

  /// Returns the events of one subject, with the effect of each on the flows that count it. A note names the persons to whom
  /// they belong.
  ///
  /// - Throws: `noInput` if there is no event of the subject.
  package func trace(of subject: String, _ query: ReportQuery) throws -> SubjectTrace {
    let (events, flows) = try read(.ofSubject(subject), query)
    guard !events.isEmpty else {
      throw FunnelError(
        .noInput,
        "no event of this subject, \(subject.printable), list subjects with 'funnel groups entered --flow APP/FLOW --limit 5'")
    }
    let owners = Self.distinct(try persons(of: events, query), without: subject)
    if let first = owners.first {
      monitor.note("these events belong to \(Self.named(owners)); \(Self.traceCommand(first)) shows all of \(first.printable)")
    }
    return SubjectTrace(events, catalog: flows.catalog, flows: flows.indices, query: query)
  }

  /// Returns the events of one person, of all its subjects, with the effect of each on the flows that count persons or entries.
  ///
  /// - Throws: `noInput` if there is no event of the person. The message names the persons of the subject with this text.
  package func trace(ofPerson person: String, _ query: ReportQuery) throws -> SubjectTrace {
    let (all, flows) = try read(.ofUser(person), query)
    let persons = try persons(of: all, query)
    let events = all.indices.filter { persons[$0].map { Self.isSame($0, person) } ?? false }.map { all[$0] }
    guard !events.isEmpty else { throw noEvent(of: person, all, persons, query) }
    let counted = flows.indices.filter { query.unit(of: flows.catalog.definitions[$0]).isOfPersons }
    let others = flows.indices.subtracting(counted).filter { flow in
      events.contains { $0.flowMatches.contains { Int($0.flow) == flow } }
    }
    if let other = others.min().map({ flows.catalog.definitions[$0] }) {
      monitor.note(
        "\(other.app)/\(other.flow) counts by \(query.unit(of: other).rawValue), so its effects are those of one subject;"
          + " funnel trace SUBJECT shows them")
    }
    return SubjectTrace(events, ofPerson: person, catalog: flows.catalog, flows: Set(counted), query: query)
  }

  /// Returns the error of a person without events.
  private func noEvent(
    of person: String, _ events: [SubjectEvent], _ persons: [String?], _ query: ReportQuery
  ) -> FunnelError {
    let own = events.indices.filter { Self.isSame(events[$0].subject, person) }
    let owners = Self.distinct(own.map { persons[$0] }, without: person)
    if let first = owners.first {
      return FunnelError(
        .noInput, "\(person.printable) belongs to \(Self.named(owners)), show a person with \(Self.traceCommand(first))")
    }
    if events.contains(where: { $0.user.map { Self.isSame($0, person) } ?? false }) {
      return FunnelError(
        .noInput,
        "\(person.printable) is not one person, more than \(Quantity.count(query.subjectsOfPersonMax)) subjects name it, raise --merge-limit"
      )
    }
    return FunnelError(
      .noInput,
      "no event of this person, \(person.printable), list persons with 'funnel groups entered --flow APP/FLOW --limit 5'")
  }

  /// Returns the person of each event.
  private func persons(of events: [SubjectEvent], _ query: ReportQuery) throws(FunnelError) -> [String?] {
    try EventPersons.persons(
      of: events.map {
        EventPersons.Event(
          app: $0.app, subject: $0.subject, user: $0.linkingUser, timestamp: $0.timestamp, sequence: $0.sequence, id: $0.id)
      }, upTo: query.now, subjectsMax: query.subjectsOfPersonMax)
  }

  private func read(_ wanted: TracedEvents, _ query: ReportQuery) throws -> ([SubjectEvent], ReportFlows) {
    switch source {
    case .store(let path): try events(wanted, inStoreAt: path, query)
    case .files(let files): try events(wanted, in: files, query)
    }
  }

  private func events(
    _ wanted: TracedEvents, inStoreAt path: String, _ query: ReportQuery
  ) throws -> ([SubjectEvent], ReportFlows) {
    let flows = try ReportFlows(of: query, in: definitions.catalog(store: path), flows: flows, app: nil)
    let events = try StoreReader.retrying(path, asOf: query.asOf) { (reader) throws(FunnelError) in
      // The index lists the days of the subjects. Without a usable index, every day is read.
      let index = (try? EventIndex.open(for: reader)).flatMap { try? $0.completed(with: reader, threads: threads) }
      let subjects = try subjects(of: wanted, in: reader, index)
      let days = index.flatMap { try? $0.days(ofSubjects: subjects) }
      return try FunnelError.catching {
        try SubjectEvents.ofStore(
          reader, subjects: subjects, until: query.now, catalog: flows.catalog, threads: threads,
          where: { day in days.map { $0.contains(day) } ?? true })
      }
    }
    return (events, flows)
  }

  /// Returns the subjects whose events are read.
  private func subjects(
    of wanted: TracedEvents, in reader: StoreReader, _ index: EventIndex?
  ) throws(FunnelError) -> [String] {
    switch wanted {
    case .ofSubject(let subject): return [subject]
    case .ofUser(let user):
      if let index, let linked = try? index.subjects(ofUser: user) { return linked + [user] }
      return try SubjectEvents.subjects(ofUsers: SubjectSet([user]), in: reader, threads: threads) + [user]
    }
  }

  private func events(
    _ wanted: TracedEvents, in files: FileSource, _ query: ReportQuery
  ) throws -> ([SubjectEvent], ReportFlows) {
    let flows = try ReportFlows(of: query, in: definitions.catalog(), flows: flows, app: nil)
    let options = try files.decoding(now: query.now)
    let (events, rejected) =
      switch wanted {
      case .ofSubject(let subject):
        try SubjectEvents.ofFiles(
          files.files(), subjects: [subject], options: options, catalog: flows.catalog, threads: threads)
      case .ofUser(let user):
        try SubjectEvents.ofFiles(files.files(), user: user, options: options, catalog: flows.catalog, threads: threads)
      }
    if rejected > 0 {
      monitor.note(
        "\(Quantity.count(rejected)) \(rejected == 1 ? "line was" : "lines were") rejected; they may be of this or of other subjects"
      )
    }
    return (events, flows)
  }
}

/// Texts about persons.
extension ReportReader {
  /// The largest number of persons that a sentence names.
  private static var personsShownMax: Int { 3 }

  /// Returns whether two IDs have the same bytes. Swift treats canonically equivalent strings as equal.
  private static func isSame(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }

  /// Returns the distinct persons other than a subject, in their order.
  private static func distinct(_ persons: [String?], without subject: String) -> [String] {
    var known: Set<[UInt8]> = [Array(subject.utf8)]
    return persons.compactMap { $0 }.filter { known.insert(Array($0.utf8)).inserted }
  }

  private static func named(_ persons: [String]) -> String {
    let shown = persons.prefix(personsShownMax).map(\.printable)
    let rest = persons.count - shown.count
    return (rest > 0 ? shown + ["\(Quantity.count(rest)) more"] : shown).listed("and")
  }

  private static func traceCommand(_ person: String) -> String { "funnel trace --person \(CommandHint.quoted(person))" }
}
