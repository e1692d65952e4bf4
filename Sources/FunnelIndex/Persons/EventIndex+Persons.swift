internal import FunnelDecoding
package import FunnelModel

extension EventIndex {
  /// Returns the subjects of which some event names a user, in any app, sorted. A subject with the text of the user is not
  /// added.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  package func subjects(ofUser user: String) throws(FunnelError) -> [String] {
    let key = Hash128(of: Array(user.utf8).span)
    var subjects: Set<[UInt8]> = []
    for run in runs where run.hasUsers {
      for partition in 0..<IndexFormat.partitionCount {
        let users = try SubjectUsers(run.section(.users, ofPartition: partition))
        for number in 0..<users.count where users.key(of: number) == key {
          subjects.insert(try run.name(ofSubject: users.subject(of: number), inPartition: partition).textBytes)
        }
      }
    }
    return SubjectEvents.sorted(subjects)
  }
}

extension SortedRun {
  /// Returns the name of a subject, packed like an ID. It is valid as long as the run.
  ///
  /// - Throws: `inputOutput` if the section is damaged.
  fileprivate func name(ofSubject subject: Int, inPartition partition: Int) throws(FunnelError) -> PackedID {
    let count = subjectCount(ofPartition: partition)
    guard subject < count else { throw FunnelError.damagedIndex }
    let names = try IDCursor(section(.names, ofPartition: partition), subjects: count)
    var name: PackedID?
    try names.forEach(ofSubject: subject, count: 1) { _, id in name = id }
    guard let name else { throw FunnelError.damagedIndex }
    return name
  }
}
