import FunnelImport
import FunnelModel

// The draft of a mapping: its columns, what the user has to decide, and the evidence.
extension InferredColumns {
  /// The roles as a mapping of a format.
  ///
  /// - Parameter format: CSV, whose columns are names, or JSON, whose keys have dots between them.
  func mapping(_ format: ImportFormat) -> ImportMapping {
    func path(_ column: String) -> ImportedPath { ImportedPath(column: column) }
    var mapping = ImportMapping(source: "")
    mapping.format = format
    // A record without a device, such as a server's, belongs to its account.
    mapping.subject = ([subject] + (user.map { [$0] } ?? [])).map(path)
    // The rules of PostHog apply where the mapping names no user: a `distinct_id` that is the device's is no account.
    mapping.user = isOfPostHog ? nil : user.map { [path($0)] }
    mapping.timestamp = [path(timestamp)]
    mapping.timeForm = timeForm
    mapping.name = [path(name)]
    mapping.id = id.map { [path($0)] } ?? []
    mapping.props = zip(Self.keys(of: props), props).map { MappedMember(key: $0, path: path($1)) }
    return mapping
  }

  /// The keys under which products write the properties of an event.
  private static let containers: Set<String> = [
    "properties", "props", "params", "parameters", "attributes", "attrs", "data", "payload", "details", "metadata", "meta",
    "extra",
    "eventproperties", "eventparams", "eventdata", "context", "body",
  ]

  /// Returns the keys of properties: `plan` for `properties.plan`, unless another column has the same key.
  static func keys(of columns: [String]) -> [String] {
    let short = columns.map { column -> String in
      guard let dot = column.firstIndex(of: "."), containers.contains(ColumnCandidates.folded(String(column[..<dot]))) else {
        return column
      }
      return String(column[column.index(after: dot)...])
    }
    let counts = Dictionary(grouping: short) { $0 }.mapValues(\.count)
    return zip(short, columns).map { counts[$0] == 1 && !$0.isEmpty ? $0 : $1 }
  }

  /// The number of times that a case has more values than an account.
  private static let casesOfAccountMin = 2

  /// The column whose IDs may be the subjects instead, or `nil` if there is none: cases that users handle, or that belong to accounts
  /// such as `FromAccountId`. The user has to choose.
  private var possibleCases: SubjectCandidate? {
    if let cases { return cases.isSure ? nil : cases.candidate }
    guard !isSubjectGiven,
      ColumnWords.partsOfAccounts.contains(where: { part in
        let folded = ColumnCandidates.folded(subject)
        return folded != part && folded.contains(part)
      })
    else { return nil }
    return otherSubjects.first { $0.idCount >= Self.casesOfAccountMin * subjectCount }
  }

  /// The decisions that the columns need from the user, each as a clause.
  var decisions: [String] {
    var decisions: [String] = []
    if let first = possibleForms.first, let second = possibleForms.last {
      decisions.append(
        "the times in \(timestamp) are \(first.text) or \(second.text), and no value tells which: keep one of the two in the line \"ts\""
      )
    }
    if let timeOfDay, !isTimestampGiven {
      let (clause, solution) = Problem.apart(timestamp, timeOfDay: timeOfDay).text
      decisions.append("\(clause): \(solution)")
    }
    if roundedSubjects > 0 {
      decisions.append(
        "\(Quantity.count(roundedSubjects)) values of \(subject) are rounded numbers such as 1.23457E+12, as spreadsheets write long ones, so several people have become one: export the column as text"
      )
    }
    // Organisations have a decision of their own, with the same columns.
    if tenants?.decision == nil, let other = possibleCases {
      decisions.append(
        "the records are of \(subjectText) or of \(other.text), which are many more: name the one that goes through the steps with --subject"
      )
    }
    decisions += subjectlessNames.names.filter { subjectlessNames.isFrequent($0) && otherSubjectColumns[$0.name] != nil }
      .map(sentence(subjectless:))
    decisions += [technicalNames?.decision, tenants?.decision].compactMap(\.self)
    if let stateTable {
      decisions.append(stateTable.decision)
    } else if isWide {
      let (clause, solution) = Problem.wide(subject: subject, times: [timestamp] + otherTimes).text
      decisions.append("\(clause): \(solution)")
    }
    return decisions
  }

