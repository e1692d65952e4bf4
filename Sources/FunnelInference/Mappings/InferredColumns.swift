import FunnelImport
import FunnelModel

/// The roles of the columns of a CSV file for a mapping, inferred from their names and values.
package struct InferredColumns: Hashable, Sendable {
  /// The column of the subject.
  package let subject: String
  /// The column of the time.
  package let timestamp: String
  /// The column of the event name.
  package let name: String
  /// The column of the event ID, or `nil` if there is none.
  package let id: String?
  /// The columns that become properties.
  package private(set) var props: [String]
  /// The columns that are left out because they are personal data.
  package private(set) var personal: [PersonalColumn] = []
  /// The reason, as a clause, why a value of the subject is personal data, or `nil` if none is.
  package let subjectFinding: String?
  /// Whether a time has no zone, so the option `--source-tz` is required.
  package let needsZone: Bool

  /// A column that is personal data.
  package struct PersonalColumn: Hashable, Sendable {
    package var name: String
    /// The reason, as a clause.
    package var finding: String
  }

  /// Infers the roles of columns from their names and the values of some records, or returns `nil` if there are fewer than
  /// three columns.
  ///
  /// - Parameters:
  ///   - columns: The names of the columns.
  ///   - records: The values of each record by column. A column without a value has no entry.
  ///   - privacy: The rules that define personal data.
  init?(_ columns: [String], records: [[String: String]], privacy: PrivacyRules) {
    var candidates = ColumnCandidates(columns, records: records, privacy: privacy)
    id = candidates.take(named: Self.idWords) { $0.isUnique && $0.personal == nil }
    guard
      let timestamp = candidates.take(named: Self.timeWords, where: { $0.isTime }) ?? candidates.takeFirst(where: { $0.isTime })
        ?? candidates.take(named: Self.timeWords, where: { $0.personal == nil }),
      let name = candidates.take(named: Self.nameWords, where: { !$0.isTime && $0.personal == nil })
        ?? candidates.takeMin(by: { $0.personal == nil ? $0.distinct : .max }),
      // A column with the name of an ID is the likely subject even if its values are e-mail addresses.
      let subject = candidates.take(named: Self.subjectWords, where: { $0.personal == nil })
        ?? candidates.take(named: Self.subjectWords) ?? candidates.takeMin(by: { $0.personal == nil ? -$0.distinct : 1 })
    else { return nil }
    self.timestamp = timestamp
    self.name = name
    self.subject = subject
    props = candidates.remaining.filter { $0.values.personal == nil }.map(\.name)
    personal = candidates.remaining.compactMap { column in
      column.values.personal.map { PersonalColumn(name: column.name, finding: $0) }
    }
    subjectFinding = records.lazy.compactMap { $0[subject].flatMap(privacy.finding(inCell:)) }.first
    needsZone = records.contains { $0[timestamp].map(ImportedTime.lacksZone) ?? false }
  }

  /// Moves the columns with personal data in a record from the properties to the left-out columns.
  mutating func leaveOutPersonal(of record: [String: String], privacy: PrivacyRules) {
    for column in props {
      guard let finding = record[column].flatMap(privacy.finding(inCell:)) else { continue }
      props.removeAll { $0 == column }
      personal.append(PersonalColumn(name: column, finding: finding))
    }
  }

  /// Whether the name of a column suggests that it is the subject.
  package static func isLikeSubject(_ column: String) -> Bool {
    var candidates = ColumnCandidates([column], records: [], privacy: PrivacyRules(keys: []))
    return candidates.take(named: subjectWords) != nil
  }

  // Names without case and punctuation, the most likely first.
  private static let idWords = ["eventid", "insertid", "messageid", "uuid"]
  private static let timeWords = [
    "timestamp", "ts", "eventtime", "time", "createdat", "occurredat", "happenedat", "datetime", "date", "when", "at",
  ]
  private static let nameWords = ["eventname", "eventtype", "event", "name", "action", "what", "type"]
  private static let subjectWords = [
    "subject", "anonymousid", "deviceid", "installid", "userpseudoid", "distinctid", "userid", "clientid", "visitorid", "user",
    "device", "install", "person", "who", "id",
  ]

  /// A mapping with only the columns, which is enough to read the names of events.
  var mapping: ImportMapping {
    var mapping = ImportMapping(source: "")
    mapping.format = .csv
    mapping.subject = [ImportedPath(column: subject)]
    mapping.timestamp = [ImportedPath(column: timestamp)]
    mapping.name = [ImportedPath(column: name)]
    mapping.id = id.map { [ImportedPath(column: $0)] } ?? []
    return mapping
  }

  /// Appends the members of the mapping as JSON, each with a comma.
  func append(to bytes: inout [UInt8]) {
    for (key, column) in [("subject", subject), ("id", id), ("ts", timestamp), ("name", name)] {
      guard let column else { continue }
      bytes.append(text: "  \"\(key)\": ")
      bytes.appendJSONString(column)
      bytes.append(text: ",\n")
    }
    guard !props.isEmpty else { return }
    bytes.append(text: "  \"props\": {")
    for (index, column) in props.enumerated() {
      if index > 0 { bytes.append(text: ", ") }
      bytes.appendJSONString(column)
      bytes.append(text: ": ")
      bytes.appendJSONString(column)
    }
    bytes.append(text: "},\n")
  }

  /// Sentences about the evidence for each role.
  var evidence: [String] {
    var lines = [
      "columns: subject is \(subject), ts is \(timestamp), name is \(name)\(id.map { ", id is \($0)" } ?? "")"
        + (props.isEmpty ? "" : "; the others become properties: \(props.joined(separator: ", "))")
    ]
    if !personal.isEmpty {
      lines.append(
        "left out as personal data: \(personal.map { "\($0.name) (\($0.finding))" }.joined(separator: ", ")); an event that has it would be rejected"
      )
    }
    if let subjectFinding {
      lines.append("subject: \(subject) \(subjectFinding): use another column, or ingest with --pseudonymize")
    }
    if needsZone {
      lines.append("times in \(timestamp) have no time zone: give it with --source-tz whenever you use the mapping")
    }
    return lines
  }
}
