internal import FunnelIndex
import FunnelDecoding
import FunnelModel

/// The rules that tell which subjects of files are regrouped by person (specification section 13).
struct PersonRules: Sendable {
  let users: SequenceUsers
  /// The number of each app.
  private let numberOfApp: [String: UInt32]
  /// The number of the app of each flow version of the catalog.
  let appOfFlow: [UInt32]
  /// Whether every subject whose events name a user is regrouped: its name depends on the app.
  let regroupsAll: Bool

  init(_ users: SequenceUsers, catalog: FlowCatalog, query: ReportQuery, flows: Set<Int>) {
    self.users = users
    var numberOfApp: [String: UInt32] = [:]
    for app in Set(catalog.definitions.map(\.app)).union(users.apps).sorted() { numberOfApp[app] = UInt32(numberOfApp.count) }
    // Steps without an app are of the only app of the log. A log of several is refused after it is read.
    if users.apps.count == 1, let only = users.apps.first { numberOfApp[FlowDefinition.anyApp] = numberOfApp[only] }
    appOfFlow = catalog.definitions.map { [numberOfApp] in numberOfApp[$0.app] ?? 0 }
    let apps = users.apps.union(flows.map { catalog.definitions[$0].app }).subtracting([FlowDefinition.anyApp])
    regroupsAll = query.allNeeds.subjects && apps.count > 1
    self.numberOfApp = numberOfApp
  }

  /// Returns the number of the app of a user.
  func app(ofUser user: LoggedUser) -> UInt32 { numberOfApp[user.app] ?? 0 }
}

/// The events of subjects that are regrouped by person.
extension SequenceSorter {
  /// Gathers the events of the subjects that are regrouped.
  consuming func gather(into builder: inout GatheredSubjects.Builder) -> Outcome {
    guard let persons, !rows.lacksDetails else { return rows.lacksDetails ? .undecided : .sorted(deduplicated) }
    for subject in 0..<rows.subjectCount {
      do throws(Undecided) {
        let entries = try sort(rows.entries(ofSubject: subject))
        if isRegrouped(subject, entries, by: persons) { append(entries, of: subject, to: &builder, by: persons) }
      } catch {
        return .undecided
      }
    }
    return .sorted(deduplicated)
  }

  /// Returns whether the events of a subject may belong to several persons, or share a person with those of other subjects.
  ///
  /// - Parameter entries: The events of the subject.
  func isRegrouped(_ subject: Int, _ entries: MutableColumn<Entry>, by persons: PersonRules) -> Bool {
    if persons.users.isUserOfOthers(rows.key(ofSubject: subject)) { return true }
    var known: UInt32 = 0
    for index in 0..<entries.count {
      let user = rows.user(of: entries[index])
      guard user != 0, user != known else { continue }
      if known != 0 || persons.regroupsAll || persons.users.isShared(user) { return true }
      known = user
    }
    return false
  }

  /// Returns the user of a subject that is not regrouped, or `nil` if it has none.
  func user(of entries: MutableColumn<Entry>, upTo moment: Int64, by persons: PersonRules) -> String? {
    for index in 0..<entries.count where entries[index].milliseconds <= moment {
      let user = rows.user(of: entries[index])
      if user != 0 { return persons.users[user].name }
    }
    return nil
  }

  /// Appends the events of a subject to the gathered ones.
  private mutating func append(
    _ entries: MutableColumn<Entry>, of subject: Int, to builder: inout GatheredSubjects.Builder, by persons: PersonRules
  ) {
    var name: TextPlace?
    for index in 0..<entries.count where entries[index].milliseconds <= now {
      let entry = entries[index]
      let user = rows.user(of: entry)
      let isUsed = entry.matchListID != 0
      guard isUsed || user != 0 else { continue }
      let logged = user == 0 ? nil : persons.users[user]
      let classID = isUsed ? entry.matchListID &- 1 : GatheredEvent.noClass
      let app =
        isUsed ? persons.appOfFlow[Int(eventClasses.entries[Int(classID)].flow)] : logged.map(persons.app) ?? 0
      let number = logged.map { logged in
        builder.number(ofUser: logged.key)
          ?? builder.addUser(logged.key, at: Array(logged.name.utf8).withBorrowedElements { builder.store($0) })
      }
      let attempt = rows.attemptText(of: entry).map { builder.number(ofText: $0.array) }
      builder.append(
        GatheredEvent(
          milliseconds: entry.milliseconds, sequence: rows.detail(of: entry).sequence,
          attempt: rows.columns.attempts ? rows.attempt(of: entry) : 0, classID: classID,
          row: rows.columns.dimensions && isUsed ? changedDimensions(of: entry) : 0, app: app,
          part: isUsed && hasParts ? UInt16(clamping: entry.identity) : 0, id: builder.store(rows.id(of: entry))),
        user: number,
        name: builder.number(ofText: rows.name(of: entry).array), attempt: attempt)
      if name == nil { name = builder.store(rows.subject(of: entry)) }
    }
    if let name { builder.endSubject(key: rows.key(ofSubject: subject), name: name) }
  }

  /// Whether entries have the index of their event among those of its row.
  private var hasParts: Bool { eventClasses.partsMax > 1 }
}
