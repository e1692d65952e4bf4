import FunnelDecoding
import FunnelIndex
import FunnelIngest
package import FunnelModel
package import FunnelReports
import FunnelStore

extension ReportReader {
  /// The events that a trace reads.
  enum TracedEvents {
    case ofSubject(String)
    /// The events of the subjects that a user has in any app, and of the subject with the same text.
    case ofUser(String)
  }

  /// Returns the events of one subject, with the effect of each on the flows that count it. A note names the persons to whom
  /// they belong.
  ///
  /// - Parameters:
  ///   - subject: The raw ID of the subject, also in a store of pseudonyms.
  ///   - keyFile: The file with the key of the pseudonyms, or `nil` for the key in the store.
  /// - Throws: `noInput` if there is no event of the subject; `configuration` if the key of the pseudonyms is needed and missing.
  package func trace(of subject: String, _ query: ReportQuery, keyFile: String? = nil) throws -> SubjectTrace {
    let stored = try storedForm(of: subject, query, keyFile: keyFile)
    let (events, flows) = try read(.ofSubject(stored), query)
    guard !events.isEmpty else {
      throw FunnelError(
        .noInput,
        "no event of this subject, \(subject.printable), list subjects with 'funnel groups entered --flow APP/FLOW --limit 5'")
    }
    let resolved = try resolved(events, query)
    for crowd in resolved.crowds { monitor.note(crowd.sentence(limit: query.subjectsOfPersonMax)) }
    let owners = resolved.persons.map { $0 ?? stored }
    let others = Self.distinct(owners, without: stored)
    if let first = others.first {
      monitor.note("these events belong to \(Self.named(others)); \(Self.traceCommand(first)) shows all of \(first.printable)")
    }
    let isShared = Set(owners.map { Array($0.utf8) }).count > 1
    return SubjectTrace(events, owners: isShared ? owners : nil, catalog: flows.catalog, flows: flows.indices, query: query)
  }

  /// Returns the events of one person, of all its subjects, with the effect of each on the flows that count persons or entries.
  ///
  /// - Parameters:
  ///   - person: The raw ID of the person, also in a store of pseudonyms.
  ///   - keyFile: The file with the key of the pseudonyms, or `nil` for the key in the store.
  /// - Throws: `noInput` if there is no event of the person. The message names the persons of the subject with this text.
  ///   `configuration` if the key of the pseudonyms is needed and missing.
  package func trace(ofPerson person: String, _ query: ReportQuery, keyFile: String? = nil) throws -> SubjectTrace {
    let stored = try storedForm(of: person, query, keyFile: keyFile)
    let (all, flows) = try read(.ofUser(stored), query)
    let resolved = try resolved(all, query, ofPerson: stored)
    let events = all.indices.filter { resolved.persons[$0].map { Self.isSame($0, stored) } ?? false }.map { all[$0] }
    guard !events.isEmpty else { throw noEvent(of: person, stored, all, resolved, query) }
    let counted = flows.indices.filter { query.unit(of: flows.catalog.definitions[$0]).isOfPersons }
    let others = flows.indices.subtracting(counted).filter { flow in
      events.contains { $0.flowMatches.contains { Int($0.flow) == flow } }
    }
    if let other = others.min().map({ flows.catalog.definitions[$0] }) {
      monitor.note(
        "\(other.app)/\(other.flow) counts by \(query.unit(of: other).rawValue), so its effects are those of one subject;"
          + " funnel trace SUBJECT shows them")
    }
    return SubjectTrace(events, ofPerson: stored, catalog: flows.catalog, flows: Set(counted), query: query)
  }

  /// Returns the error of a person without events.
  ///
  /// - Parameters:
  ///   - person: The person, as it was given.
  ///   - stored: The person, as it is stored.
  private func noEvent(
    of person: String, _ stored: String, _ events: [SubjectEvent], _ resolved: ResolvedEvents, _ query: ReportQuery
  ) -> FunnelError {
    if let crowd = resolved.crowds.first(where: { Self.isSame($0.user, stored) }) {
      return FunnelError(.noInput, crowd.sentence(limit: query.subjectsOfPersonMax))
    }
    let own = events.indices.filter { Self.isSame(events[$0].subject, stored) }
    let owners = Self.distinct(own.map { resolved.persons[$0] }, without: stored)
    if let first = owners.first {
      return FunnelError(
        .noInput, "\(person.printable) belongs to \(Self.named(owners)), show a person with \(Self.traceCommand(first))")
    }
    return FunnelError(
      .noInput,
      "no event of this person, \(person.printable), list persons with 'funnel groups entered --flow APP/FLOW --limit 5'")
  }

  /// Returns the form in which an ID is stored: its pseudonym in a store of pseudonyms, unless it is one.
  private func storedForm(of id: String, _ query: ReportQuery, keyFile: String?) throws -> String {
    guard case .store(let path) = source, !PseudonymKey.isPseudonym(Array(id.utf8)) else { return id }
    return try StoreReader.retrying(path, asOf: query.asOf) { (reader) throws(FunnelError) in
      guard let key = try reader.pseudonymKey(keyFile) else { return id }
      return String(decoding: key.pseudonym(of: Array(id.utf8)), as: UTF8.self)
    }
  }

  /// Returns the wanted events, in order, and the flows of the query.
  ///
  /// - Parameter isFirst: Whether the source is read for the first time, so that a note tells of rejected lines.
  func read(_ wanted: TracedEvents, _ query: ReportQuery, isFirst: Bool = true) throws -> ([SubjectEvent], ReportFlows) {
    switch source {
    case .store(let path): try events(wanted, inStoreAt: path, query)
    case .files(let files): try events(wanted, in: files, query, isFirst: isFirst)
    }
  }

  private func events(
    _ wanted: TracedEvents, inStoreAt path: String, _ query: ReportQuery
  ) throws -> ([SubjectEvent], ReportFlows) {
    let flows = try ReportFlows(of: query, in: definitions.catalog(store: path), flows: flows, app: nil)
    let events = try StoreReader.retrying(path, asOf: query.asOf) { (reader) throws(FunnelError) in
      // The index lists the days of the subjects. Without a usable index, every day is read.
      let index = index(of: reader)
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

  /// Returns the index of a store, or `nil` if it is not usable.
  func index(of reader: StoreReader) -> EventIndex? {
    (try? EventIndex.open(for: reader)).flatMap { try? $0.completed(with: reader, threads: threads) }
  }

  /// Returns the subjects whose events are read.
  func subjects(
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
    _ wanted: TracedEvents, in files: FileSource, _ query: ReportQuery, isFirst: Bool
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
    if rejected > 0, isFirst {
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
  static func isSame(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }

  /// Returns the distinct persons other than a subject or a person, in their order.
  static func distinct(_ persons: [String?], without subject: String?) -> [String] {
    var known: Set<[UInt8]> = subject.map { [Array($0.utf8)] } ?? []
    return persons.compactMap { $0 }.filter { known.insert(Array($0.utf8)).inserted }
  }

  private static func named(_ persons: [String]) -> String {
    let shown = persons.prefix(personsShownMax).map(\.printable)
    let rest = persons.count - shown.count
    return (rest > 0 ? shown + ["\(Quantity.count(rest)) more"] : shown).listed("and")
  }

  private static func traceCommand(_ person: String) -> String { "funnel trace --person \(CommandHint.quoted(person))" }
}
