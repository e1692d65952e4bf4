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
          subjects.insert(try run.subject(users.subject(of: number), inPartition: partition).textBytes)
        }
      }
    }
    return SubjectEvents.sorted(subjects)
  }
}
