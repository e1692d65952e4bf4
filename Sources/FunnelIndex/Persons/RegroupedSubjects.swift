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
    let filter = RepeatedKeys(keyCount: partitions.reduce(0) { $0 + $1.links.count })
    for partition in partitions { for link in partition.links { filter.insert(link.user) } }
    // A subject that is a user of others occurs again.
    for partition in partitions { partition.insertUsers(into: filter) }
    var candidates: [PartitionUsers.Link] = []
    for partition in partitions { partition.appendCandidates(filter, to: &candidates) }
    candidates.sort { $0.user != $1.user ? $0.user < $1.user : $0.subject < $1.subject }
    var gathered: [[Hash128]] = partitions.map(\.gathered)
    var start = 0
    while start < candidates.count {
      var end = start + 1
      while end < candidates.count, candidates[end].user == candidates[start].user { end += 1 }
      if candidates[end - 1].subject != candidates[start].subject {
        for link in candidates[start..<end] {
          gathered[Int(truncatingIfNeeded: link.subject.high >> IndexFormat.partitionShift)].append(link.subject)
        }
      }
      start = end
    }
    let chosen = gathered
    occurrences = try Parallel.map(count: IndexFormat.partitionCount, threads: threads) { (partition) throws(FunnelError) in
      partitions[partition].occurrences(of: chosen[partition])
    }
  }

  /// Returns the occurrences of the gathered subjects of a partition, in the order of their keys, then of the runs. Runs
  /// without a subject of the partition are not numbered.
  func occurrences(inPartition partition: Int) -> [SharedSubjects.Occurrence] { occurrences[partition] }

  /// Whether no subject is gathered.
  var isEmpty: Bool { occurrences.allSatisfy(\.isEmpty) }
}

/// The subjects of one partition and the users that their events name.
private struct PartitionUsers: Sendable {
  /// A subject, and a user other than itself that its events name.
  struct Link: BitwiseCopyable, Sendable {
    let user: Hash128
    let subject: Hash128
  }

  /// The keys of the subjects in each run.
  private let keys: [SubjectKeys]
  /// The users of the subjects, in any order. A pair occurs again in each run.
  let links: [Link]
  /// The subjects that are gathered for themselves, such as those that have several users.
  let gathered: [Hash128]

  /// Reads the users of a partition.
  ///
  /// - Throws: `inputOutput` if a run is damaged.
  init(
    _ runs: [SortedRun], partition: Int, gathering: RegroupedSubjects.Gathering
  ) throws(FunnelError) {
    var keys: [SubjectKeys] = []
    var links: [Link] = []
    var gathered: [Hash128] = []
    for run in runs {
      let own = try SubjectKeys(
        run.section(.keys, ofPartition: partition), count: run.subjectCount(ofPartition: partition))
      let users = try SubjectUsers(run.section(.users, ofPartition: partition))
      links.reserveCapacity(links.count + users.count)
      for user in 0..<users.count {
        guard users.subject(of: user) < own.count else { throw FunnelError.damagedIndex }
        links.append(Link(user: users.key(of: user), subject: own[users.subject(of: user)]))
      }
      keys.append(own)
      if case .sharedOrLate(let now) = gathering, users.count > 0 {
        gathered += try Self.late(run, partition, users, own, after: now)
      }
    }
    self.keys = keys
    if runs.count > 1 { links.sort { $0.subject < $1.subject } }
    for index in links.indices.dropFirst()
    where links[index].subject == links[index - 1].subject && links[index].user != links[index - 1].user {
      gathered.append(links[index].subject)
    }
    if case .all = gathering { gathered = links.map(\.subject) }
    self.gathered = gathered
    self.links = links.filter { $0.user != $0.subject }
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

  /// Inserts the subjects that may be users.
  func insertUsers(into filter: borrowing RepeatedKeys) {
    for keys in keys { for index in 0..<keys.count where filter.mayContain(keys[index]) { filter.insert(keys[index]) } }
  }

  /// Appends the links whose user may have several subjects, and a link to itself for each subject that may be a user.
  func appendCandidates(_ filter: borrowing RepeatedKeys, to candidates: inout [Link]) {
    for link in links where filter.mayRepeat(link.user) { candidates.append(link) }
    for keys in keys {
      for index in 0..<keys.count where filter.mayRepeat(keys[index]) {
        candidates.append(Link(user: keys[index], subject: keys[index]))
      }
    }
  }

  /// Returns the occurrences of subjects in the runs.
  func occurrences(of subjects: [Hash128]) -> [SharedSubjects.Occurrence] {
    var result: [SharedSubjects.Occurrence] = []
    var previous: Hash128?
    for subject in subjects.sorted() where subject != previous {
      previous = subject
      var found: [(run: Int, index: Int)] = []
      for (run, keys) in keys.enumerated() {
        if let index = keys.index(of: subject) { found.append((run, index)) }
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

extension SubjectKeys {
  /// Returns the index of a subject, or `nil` if it is not in the run.
  fileprivate func index(of subject: Hash128) -> Int? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < subject { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low] == subject ? low : nil
  }
}

extension SortedRun {
  /// Whether an event of the run has a user.
  var hasUsers: Bool { (0..<IndexFormat.partitionCount).contains { sectionBytes(.users, ofPartition: $0) > 0 } }
}
