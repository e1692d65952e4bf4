internal import FunnelIngest
public import FunnelModel

extension EventIndex {
  /// Returns the UTC days on which a subject has events. Only its partition is read.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  public func days(ofSubject subject: String) throws(FunnelError) -> Set<CivilDate> {
    let key = Array(subject.utf8).withUnsafeBytes { Hash128(of: $0) }
    let partition = Int(truncatingIfNeeded: key.high >> IndexFormat.partitionShift)
    var days: Set<CivilDate> = []
    var columns = SubjectReader.Columns()
    columns.attempts = false
    columns.context = false
    columns.props = false
    for run in runs where run.subjectCount(ofPartition: partition) > 0 {
      var reader = try SubjectReader(run, partition: partition, columns: columns)
      while reader.next() {
        defer { reader.skip() }
        guard reader.key == key else { continue }
        for event in 0..<reader.plain.count { days.insert(Timestamp(milliseconds: reader.plain.time(event)).day) }
        break
      }
    }
    return days
  }
}
