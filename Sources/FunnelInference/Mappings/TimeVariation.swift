/// Whether the times in a column differ among the records of one subject.
///
/// A date of birth or of an order is the same in all records of a person or an order, so it is not when the events happened.
struct TimeVariation {
  /// The number of subjects with several records that have a time.
  private(set) var subjectCount = 0
  /// The number of those whose times differ.
  private(set) var varyingCount = 0

  /// The share of subjects whose times may differ in a column of constant times, because of faulty records.
  private static let varyingShareMax = 0.05

  /// Compares the times of each subject.
  init(of column: String, subject: String, in records: [[String: String]]) {
    var times: [String: (first: String, count: Int, differ: Bool)] = [:]
    for record in records {
      guard let who = record[subject], let time = record[column] else { continue }
      guard let known = times[who] else {
        times[who] = (time, 1, false)
        continue
      }
      times[who] = (known.first, known.count + 1, known.differ || known.first != time)
    }
    for (_, count, differ) in times.values where count > 1 {
      subjectCount += 1
      if differ { varyingCount += 1 }
    }
  }

  /// Whether there are subjects with several records, and nearly all of them have one time.
  var isConstant: Bool { subjectCount > 0 && Double(varyingCount) <= Self.varyingShareMax * Double(subjectCount) }
}
