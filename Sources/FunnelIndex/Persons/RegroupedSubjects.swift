internal import FunnelDecoding
internal import FunnelModel
internal import FunnelSystem

/// The subjects of an index whose events are gathered, because they may share a person with other subjects, or have several
/// persons. All other subjects are read as they are stored.
struct RegroupedSubjects: Sendable {
  /// The subjects that are gathered, of those whose events name a user. All others are called by that user.
  enum Gathering {
    /// Those that share a person with others, or have several persons.
    case shared
    /// Those, and subjects with events after a time, in milliseconds since the epoch: they may have no user until then.
    case sharedOrLate(after: Int64)
    /// All. The user of a subject holds for one app only.
    case all
  }

  /// For each partition the occurrences of its gathered subjects in the runs that have subjects of it, in the order of their keys, then of the runs.
  private let occurrences: [[SharedSubjects.Occurrence]]

  /// Finds the subjects, or returns `nil` if no event has a user.
  ///
  /// - Throws: `inputOutput` if a run is damaged.
  init?(_ runs: [SortedRun], gathering: Gathering, threads: Int) throws(FunnelError) {
    guard runs.contains(where: \.hasUsers) else { return nil }
    let partitions = try Parallel.map(count: IndexFormat.partitionCount, threads: threads) { (partition) throws(FunnelError) in
      try PartitionUsers(
        runs.filter { $0.subjectCount(ofPartition: partition) > 0 }, partition: partition, gathering: gathering)
    }
    let filter = UserFilter(partitions)
    let candidates = try Parallel.map(count: IndexFormat.partitionCount, threads: threads) { (partition) throws(FunnelError) in
      partitions[partition].candidates(filter)
    }
    let shared = try Parallel.map(count: PersonGroups.count, threads: threads) { (group) throws(FunnelError) in
      Self.subjects(sharing: candidates.flatMap { $0[group] })
    }
    var gathered: [[Hash128]] = partitions.map(\.gathered)
    for subject in shared.joined() {
      gathered[Int(truncatingIfNeeded: subject.high >> IndexFormat.partitionShift)].append(subject)
    }
    let chosen = gathered
    occurrences = try Parallel.map(count: IndexFormat.partitionCount, threads: threads) { (partition) throws(FunnelError) in
      partitions[partition].occurrences(of: chosen[partition])
    }
  }

  /// Returns the subjects of links whose user has another subject too.
  private static func subjects(sharing unsorted: [Link]) -> [Hash128] {
    let links = unsorted.sorted { $0.user != $1.user ? $0.user < $1.user : $0.subject < $1.subject }
    var subjects: [Hash128] = []
    var start = 0
    while start < links.count {
      var end = start + 1
      while end < links.count, links[end].user == links[start].user { end += 1 }
      if links[end - 1].subject != links[start].subject { subjects += links[start..<end].map(\.subject) }
      start = end
    }
    return subjects
  }

  /// Returns the occurrences of the gathered subjects of a partition, in the order of their keys, then of the runs. Runs
  /// without a subject of the partition are not numbered.
  func occurrences(inPartition partition: Int) -> [SharedSubjects.Occurrence] { occurrences[partition] }

  /// Whether no subject is gathered.
  var isEmpty: Bool { occurrences.allSatisfy(\.isEmpty) }
}

/// A filter for the users that may have several subjects. It is complete when it is created.
private final class UserFilter: Sendable {
  private let keys: RepeatedKeys

  /// Inserts the user of each link, and once more a subject that may be a user of others.
  init(_ partitions: [PartitionUsers]) {
    let keys = RepeatedKeys(keyCount: partitions.reduce(0) { $0 + $1.userCount })
    for partition in partitions { partition.forEachLink { keys.insert($0.user) } }
    for partition in partitions {
      partition.forEachSubject { subject in if keys.mayContain(subject) { keys.insert(subject) } }
    }
    self.keys = keys
  }

  /// Returns whether several subjects may have a user.
  @inline(__always)
  func mayRepeat(_ user: Hash128) -> Bool { keys.mayRepeat(user) }
}

/// A subject, and a user other than itself that its events name.
private struct Link: BitwiseCopyable, Sendable {
  let user: Hash128
  let subject: Hash128
}

/// The subjects of one partition and the users that their events name.
private struct PartitionUsers: Sendable {
  /// The keys of the subjects in each run.
  private let keys: [SubjectKeys]
  /// The users of the subjects in each run.
  private let users: [SubjectUsers]
  /// The subjects that are gathered for themselves, such as those that have several users.
  let gathered: [Hash128]

  /// The number of users, each counted in every run.
  var userCount: Int { users.reduce(0) { $0 + $1.count } }

