import FunnelImport
import FunnelModel

/// The columns of a CSV that a mapping needs, guessed by their names.
public struct MappingColumns: Hashable, Sendable {
  /// The column of the subject, the time and the name.
  public let subject: String
  public let timestamp: String
  public let name: String
  /// The column of the id, if one looks like it.
  public let id: String?
  /// The columns that become properties.
  public private(set) var props: [String]
  /// The columns that are left out because they are personal data.
  public private(set) var personal: [PersonalColumn] = []
  /// Why the column of the subject is personal data; nil if it is not.
  public let subjectFinding: String?
  /// Whether the times name no zone, so that none of them can be read without --source-tz.
  public let needsZone: Bool

  /// A column that is personal data.
  public struct PersonalColumn: Hashable, Sendable {
    public var name: String
    /// Why it is, as a clause.
    public var finding: String
  }

  /// Guesses the columns by their names and by the values of some records, or returns nil if there are fewer than three.
  ///
  /// - Parameters:
  ///   - records: The values of the columns of each record; a column without a value is left out.
  ///   - privacy: The personal data that no event may have.
  init?(_ columns: [String], records: [[String: String]], privacy: PrivacyRules) {
    var guesses = ColumnGuesses(columns, records: records, privacy: privacy)
    id = guesses.take(named: Self.idWords) { $0.isUnique && $0.personal == nil }
    guard
      let timestamp = guesses.take(named: Self.timeWords, where: { $0.isTime }) ?? guesses.takeFirst(where: { $0.isTime })
        ?? guesses.take(named: Self.timeWords, where: { $0.personal == nil }),
      let name = guesses.take(named: Self.nameWords, where: { !$0.isTime && $0.personal == nil })
        ?? guesses.takeMin(by: { $0.personal == nil ? $0.distinct : .max }),
      // An address that is called an id is rather the subject than any other column.
      let subject = guesses.take(named: Self.subjectWords, where: { $0.personal == nil })
        ?? guesses.take(named: Self.subjectWords) ?? guesses.takeMin(by: { $0.personal == nil ? -$0.distinct : 1 })
    else { return nil }
    (self.timestamp, self.name, self.subject) = (timestamp, name, subject)
    props = guesses.rest.filter { $0.values.personal == nil }.map(\.name)
    personal = guesses.rest.compactMap { column in column.values.personal.map { PersonalColumn(name: column.name, finding: $0) }
    }
    subjectFinding = records.lazy.compactMap { $0[subject].flatMap(privacy.finding(inCell:)) }.first
    needsZone = records.contains { $0[timestamp].map(TimeText.namesNoZone) ?? false }
  }

  /// Leaves out the columns of which a value proves to be personal data.
  mutating func leaveOutPersonal(of record: [String: String], privacy: PrivacyRules) {
    for column in props {
      guard let finding = record[column].flatMap(privacy.finding(inCell:)) else { continue }
      props.removeAll { $0 == column }
      personal.append(PersonalColumn(name: column, finding: finding))
    }
  }

  /// Returns whether a column has a name that columns of subjects have.
  public static func isLikeSubject(_ column: String) -> Bool {
    var guesses = ColumnGuesses([column], records: [], privacy: PrivacyRules(keys: []))
    return guesses.take(named: subjectWords) != nil
  }

  private static let idWords = ["eventid", "insertid", "messageid", "uuid"]
  private static let timeWords = [
    "timestamp", "ts", "eventtime", "time", "createdat", "occurredat", "happenedat", "datetime", "date", "when", "at",
  ]
  private static let nameWords = ["eventname", "eventtype", "event", "name", "action", "what", "type"]
  private static let subjectWords = [
    "subject", "anonymousid", "deviceid", "installid", "userpseudoid", "distinctid", "userid", "clientid", "visitorid", "user",
    "device", "install", "person", "who", "id",
  ]

  /// The mapping of the columns alone, by which the names of events are found.
  var mapping: ImportMapping {
    var mapping = ImportMapping(source: "")
    mapping.format = .csv
    mapping.subject = [ImportedPath(column: subject)]
    mapping.timestamp = [ImportedPath(column: timestamp)]
    mapping.name = [ImportedPath(column: name)]
    mapping.id = id.map { [ImportedPath(column: $0)] } ?? []
    return mapping
  }

  /// Appends the members of the mapping.
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
