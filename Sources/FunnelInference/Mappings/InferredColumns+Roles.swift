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
    /// The column of the accounts if ``subject`` is another ID because many records have no account, otherwise `nil`.
    var account: String?
    /// The column of cases beside users, or `nil` if there is none.
    var cases: CaseColumn?
    /// The columns that were rejected as the time because all records of a subject have the same one.
    var constantTimes: [String] = []
    /// The column that would name the events if its values were not technical, or `nil` if there is none.
    var technicalNames: TechnicalNames?
    /// The column that would be ``subject`` if its values were not organisations, or `nil` if there is none.
    var tenants: TenantSubject?
  }

  /// Returns the columns of the roles, and removes them from the candidates.
  ///
  /// - Throws: The role for which no column has fitting values.
  static func roles(
    from candidates: inout ColumnCandidates, _ records: [[String: String]], _ given: GivenColumns
  ) throws(Problem) -> Roles {
    var all = candidates
    var given = given
    let roles = try takeRoles(from: &candidates, &all, records, &given)
    let isConstant = { (column: String) in TimeVariation(of: column, subject: roles.subject, in: records).isConstant }
    guard given.timestamp == nil, isConstant(roles.timestamp) else { return roles }
    // Which column is the time can only be judged after the subject is known.
    let constant = [roles.timestamp] + times(in: candidates, records).filter(isConstant)
    var others = all
    guard var better = try? takeRoles(from: &others, records, given, constantTimes: constant),
      better.name == roles.name, better.subject == roles.subject, !isOtherTime(better.timestamp)
    else { return roles }
    better.technicalNames = roles.technicalNames
    better.tenants = roles.tenants
    candidates = others
    return better
  }

  /// Removes the columns of the roles, and returns them. A column with technical names, or with organisations, is replaced by the one
  /// that says what happened, or who did it.
  ///
  /// - Parameters:
  ///   - all: The candidates before any is removed. The replacements are removed from them.
  ///   - given: The columns whose roles are given. The replacements are added to them.
  private static func takeRoles(
    from candidates: inout ColumnCandidates, _ all: inout ColumnCandidates, _ records: [[String: String]],
    _ given: inout GivenColumns
  ) throws(Problem) -> Roles {
    var roles = try takeRoles(from: &candidates, records, given, constantTimes: [])
    func replaceRole(by column: String) throws(Problem) {
      all.remove(column)
      candidates = all
      roles = try takeRoles(from: &candidates, records, given, constantTimes: [])
    }
    let technicalNames =
      given.name == nil ? TechnicalNames(roles.name, of: roles.subject, beside: candidates.remaining, records) : nil
    if let name = technicalNames?.replacement {
      given.name = name
      try replaceRole(by: name)
    }
    let tenants =
      given.subject == nil ? TenantSubject(roles.subject, name: roles.name, beside: candidates.remaining, records) : nil
    if let subject = tenants?.replacement {
      given.subject = subject
      try replaceRole(by: subject)
    }
    roles.technicalNames = technicalNames
    roles.tenants = tenants
    return roles
  }

  /// Removes the columns of the roles, and returns them.
  private static func takeRoles(
    from candidates: inout ColumnCandidates, _ records: [[String: String]], _ given: GivenColumns, constantTimes: [String]
  ) throws(Problem) -> Roles {
    let columns = candidates
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
    let withSubject = candidates
    let subject = given.subject ?? takeSubject(from: &candidates, ofChanges: given.field != nil)
    if subject == nil { problems.append(.noSubject) }
    guard let time, let name, let subject else {
      if let time, given.name == nil, given.subject == nil,
        let table = StateTable(
          of: columns.remaining, times: [time.column] + times(in: candidates, records), records)
      {
        throw .states(table)
      }
      if let time, given.timestamp == nil, let apart = apartProblem(time.column, time.times, candidates, records) {
        problems.append(apart)
      }
      throw .all(problems)
    }
    var roles = Roles(
      timestamp: time.column, times: time.times, id: id, name: name, subject: subject, constantTimes: constantTimes)
    if given.subject == nil, let wholeID = takeWholeID(from: &candidates, insteadOf: subject, records) {
      roles.subject = wholeID
      roles.account = subject
    } else if given.subject == nil, given.field == nil {
      roles.cases = CaseColumn.first(
        in: candidates.remaining, beside: subject, (name, time.column, time.times.forms.first), records)
    }
    if let cases = roles.cases, cases.isSure {
      roles.subject = cases.candidate.column
      candidates = withSubject
      candidates.remove(roles.subject)
    }
    return roles
  }

  /// The share of the records without an account from which an ID that all records have is the subject in its place.
  private static let accountlessShareMin = 0.1

  /// Removes the column with an ID that each record has, and that belongs to one account at most, if many records have no account.
  ///
  /// - Parameter account: The column that is the subject if there is no such ID.
  private static func takeWholeID(
    from candidates: inout ColumnCandidates, insteadOf account: String, _ records: [[String: String]]
  ) -> String? {
    let folded = ColumnCandidates.folded(account)
    let missingCount = records.count { $0[account] == nil }
    guard ColumnWords.accounts.contains(where: folded.contains),
      Double(missingCount) >= accountlessShareMin * Double(records.count)
    else { return nil }
    return candidates.takeFirst(
      where: { $0.personal == nil && $0.count == records.count && ColumnCandidates.mayBeCase($0) },
      among: { column in
        let name = ColumnCandidates.folded(column)
        // A person has several sessions and cases.
        guard !name.contains("session"), !ColumnWords.cases.contains(name),
          ColumnWords.endsOfIDs.contains(where: name.hasSuffix)
        else { return false }
        return hasOneAccount(account, forEach: column, records)
      })
  }

  /// Returns whether each value of a column has at most one account, and some have one.
  private static func hasOneAccount(_ account: String, forEach column: String, _ records: [[String: String]]) -> Bool {
    var accounts: [String: String] = [:]
    for record in records {
      guard let id = record[column], let account = record[account] else { continue }
      if accounts.updateValue(account, forKey: id) ?? account != account { return false }
    }
    return !accounts.isEmpty
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
          words: ColumnWords.wordsOfNames, where: isFitting,
          among: { column in
            let folded = ColumnCandidates.folded(column)
            return !folded.hasSuffix("id") && !ColumnWords.partsOfContexts.contains(where: folded.contains)
          })
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