  /// The subject and the number of its IDs: `case_id (140 ids)`.
  private var subjectText: String {
    let sample = absentSubjects.recordCount > sampleCount ? " in the first \(Quantity.count(sampleCount)) records" : ""
    return "\(subject) (\(Quantity.count(subjectCount)) ids\(sample))"
  }

  /// The number of names without a subject that are told.
  private static let subjectlessShownMax = 3

  /// Returns the sentence on a name of which no record has a subject.
  private func sentence(subjectless name: SubjectlessNames.Name) -> String {
    let all = "all \(Quantity.count(name.count)) \(name.name) have no \(subject), and are rejected"
    guard let other = otherSubjectColumns[name.name] else { return "\(all); null in the mapping leaves them out" }
    return
      "\(all): a list of paths takes the next one, as in \"subject\": [\(subject.quoted), \(other.quoted)]"
  }

  /// Sentences about the evidence for each role.
  var evidence: [String] {
    var lines = [
      "columns: subject is \(subject)\(user.map { ", user (the account) is \($0)" } ?? ""), ts is \(timestamp), name is \(name)\(id.map { ", id is \($0)" } ?? "")"
        + (props.isEmpty ? "" : "; the others become properties: \(props.joined(separator: ", "))")
    ]
    if let field { lines += field.sentences(subject: subject) }
    lines += [technicalNames?.sentence, tenants?.sentence, flows?.sentence, voided?.sentence].compactMap(\.self)
    if let sentence = otherNames.sentence { lines.append(sentence) }
    if let actionObjects { lines.append(actionObjects.sentence) }
    if let first = otherSubjects.first {
      lines.append(
        "subject: \(subjectText); \(otherSubjects.map(\.text).joined(separator: ", ")) would do too: --subject \(first.column)"
      )
    }
    if let cases, cases.isSure { lines.append(cases.sentence) }
    if lookalikeSubjects > 0 {
      lines.append(
        lookalikeSubjects == 1
          ? "subject: 1 value of \(subject) is another one with blanks around it or .0 at its end, and counts as another person: make them one in the input"
          : "subject: \(Quantity.count(lookalikeSubjects)) values of \(subject) are others with blanks around them or .0 at their ends, and count as other people: make them one in the input"
      )
    }
    lines += absentSubjects.sentences(subject, others: otherSubjects.map(\.column))
    lines += subjectlessNames.names.filter { !subjectlessNames.isFrequent($0) || otherSubjectColumns[$0.name] == nil }
      .prefix(Self.subjectlessShownMax).map(sentence(subjectless:))
    if areDays, timeOfDay == nil || isTimestampGiven {
      lines.append(
        "times in \(timestamp) are days: the events of a person on one day keep the order of the records, so the records must be in the order in which things happened"
      )
    }
    if !constantTimes.isEmpty {
      lines.append(
        "ts: \(constantTimes.joined(separator: ", ")) \(constantTimes.count == 1 ? "is" : "are") the same in all records of each \(subject), so \(timestamp) is chosen"
      )
    }
    if hasConstantTimes, !areDays {
      lines.append(
        "times in \(timestamp) are the same in all records of each \(subject): the events keep the order of the records, and no time passes between them"
      )
    }
    if let timeForm { lines.append("times in \(timestamp) have the form \(timeForm.text)") }
    if !otherTimes.isEmpty {
      lines.append(
        "\(otherTimes.joined(separator: ", ")) \(otherTimes.count == 1 ? "has" : "have") times too; --ts chooses another column"
      )
    }
    lines += unfitTimes.sentences(timestamp)
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