  /// Reads the users of a partition.
  ///
  /// - Throws: `inputOutput` if a run is damaged.
  init(
    _ runs: [SortedRun], partition: Int, gathering: RegroupedSubjects.Gathering
  ) throws(FunnelError) {
    var keys: [SubjectKeys] = []
    var users: [SubjectUsers] = []
    var gathered: [Hash128] = []
    for run in runs {
      let ownKeys = try SubjectKeys(
        run.section(.keys, ofPartition: partition), count: run.subjectCount(ofPartition: partition))
      let ownUsers = try SubjectUsers(run.section(.users, ofPartition: partition))
      for user in 0..<ownUsers.count {
        let subject = ownUsers.subject(of: user)
        guard subject < ownKeys.count else { throw FunnelError.damagedIndex }
        if user > 0, subject == ownUsers.subject(of: user - 1) { gathered.append(ownKeys[subject]) }
        if case .all = gathering { gathered.append(ownKeys[subject]) }
      }
      if case .sharedOrLate(let now) = gathering, ownUsers.count > 0 {
        gathered += try Self.late(run, partition, ownUsers, ownKeys, after: now)
      }
      keys.append(ownKeys)
      users.append(ownUsers)
    }
    self.keys = keys
    self.users = users
    self.gathered = gathered + (runs.count > 1 ? Self.subjectsOfSeveral(keys, users) : [])
  }

  /// Returns the subjects that have different users in several runs.
  private static func subjectsOfSeveral(_ keys: [SubjectKeys], _ users: [SubjectUsers]) -> [Hash128] {
    // Few subjects are in several runs, because the events of a subject are close together.
    let repeated = RepeatedKeys(keys)
    var links: [Link] = []
    for (keys, users) in zip(keys, users) {
      for user in 0..<users.count {
        let subject = keys[users.subject(of: user)]
        if repeated.mayRepeat(subject) { links.append(Link(user: users.key(of: user), subject: subject)) }
      }
    }
    links.sort { $0.subject < $1.subject }
    return links.indices.dropFirst().filter {
      links[$0].subject == links[$0 - 1].subject && links[$0].user != links[$0 - 1].user
    }.map { links[$0].subject }
  }

  /// Passes each link to `body`. A link occurs in every run that has it.
  @inline(__always)
  func forEachLink(_ body: (Link) -> Void) {
    for (keys, users) in zip(keys, users) {
      for user in 0..<users.count {
        let link = Link(user: users.key(of: user), subject: keys[users.subject(of: user)])
        if link.user != link.subject { body(link) }
      }
    }
  }

  /// Passes each subject to `body`. A subject occurs in every run that has it.
  @inline(__always)
  func forEachSubject(_ body: (Hash128) -> Void) {
    for keys in keys { for index in 0..<keys.count { body(keys[index]) } }
  }

  /// Returns the subjects of a run that have users, and events after a time.
  private static func late(
    _ run: SortedRun, _ partition: Int, _ users: SubjectUsers, _ keys: SubjectKeys, after now: Int64
  ) throws(FunnelError) -> [Hash128] {
    var late: [Hash128] = []
    var cursor = try PlainCursor(run, partition: partition)
    while cursor.next() {
      if cursor.last > now, !users.users(ofSubject: cursor.subject).isEmpty { late.append(keys[cursor.subject]) }
    }
    return late
  }

  /// Returns the links whose user may have several subjects, and a link to itself for each subject that may be a user, by the
  /// group of the user (``PersonGroups``).
  func candidates(_ filter: UserFilter) -> [[Link]] {
    var groups: [[Link]] = Array(repeating: [], count: PersonGroups.count)
    func append(_ link: Link) {
      if filter.mayRepeat(link.user) { groups[PersonGroups.group(of: link.user)].append(link) }
    }
    forEachLink(append)
    forEachSubject { append(Link(user: $0, subject: $0)) }
    return groups
  }

  /// Returns the occurrences of subjects in the runs.
  func occurrences(of subjects: [Hash128]) -> [SharedSubjects.Occurrence] {
    var result: [SharedSubjects.Occurrence] = []
    /// The index in each run from which the next subject is searched.
    var next = Array(repeating: 0, count: keys.count)
    var previous: Hash128?
    for subject in subjects.sorted() where subject != previous {
      previous = subject
      var found: [(run: Int, index: Int)] = []
      for (run, keys) in keys.enumerated() {
        next[run] = (next[run]..<keys.count).firstNearStart { !(keys[$0] < subject) }
        if next[run] < keys.count, keys[next[run]] == subject { found.append((run, next[run])) }
      }
      for (number, place) in found.enumerated() {
        result.append(
          SharedSubjects.Occurrence(
            subject: UInt32(truncatingIfNeeded: place.index), run: UInt16(place.run), isLast: number == found.count - 1))
      }
    }
    return result
  }
}
