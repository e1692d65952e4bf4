/// The names of events of which no record has a subject.
struct SubjectlessNames: Hashable, Sendable {
  /// A name, and the number of its records.
  struct Name: Hashable, Sendable {
    var name: String
    var count: Int
  }

  /// The number of records of each name that have no subject. A name with a subject has 0.
  private var counts: [String: Int] = [:]
  private var recordCount = 0

  /// The number of names that are kept.
  private static let namesMax = 500
  /// The share of all records from which the records of a name are frequent.
  private static let frequentShareMin = 0.1
  /// The number of records from which a name is told.
  private static let recordsMin = 3

  /// Examines a record.
  mutating func examine(name: String?, hasSubject: Bool) {
    recordCount += 1
    guard let name, counts.count < Self.namesMax || counts[name] != nil else { return }
    if hasSubject {
      counts[name] = 0
    } else if counts[name] != 0 {
      counts[name, default: 0] += 1
    }
  }

  /// The names, those with most records first.
  var names: [Name] {
    // The common case of records without any subject has a message of its own.
    guard counts.values.contains(0) else { return [] }
    return counts.filter { $0.value >= Self.recordsMin }.map { Name(name: $0.key, count: $0.value) }
      .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
  }

  /// Whether a name has a large share of all records.
  func isFrequent(_ name: Name) -> Bool { Double(name.count) >= Self.frequentShareMin * Double(recordCount) }

  /// Returns the columns that have the IDs of the subject in records of names without a subject, by the name.
  static func otherColumns(
    _ columns: [String], name: String, subject: String, _ records: [[String: String]]
  ) -> [String: String] {
    let subjects = Set(records.compactMap { $0[subject] })
    var found: [String: String] = [:]
    for (event, group) in Dictionary(grouping: records, by: { $0[name] ?? "" })
    where group.allSatisfy({ $0[subject] == nil }) {
      found[event] = columns.first { column in
        // Some of the people have no record with the subject.
        group.allSatisfy { $0[column] != nil } && group.count { subjects.contains($0[column] ?? "") } * 2 >= group.count
      }
    }
    return found
  }
}
