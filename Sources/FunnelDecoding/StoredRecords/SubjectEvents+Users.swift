package import FunnelModel
package import FunnelStore
import FunnelSystem

extension SubjectEvents {
  /// Returns the subjects that records link to one of some users (specification section 13).
  package static func subjects(ofUsers users: SubjectSet, inRecords raw: [UInt8]) -> Set<[UInt8]> {
    linkedSubjects(ofUsers: users, inRecords: raw).values.reduce(into: []) { $0.formUnion($1) }
  }

  /// Returns the subjects that records link to each of some users, by the number of the user.
  private static func linkedSubjects(ofUsers users: SubjectSet, inRecords raw: [UInt8]) -> [Int: Set<[UInt8]>] {
    var found: [Int: Set<[UInt8]>] = [:]
    let bytes = raw.span
    for line in RecordLines(of: raw) {
      let text = bytes.extracting(line.text)
      guard let head = StoredLine(text), let user = head.withUser(of: text, { users.subject($0) }) else { continue }
      head.withSubject(of: text) { subject in
        if !PlaceholderIDs.contains(subject) { found[user, default: []].insert([UInt8](copying: subject)) }
      }
    }
    return found
  }

  /// Returns the subjects that events of a store link to each of some users, by the text of the user. The whole log is read.
  ///
  /// - Throws: `inputOutput` if a member is damaged.
  package static func linkedSubjects(
    ofUsers users: [[UInt8]], in store: StoreReader, threads: Int
  ) throws(FunnelError) -> [[UInt8]: Set<[UInt8]>] {
    var numbered = SubjectSet()
    for (number, user) in users.enumerated() { numbered.insert(user, subject: number) }
    let wanted = numbered
    let members = try store.members()
    let found = try Parallel.map(count: members.count, threads: threads) { (index) throws(FunnelError) in
      linkedSubjects(ofUsers: wanted, inRecords: try store.read(members[index]))
    }
    return found.reduce(into: [:]) { all, inMember in
      for (user, subjects) in inMember { all[users[user], default: []].formUnion(subjects) }
    }
  }

  /// Returns the subjects that events of a store link to one of some users, sorted. The whole log is read.
  ///
  /// - Throws: `inputOutput` if a member is damaged.
  package static func subjects(
    ofUsers users: SubjectSet, in store: StoreReader, threads: Int
  ) throws(FunnelError) -> [String] {
    let members = try store.members()
    let found = try Parallel.map(count: members.count, threads: threads) { (index) throws(FunnelError) in
      subjects(ofUsers: users, inRecords: try store.read(members[index]))
    }
    return sorted(found.reduce(into: []) { $0.formUnion($1) })
  }

  /// Returns the events of subjects in a store, counted, and the users that they name, by the number of the subject. The whole
  /// log is read.
  ///
  /// - Throws: `inputOutput` if a member is damaged.
  package static func uses(
    of subjects: SubjectSet, in store: StoreReader, threads: Int
  ) throws(FunnelError) -> [Int: SubjectUse] {
    let members = try store.members()
    let found = try Parallel.map(count: members.count, threads: threads) { (index) throws(FunnelError) in
      uses(of: subjects, inRecords: try store.read(members[index]))
    }
    return found.reduce(into: [:]) { all, uses in
      for (subject, use) in uses { all[subject, default: SubjectUse()].add(use) }
    }
  }

  /// Returns the records of subjects, counted, and the users that they name, by the number of the subject.
  private static func uses(of subjects: SubjectSet, inRecords raw: [UInt8]) -> [Int: SubjectUse] {
    var uses: [Int: SubjectUse] = [:]
    let bytes = raw.span
    for line in RecordLines(of: raw) {
      let text = bytes.extracting(line.text)
      guard let head = StoredLine(text), let subject = head.withSubject(of: text, { subjects.subject($0) }) else { continue }
      var use = SubjectUse()
      use.eventCount = 1
      if let user = head.withUser(of: text, { [UInt8](copying: $0) }) { use.users.insert(user) }
      uses[subject, default: SubjectUse()].add(use)
    }
    return uses
  }

  /// Returns the texts of subjects, sorted by their bytes.
  package static func sorted(_ subjects: Set<[UInt8]>) -> [String] {
    subjects.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
  }
}

extension SubjectSet {
  /// Creates a set of subjects, numbered in their order.
  package init(_ subjects: [String]) {
    self.init()
    for (number, subject) in subjects.enumerated() { insert(Array(subject.utf8), subject: number) }
  }
}
