import FunnelModel

// The columns of the roles that a mapping needs.
extension InferredColumns {
  /// The columns of the roles.
  struct Roles {
    var timestamp: String
    var times: InferredTimes
    var id: String?
    var name: String
    var subject: String
    /// The columns that were rejected as the time because all records of a subject have the same one.
    var constantTimes: [String] = []
  }

  /// Returns the columns of the roles, and removes them from the candidates.
  ///
  /// - Throws: The role for which no column has fitting values.
  static func roles(
    from candidates: inout ColumnCandidates, _ records: [[String: String]], _ given: GivenColumns
  ) throws(Problem) -> Roles {
    let all = candidates
    let roles = try takeRoles(from: &candidates, records, given, constantTimes: [])
    let isConstant = { (column: String) in TimeVariation(of: column, subject: roles.subject, in: records).isConstant }
    guard given.timestamp == nil, isConstant(roles.timestamp) else { return roles }
    // Which column is the time can only be judged after the subject is known.
    let constant = [roles.timestamp] + times(in: candidates, records).filter(isConstant)
    var others = all
    guard let better = try? takeRoles(from: &others, records, given, constantTimes: constant),
      better.name == roles.name, better.subject == roles.subject, !isOtherTime(better.timestamp)
    else { return roles }
    candidates = others
    return better
  }

  /// Removes the columns of the roles, and returns them.
  private static func takeRoles(
    from candidates: inout ColumnCandidates, _ records: [[String: String]], _ given: GivenColumns, constantTimes: [String]
  ) throws(Problem) -> Roles {
    var problems: [Problem] = []
    var time: (column: String, times: InferredTimes)?
    do throws(Problem) {
      time = try Self.time(given, from: &candidates, records, besides: constantTimes)
    } catch {
      problems.append(error)
    }
    let id = candidates.take(named: ColumnWords.ids) { ColumnCandidates.mayBeID($0, of: records.count) }
    let name = given.name ?? takeName(from: &candidates)
    if name == nil {
      if let time, let wide = wideProblem(candidates, timestamp: time.column, records, given) { throw wide }
      problems.append(.noName)
    }
    let subject = given.subject ?? takeSubject(from: &candidates, ofChanges: given.field != nil)
    if subject == nil { problems.append(.noSubject) }
    guard let time, let name, let subject else { throw .all(problems) }
    return Roles(
      timestamp: time.column, times: time.times, id: id, name: name, subject: subject, constantTimes: constantTimes)
  }

  /// Returns the problems of the roles, or an empty array if each has a column.
  static func roleProblems(of input: Input, privacy: PrivacyRules) -> [Problem] {
    var candidates = ColumnCandidates(input.columns, records: input.records, privacy: privacy)
    for column in [input.given.subject, input.given.timestamp, input.given.name].compactMap(\.self) {
      candidates.remove(column)
    }
    do throws(Problem) {
      _ = try takeRoles(from: &candidates, input.records, input.given, constantTimes: [])
      return []
    } catch {
      if case .several(let problems) = error { return problems }
      return [error]
    }
  }

  /// Removes the column of the event names.
  private static func takeName(from candidates: inout ColumnCandidates) -> String? {
    // A sentence among the values of `Event name` is the name of an event.
    for word in ColumnWords.names {
      let isSure = ColumnWords.sureNames.contains(word)
      let isFitting = isSure ? ColumnCandidates.haveSeveralLongNames : ColumnCandidates.haveSeveralNames
      if let column = candidates.take(exactly: [word], where: isFitting) { return column }
    }
    // Numbers and a constant are names only if no column has several texts.
    for isFitting in [ColumnCandidates.haveSeveralNames, ColumnCandidates.mayBeName] {
      if let column = candidates.take(exactly: ColumnWords.names, where: isFitting)
        ?? candidates.take(
          words: ColumnWords.wordsOfNames, where: isFitting, among: { !$0.lowercased().hasSuffix("id") })
        ?? candidates.take(exactly: ColumnWords.states, where: isFitting)
      {
        return column
      }
    }
    return nil
  }

  /// Removes the column of the subjects.
  ///
  /// - Parameter ofChanges: Whether the records are changes of fields, whose users are those who made them.
  static func takeSubject(from candidates: inout ColumnCandidates, ofChanges: Bool = false) -> String? {
    if ofChanges, let column = takeChanged(from: &candidates) { return column }
    // A ticket's subject is its title.
    let hasTitle = candidates.remaining.contains { column in
      ColumnWords.cases.contains(ColumnCandidates.folded(column.name)) && ColumnCandidates.mayBeCase(column.values)
    }
    let isWanted = { (column: String) in !hasTitle || !titles.contains(ColumnCandidates.folded(column)) }
    // A column with the name of an ID is the likely subject even if its values are e-mail addresses.
    for needsPrivacy in [true, false] {
      let isFitting = { (values: ColumnCandidates.Values) in
        ColumnCandidates.mayBeSubject(values) && (!needsPrivacy || values.personal == nil)
      }
      let isCase = { (values: ColumnCandidates.Values) in isFitting(values) && ColumnCandidates.mayBeCase(values) }
      if let column = candidates.take(exactly: ColumnWords.subjects, where: isFitting, among: isWanted)
        ?? candidates.take(named: ColumnWords.partsOfSubjects, where: isFitting, among: isWanted)
        ?? candidates.take(exactly: ColumnWords.cases, where: isCase)
        ?? candidates.take(named: ColumnWords.partsOfAccounts, where: isFitting)
      {
        return column
      }
    }
    // A key of an object within the record, such as `data.object.customer`.
    return candidates.take(lastKey: ColumnWords.subjects) { ColumnCandidates.mayBeSubject($0) && $0.personal == nil }
  }

  /// The names of columns that are titles beside the ID of a case.
  private static let titles: Set<String> = ["subject", "mailsubject", "emailsubject", "ticketsubject"]
}
