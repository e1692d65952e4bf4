internal import FunnelDecoding
internal import FunnelModel
import FunnelSystem

/// A user whom so many subjects name that its events are not merged (specification section 13).
package struct CrowdedUser: Hashable, Sendable {
  /// The user.
  package let user: String
  /// The number of subjects with an event that names it.
  package let subjectCount: Int
  /// Whether the store lists the user as internal. As it is not merged, that does not leave these subjects out of reports.
  package var isInternal = false
}

/// A user of an app.
struct AppUser: Hashable {
  /// The number of the app in the source.
  let app: UInt32
  /// The hash of the user.
  let user: Hash128
}

/// The division of persons by their hash into groups that threads can work on.
enum PersonGroups {
  /// The number of groups, 2 to the power of ``bits``.
  static let count = 1 << bits
  private static let bits = 6

  /// Returns the group of a person, from 0 to ``count`` − 1.
  ///
  /// - Parameter person: The hash of a user, or of a subject without one.
  @inline(__always)
  static func group(of person: Hash128) -> Int { Int(truncatingIfNeeded: person.high >> UInt64(UInt64.bitWidth - bits)) }
}

/// The person of each gathered event, as of a moment (specification section 13).
///
/// The person of an event is its user; else the user of the subject's next event that has one; else that of the last one
/// before it; else the subject itself. Only events of the same app count, and users with too many subjects do not.
///
/// Groups of persons (``PersonGroups``) are resolved and read in parallel.
struct PersonResolution: Sendable {
  /// Some persons, each with the pieces that belong to it.
  struct Group: Sendable {
    /// The pieces, by app and person. Those of one person are adjacent.
    let pieces: [PersonPiece]
    /// The index of each person's first piece, then the number of pieces.
    let starts: [Int]
  }

  /// The persons, by group.
  let groups: [Group]
  /// For each partition the events of its subjects.
  let assigned: [AssignedEvents]
  /// The users that were not merged.
  let crowded: [CrowdedUser]

  /// Finds the persons.
  ///
  /// - Parameters:
  ///   - moment: The time of the latest event that counts, in milliseconds since the epoch.
  ///   - subjectsMax: The largest number of subjects of a user that is merged.
  /// - Throws: `inputOutput` if the index is damaged.
  init(_ partitions: [GatheredSubjects], upTo moment: Int64, subjectsMax: Int, threads: Int) throws(FunnelError) {
    let first = try Self.assign(partitions, upTo: moment, without: [], threads: threads)
    let counts = first.groups.map { $0.crowds(above: subjectsMax) }.reduce(into: [:]) { $0.merge($1) { a, _ in a } }
    (assigned, groups) =
      counts.isEmpty ? first : try Self.assign(partitions, upTo: moment, without: Set(counts.keys), threads: threads)
    var crowded: [CrowdedUser] = []
    for (key, count) in counts {
      for gathered in partitions {
        guard let user = gathered.users.firstIndex(where: { $0.key == key.user }) else { continue }
        crowded.append(CrowdedUser(user: try gathered.name(ofUser: UInt32(user)), subjectCount: count))
        break
      }
    }
    self.crowded = crowded.sorted { $0.user.utf8.lexicographicallyPrecedes($1.user.utf8) }
  }

  /// Assigns each event to its person.
  private static func assign(
    _ partitions: [GatheredSubjects], upTo moment: Int64, without excluded: Set<AppUser>, threads: Int
  ) throws(FunnelError) -> (assigned: [AssignedEvents], groups: [Group]) {
    let assigned = try Parallel.map(count: partitions.count, threads: threads) { (partition) throws(FunnelError) in
      try PersonAssigner(partitions[partition], partition: partition, upTo: moment, without: excluded).assigned()
    }
    let groups = try Parallel.map(count: PersonGroups.count, threads: threads) { (group) throws(FunnelError) in
      Group(assigned.flatMap { $0.pieces(ofGroup: group).array })
    }
    return (assigned, groups)
  }
}

extension PersonResolution.Group {
  /// Sorts the pieces of some persons.
  fileprivate init(_ unsorted: [PersonPiece]) {
    var pieces = unsorted
    pieces.sort { a, b in
      if a.person != b.person { return a.person < b.person }
      if a.app != b.app { return a.app < b.app }
      return a.partition != b.partition ? a.partition < b.partition : a.subject < b.subject
    }
    var starts: [Int] = []
    for index in pieces.indices
    where index == 0 || pieces[index].person != pieces[index - 1].person || pieces[index].app != pieces[index - 1].app {
      starts.append(index)
    }
    starts.append(pieces.count)
    self.init(pieces: pieces, starts: starts)
  }

  /// Returns the number of subjects of each user that has more than a maximum.
  fileprivate func crowds(above subjectsMax: Int) -> [AppUser: Int] {
    var crowds: [AppUser: Int] = [:]
    for (start, end) in zip(starts, starts.dropFirst()) where end - start > subjectsMax {
      let count = pieces[start..<end].count { $0.hasLink }
      if count > subjectsMax { crowds[AppUser(app: pieces[start].app, user: pieces[start].person)] = count }
    }
    return crowds
  }
}
