import FunnelDecoding
import FunnelMaintenance
import FunnelModel
import FunnelStore

/// The persons that some IDs name. An ID may be a person's user or one of its subjects.
struct NamedPersons {
  /// A subject that was named in place of its person.
  struct Owner {
    /// The subject, as it was given.
    let subject: String
    /// The user to whom the subject belongs, as it is stored.
    let user: String

    /// A sentence that says who is erased.
    var sentence: String { "\(subject.printable) belongs to \(user.printable), who is erased with all subjects" }
  }

  /// The users, and the subjects without a user, each once.
  private(set) var persons: [String] = []
  /// The subjects that belong to one of the persons.
  private(set) var owners: [Owner] = []

  /// Finds the persons.
  ///
  /// An ID that an event names as its user is that person. Another ID is a subject, which belongs to the users of its events, of
  /// whom those with too many subjects are none. The whole log is read, as for the erasure itself.
  ///
  /// - Parameters:
  ///   - ids: The raw IDs, or their pseudonyms.
  ///   - key: The key of a store of pseudonyms, or `nil` for a store of raw IDs.
  /// - Throws: `unusableInput` if a subject belongs to several users: nobody can tell who of them is meant. `inputOutput` if the
  ///   store is damaged.
  init(_ ids: [String], key: PseudonymKey?, in store: StoreReader, threads: Int) throws(FunnelError) {
    let stored = ids.map { Erasure.storedForm(of: Array($0.utf8), key) }
    let users = try SubjectEvents.linkedSubjects(ofUsers: stored, in: store, threads: threads)
    let owners = try Self.users(
      ofSubjects: stored.filter { users[$0] == nil && !PlaceholderIDs.contains($0.span) }, in: store, threads: threads)
    var known: Set<[UInt8]> = []
    for (id, form) in zip(ids, stored) {
      let own = SubjectEvents.sorted(owners[form] ?? [])
      guard own.count <= 1 else {
        throw FunnelError(
          .unusableInput,
          "\(id.printable) belongs to \(Self.shown(own)), name one of them: funnel forget --person \(CommandHint.quoted(own[0])); "
            + "or erase only this subject: funnel forget \(CommandHint.quoted(id))")
      }
      if let user = own.first { self.owners.append(Owner(subject: id, user: user)) }
      let person = own.first.map { Array($0.utf8) } ?? form
      if known.insert(person).inserted { persons.append(own.first ?? id) }
    }
  }

  /// Returns the users that the events of each subject name, without those that too many subjects name.
  private static func users(
    ofSubjects subjects: [[UInt8]], in store: StoreReader, threads: Int
  ) throws(FunnelError) -> [[UInt8]: Set<[UInt8]>] {
    guard !subjects.isEmpty else { return [:] }
    var numbered = SubjectSet()
    for (number, subject) in subjects.enumerated() { numbered.insert(subject, subject: number) }
    let uses = try SubjectEvents.uses(of: numbered, in: store, threads: threads).filter { !$0.value.users.isEmpty }
    let all = uses.values.reduce(into: Set<[UInt8]>()) { $0.formUnion($1.users) }
    guard !all.isEmpty else { return [:] }
    let linked = try SubjectEvents.linkedSubjects(ofUsers: Array(all), in: store, threads: threads)
    let crowds = all.filter { linked[$0, default: []].count > Limits.subjectsOfPersonMaxDefault }
    return uses.reduce(into: [:]) { $0[subjects[$1.key]] = $1.value.users.subtracting(crowds) }
  }

  /// The largest number of users that a message names.
  private static let usersShownMax = 3

  /// Returns the first users and the number of the others.
  private static func shown(_ users: [String]) -> String {
    let shown = users.prefix(usersShownMax).map(\.printable)
    let rest = users.count - shown.count
    return (rest > 0 ? shown + ["\(Quantity.count(rest)) more"] : shown).listed("and")
  }
}
