import FunnelDecoding
import FunnelIndex
import FunnelIngest
import FunnelModel
import FunnelStore

/// A user whom more subjects of one app name than one person has.
struct TracedCrowd {
  let user: String
  /// The subjects that name the user, sorted, those of the app that has the most of them.
  let subjects: [String]

  /// A sentence that says why the user is not one person, and what to do instead.
  func sentence(limit: Int) -> String {
    let count = subjects.count
    let example = subjects.first.map { ", or show one of them with funnel trace \(CommandHint.quoted($0))" } ?? ""
    return "\(user.printable) is not one person, \(Quantity.counted(count, "subject")) name it and the limit is "
      + "\(Quantity.count(limit)), merge them with --merge-limit \(count)\(example)"
  }
}

/// The persons of the events of a trace.
struct ResolvedEvents {
  /// The person of each event, or `nil` for an event after the time of the query.
  let persons: [String?]
  /// The users of these events that are not one person.
  let crowds: [TracedCrowd]
}

extension ReportReader {
  /// Returns the person of each event.
  ///
  /// Whether a user of the events has too many subjects depends on events of other subjects. They are read for the users that may
  /// have too many, but not from a stream, which can be read only once.
  ///
  /// - Parameters:
  ///   - events: All events of some subjects.
  ///   - person: A user all of whose subjects are among them, or `nil` if there is none.
  func resolved(_ events: [SubjectEvent], _ query: ReportQuery, ofPerson person: String? = nil) throws -> ResolvedEvents {
    var all = events
    var known = Set(events.map { Array($0.subject.utf8) })
    let users = Self.distinct(events.map(\.linkingUser), without: person)
    for user in try possibleCrowds(among: users, query) {
      let further = try read(.ofUser(user), query, isFirst: false).0.filter { !known.contains(Array($0.subject.utf8)) }
      all += further
      known.formUnion(further.map { Array($0.subject.utf8) })
    }
    let persons = try EventPersons.persons(
      of: all.map {
        EventPersons.Event(
          app: $0.app, subject: $0.subject, user: $0.linkingUser, timestamp: $0.timestamp, sequence: $0.sequence, id: $0.id)
      }, upTo: query.now, subjectsMax: query.subjectsOfPersonMax)
    let crowds = (users + [person].compactMap(\.self)).compactMap { Self.crowd($0, all, persons) }
    return ResolvedEvents(persons: Array(persons.prefix(events.count)), crowds: crowds)
  }

  /// Returns the users that may have more subjects than the merge limit.
  private func possibleCrowds(among users: [String], _ query: ReportQuery) throws -> [String] {
    guard !users.isEmpty else { return [] }
    switch source {
    case .files(let files): return try files.files().contains { $0.byteCount == nil } ? [] : users
    case .store(let path):
      return try StoreReader.retrying(path, asOf: query.asOf) { (reader) throws(FunnelError) in
        let index = index(of: reader)
        var crowds: [String] = []
        for user in users where try subjects(of: .ofUser(user), in: reader, index).count > query.subjectsOfPersonMax {
          crowds.append(user)
        }
        return crowds
      }
    }
  }

  /// Returns a user as a crowd if events that name it belong to others, or `nil` if it is one person.
  private static func crowd(_ user: String, _ events: [SubjectEvent], _ persons: [String?]) -> TracedCrowd? {
    var subjectsOfApp: [String: Set<[UInt8]>] = [:]
    var crowdedApps: Set<String> = []
    for (event, person) in zip(events, persons) {
      guard let person, let own = event.linkingUser, isSame(own, user) else { continue }
      subjectsOfApp[event.app, default: []].insert(Array(event.subject.utf8))
      if !isSame(person, user) { crowdedApps.insert(event.app) }
    }
    let crowds = subjectsOfApp.filter { crowdedApps.contains($0.key) }.values
    guard let most = crowds.max(by: { $0.count < $1.count }) else { return nil }
    return TracedCrowd(user: user, subjects: SubjectEvents.sorted(most))
  }
}
