import Foundation
import FunnelImport
package import FunnelModel

/// The roles of the columns of a table, or of the keys of JSON records, for a mapping. They are inferred from names and values.
package struct InferredColumns: Hashable, Sendable {
  /// The column of the subject.
  package let subject: String
  /// The column of the account beside the device, or `nil` if there is none.
  package let user: String?
  /// The column of the time.
  package let timestamp: String
  /// The form of the times, or `nil` if they need none.
  package private(set) var timeForm: TimeForm?
  /// The forms among which the user has to choose, because all times have each of them. Empty if there is no choice.
  package private(set) var possibleForms: [TimeForm]
  /// The values of ``timestamp`` that no event may have.
  private(set) var unfitTimes = UnfitTimes()
  /// The column of the event name.
  package let name: String
  /// The column with the time of day, if it is apart from the date, or `nil`.
  let timeOfDay: String?
  /// Whether each subject has one record, with times in several columns.
  private(set) var isWide: Bool
  /// The rows of things with their present states, or `nil` if the records are no such table.
  private(set) var stateTable: StateTable?
  /// The column that would name the events if its values were not technical, or `nil` if there is none.
  let technicalNames: TechnicalNames?
  /// The column that would be ``subject`` if its values were not organisations, or `nil` if there is none.
  let tenants: TenantSubject?
  /// The records that a column marks as deleted or the like, or `nil` if there are none.
  let voided: VoidedRecords?
  /// The column with the flows of the records, or `nil` if these are of one flow.
  let flows: SeparateFlows?
  /// The subjects of the records that were examined, as long as each has one record.
  private var singleSubjects: Set<String> = []
  /// The first name among the records that were examined.
  private var firstName: String?
  /// The number of records from which a table with one record for each subject is not one of events.
  private static let wideRecordsMin = 3
  /// The columns that have times too, whether or not these need a form.
  let otherTimes: [String]
  /// The columns that are not the time because all records of a subject have the same one.
  let constantTimes: [String]
  /// Whether all records of a subject have the same time.
  let hasConstantTimes: Bool
  /// The columns that may name events too.
  let otherNames: NameCandidates
  /// The columns that may identify people too, those with the most values first.
  let otherSubjects: [SubjectCandidate]
  /// The column of cases beside users, or `nil` if there is none.
  let cases: CaseColumn?
  /// Whether the user has named the column of the subject.
  let isSubjectGiven: Bool
  /// Whether the user has named the column of the time.
  let isTimestampGiven: Bool
  /// The number of records by which the columns are inferred.
  let sampleCount: Int
  /// The number of distinct values of ``subject`` in the records by which the columns are inferred.
  let subjectCount: Int
  /// The number of values of ``subject`` that are another value with blanks around it, or with `.0` at its end.
  let lookalikeSubjects: Int
  /// The number of values of ``subject`` that a spreadsheet has rounded, such as `1.23457E+12`.
  let roundedSubjects: Int
  /// Whether the times are days, without a time of day.
  let areDays: Bool
  /// The field whose new values are the events, or `nil` if the records are no changes of fields.
  private(set) var field: ChosenField?
  /// The records without a person in ``subject``.
  private(set) var absentSubjects = AbsentSubjects()
  /// The names of events of which no record has a subject.
  private(set) var subjectlessNames = SubjectlessNames()
  /// The columns that have the IDs of the subject in records of such names, by the name.
  let otherSubjectColumns: [String: String]
  /// The action that happens to several kinds of things, or `nil` if there is none.
  let actionObjects: ActionObjects?
  /// Whether the device and the account are those of PostHog's events, whose rules for accounts and links apply.
  let isOfPostHog: Bool
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

  /// Infers the roles of columns from their names and the values of some records.
  ///
  /// - Parameters:
  ///   - columns: The names of the columns.
  ///   - all: The values of each record by column. A column without a value has no entry.
  ///   - options: The columns whose roles are given.
  ///   - privacy: The rules that define personal data.
  /// - Throws: The role for which no column has fitting values.
  init(
    _ columns: [String], records all: [[String: String]], given options: GivenColumns, privacy: PrivacyRules
  ) throws(Problem) {
    // A name is neither a time nor a number.
    guard !columns.contains(where: { ImportedTime.isTime($0) || Double($0) != nil || UUID(uuidString: $0) != nil }) else {
      throw .noHeader
    }
    try Self.checkNames(columns, all)
    let input = try Self.events(of: Input(columns: columns, records: all, given: options), privacy: privacy)
    let records = input.records
    let given = input.given
    field = input.field
    var candidates = ColumnCandidates(input.columns, records: records, privacy: privacy)
    for column in [given.subject, given.timestamp, given.name].compactMap(\.self) { candidates.remove(column) }
    let roles = try Self.roles(from: &candidates, records, given)
    let timestamp = roles.timestamp
    let times = roles.times
    let name = roles.name
    let postHog = ImportPlan.columnsOfPostHog
    isOfPostHog = given.subject == nil && roles.subject == postHog.account && candidates.has(postHog.device)
    let subject = isOfPostHog ? postHog.device : roles.subject
    if isOfPostHog { for column in postHog.all { candidates.remove(column) } }
    id = roles.id
    constantTimes = roles.constantTimes
    cases = roles.cases
    isSubjectGiven = given.subject != nil
    isTimestampGiven = given.timestamp != nil
    sampleCount = records.count
    user =
      isOfPostHog
      ? postHog.account
      : roles.account
        ?? (Self.isDevice(subject) ? candidates.take(exactly: ColumnWords.accounts, where: ColumnCandidates.mayBeAccount) : nil)
    let likeSubjects = candidates.remaining.filter { Self.isLikeSubject($0.name) && ColumnCandidates.mayBeSubject($0.values) }
    let subjects = records.compactMap { $0[subject] }
    let distinctSubjects = Set(subjects)
    subjectCount = distinctSubjects.count
    lookalikeSubjects = distinctSubjects.count - Set(distinctSubjects.map(Self.plainID)).count
    roundedSubjects = subjects.count { $0.wholeMatch(of: /\d([.,]\d+)?[Ee]\+\d+/) != nil }
    let people = candidates.remaining.filter {
      (input.field == nil || !ColumnWords.changers.contains(ColumnCandidates.folded($0.name)))
        && $0.name != roles.tenants?.column
    }
    otherSubjects = SubjectCandidate.all(in: people, likeSubjects: likeSubjects.map(\.name))
    areDays = Self.areDays(records.compactMap { $0[timestamp] }, form: times.forms.first)
    timeOfDay = areDays ? Self.timeOfDay(in: candidates) : nil
    let otherTimes = Self.times(in: candidates, records)
    self.otherTimes = otherTimes
    isWide = Self.isWide(subjects, otherTimes: otherTimes)
    technicalNames = roles.technicalNames
    tenants = roles.tenants
    flows = SeparateFlows(candidates.remaining, name: name, of: subject, records)
    voided = VoidedRecords(in: candidates.remaining.map(\.name), records)
    stateTable = StateTable(
      roles, isNameGiven: given.name != nil, times: [timestamp] + otherTimes, beside: candidates.remaining, records)
    let noNames = Set(
      likeSubjects.map(\.name) + otherTimes + [input.field?.changes.oldValues, roles.technicalNames?.column].compactMap(\.self))
    otherNames = NameCandidates(
      candidates.remaining.filter { !noNames.contains($0.name) }, beside: name, of: subject, records)
    actionObjects = ActionObjects(candidates.remaining, beside: name, records)
    otherSubjectColumns = SubjectlessNames.otherColumns(
      candidates.remaining.filter { $0.values.personal == nil }.map(\.name), name: name, subject: subject, records)
    let variation = TimeVariation(of: timestamp, subject: subject, in: records)
    hasConstantTimes = variation.isConstant && variation.subjectCount > 1
    self.timestamp = timestamp
    self.name = name
    self.subject = subject
    switch times {
    case .plain: (timeForm, possibleForms) = (nil, [])
    case .form(let form): (timeForm, possibleForms) = (form, [])
    case .ambiguous(let forms): (timeForm, possibleForms) = (nil, forms)
    }
    let columnsOfProps = candidates.remaining.filter { $0.values.personal == nil && $0.values.count > 0 }.map(\.name)
    // The key of the property may be personal even if the name of the column is not, as in `properties.$ip`.
    let personalKeys = zip(columnsOfProps, Self.keys(of: columnsOfProps)).compactMap { column, key in
      privacy.finding(inColumn: key).map { PersonalColumn(name: column, finding: $0) }
    }
    props = columnsOfProps.filter { column in !personalKeys.contains { $0.name == column } }
    personal =
      candidates.remaining.compactMap { column in
        column.values.personal.map { PersonalColumn(name: column.name, finding: $0) }
      } + personalKeys
    subjectFinding = records.lazy.compactMap { $0[subject].flatMap(privacy.finding(inCell:)) }.first
    let form = timeForm ?? possibleForms.first
    needsZone = records.contains { $0[timestamp].map { ImportedTime.lacksZone($0, form: form) } ?? false }
  }

  /// Throws the problem of names that are no columns of a table.
  private static func checkNames(_ columns: [String], _ records: [[String: String]]) throws(Problem) {
    var names: Set<String> = []
    for name in columns where !names.insert(name).inserted { throw .sameName(name) }
    if columns.count == 1 {
      if isQuotedLine(columns[0], records.compactMap { $0[columns[0]] }) { throw .quotedLines(columns[0]) }
      throw .title(columns[0])
    }
    let first = columns.filter { $0.hasSuffix(".0") }.count
    if records.count == 1, first > 1, columns.filter({ $0.hasSuffix(".1") }).count == first { throw .columnsOfRecords }
  }

  /// Whether the only name has a separator of cells, and so have all values.
  private static func isQuotedLine(_ name: String, _ values: [String]) -> Bool {
    [",", ";", "\t", "|"].contains { separator in
      name.contains(separator) && !values.isEmpty && values.allSatisfy { $0.contains(separator) }
    }
  }

  /// Returns the problem of a table with a row for each subject and a column for each step, or `nil` if it is none.
  static func wideProblem(
    _ candidates: ColumnCandidates, timestamp: String, _ records: [[String: String]], _ given: GivenColumns
  ) -> Problem? {
    var others = candidates
    guard let subject = given.subject ?? takeSubject(from: &others) else { return nil }
    let otherTimes = times(in: others, records)
    let handled = otherTimes.filter { name in ColumnWords.handling.contains { name.lowercased().contains($0) } }
    // Without names of events, a start and an end are enough. When a record was updated is no end.
    guard otherTimes.count >= wideTimesMin || handled.count < otherTimes.count,
      haveOneRecord(records.compactMap { $0[subject] })
    else { return nil }
    return .wide(subject: subject, times: [timestamp] + otherTimes)
  }

  /// Whether each subject has one record, with times in several columns.
  private static func isWide(_ subjects: [String], otherTimes: [String]) -> Bool {
    haveOneRecord(subjects) && otherTimes.count >= wideTimesMin
  }

  /// Whether there are several subjects, and each has one record.
  private static func haveOneRecord(_ subjects: [String]) -> Bool {
    subjects.count >= wideRecordsMin && Set(subjects).count == subjects.count
  }

  /// The number of further columns with times that a table with a row for each person has at least.
  private static let wideTimesMin = 2

  /// Whether times are days, without a time of day.
  static func areDays(_ times: [String], form: TimeForm?) -> Bool {
    switch form {
    case .pattern(let pattern): return !pattern.text.lowercased().contains("h")
    case .spreadsheetDays: return times.allSatisfy { Int($0) != nil }
    case nil: return !times.isEmpty && times.allSatisfy { $0.wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil }
    }
  }

  /// Returns the column with the time of day, or `nil` if there is none.
  static func timeOfDay(in candidates: ColumnCandidates) -> String? {
    let sure = candidates.remaining.first { $0.values.areTimesOfDay }
    // A number is a time of day only if the column is named so.
    let likely = candidates.remaining.first { column in
      let folded = column.name.lowercased()
      return column.values.mayBeTimesOfDay && ColumnWords.partsOfTimes.contains { folded.contains($0) }
    }
    return (sure ?? likely)?.name
  }

  /// Examines one of all records: moves columns with personal data to the left-out ones, and chooses among the possible forms of
  /// times.
  ///
  /// - Returns: Whether the record is an event. A change of another field than the chosen one is none.
  mutating func examine(_ record: [String: String], privacy: PrivacyRules) -> Bool {
    if field?.keeps(record) == false { return false }
    if let time = record[timestamp] { examine(time: time) }
    let person = record[subject] ?? user.flatMap { record[$0] }
    absentSubjects.examine(person)
    subjectlessNames.examine(name: record[name], hasSubject: person != nil)
    leaveOutPersonal(of: record, privacy: privacy)
    if isWide { isWide = remainsWide(with: record) }
    if stateTable?.examine(record) == false { stateTable = nil }
    return true
  }

  /// Returns whether the records still are rows of people after one more: its subject has no other record, and a column that is
  /// surely one of events has one name.
  private mutating func remainsWide(with record: [String: String]) -> Bool {
    if let subject = record[subject], singleSubjects.count < Self.singleSubjectsMax {
      guard singleSubjects.insert(subject).inserted else { return false }
    }
    guard ColumnWords.sureNames.contains(ColumnCandidates.folded(name)), let name = record[name] else { return true }
    if firstName == nil { firstName = name }
    return name == firstName
  }

  /// The number of subjects that are kept to find one with several records.
  private static let singleSubjectsMax = 1 << 20

  private mutating func examine(time: String) {
    guard !possibleForms.isEmpty else {
      if !ImportedTime.isTime(time, form: timeForm) { unfitTimes.examine(time, form: timeForm) }
      return
    }
    let fitting = possibleForms.filter { ImportedTime.isTime(time, form: $0) }
    switch fitting.count {
    case 0: unfitTimes.examine(time, form: possibleForms.first)
    case possibleForms.count: break
    default:
      timeForm = fitting[0]
      possibleForms = []
    }
  }

  /// Moves the columns with personal data in a record from the properties to the left-out columns.
  private mutating func leaveOutPersonal(of record: [String: String], privacy: PrivacyRules) {
    for column in props {
      guard let finding = record[column].flatMap(privacy.finding(inCell:)) else { continue }
      props.removeAll { $0 == column }
      personal.append(PersonalColumn(name: column, finding: finding))
    }
  }

  /// Returns an ID without blanks around it, and without the `.0` that a spreadsheet or a data frame adds to a number.
  private static func plainID(_ id: String) -> String {
    let trimmed = id.trimmingCharacters(in: .whitespaces)
    guard trimmed.hasSuffix(".0"), case let number = trimmed.dropLast(2), !number.isEmpty, number.allSatisfy(\.isNumber) else {
      return trimmed
    }
    return String(number)
  }

  /// Whether the name of a column says that its values are those of devices, not of accounts.
  private static func isDevice(_ column: String) -> Bool { ColumnWords.devices.contains(ColumnCandidates.folded(column)) }

  /// Whether the name of a column suggests that it is the subject.
  package static func isLikeSubject(_ column: String) -> Bool {
    let folded = ColumnCandidates.folded(column)
    return ColumnWords.subjects.contains(folded)
      || (ColumnWords.partsOfSubjects + ColumnWords.partsOfAccounts).contains { folded.contains($0) }
  }
}
