import FunnelModel

// The reasons why no mapping can be inferred.
extension InferredColumns {
  /// The reason why the columns of a table could not be assigned to their roles.
  enum Problem: Error, Hashable {
    case noTime, noName, noSubject
    /// There is no column of a name that was given with an option.
    case noColumn(String, option: String)
    /// The values of the column that was given with `--ts` are not times.
    case notTimes(String)
    /// None of the values of a column has the form that the mapping names.
    case unreadForm(String, TimeForm, of: [String])
    /// Some times of a column are before the first that an event may have, or after the last.
    case impossibleTimes(String, early: Int, late: Int, of: Int)
    /// The values of a column are likely times, but of no known form.
    case unknownForm(String, of: [String])
    /// The dates and the times of day are in two columns.
    case apart(String, timeOfDay: String)
    /// The first record has values, not the names of columns.
    case noHeader
    /// Two columns have the same name, so no record can be read.
    case sameName(String)
    /// The first line is a title, not the names of columns.
    case title(String)
    /// Each line is one quoted cell, so the names of the columns are one text.
    case quotedLines(String)
    /// Each subject has one record with the times of all steps in columns.
    case wide(subject: String, times: [String])
    /// Each ticket, deal or order has one record with its present state.
    case states(StateTable)
    /// The records are changes of several fields, and which of them has the events is not known.
    case severalFields(FieldChanges)
    /// There is no field of the name that was given with `--field`.
    case noField(String, FieldChanges)
    /// The records are not changes of fields, though one was given with `--field`.
    case noFieldChanges(String)
    /// The new values of a field are not states, but amounts, texts or times.
    case noStates(String, FieldChanges)
    /// Several problems that do not depend on one another, at least two.
    indirect case several([Problem])
    /// The keys of the only record are columns, each with the values of all records.
    case columnsOfRecords

    /// Returns one problem, or several as one.
    ///
    /// - Precondition: There is at least one.
    static func all(_ problems: [Problem]) -> Problem {
      precondition(!problems.isEmpty, "a refusal has a problem")
      return problems.count == 1 ? problems[0] : .several(problems)
    }

    /// Whether the problem is another one, or one of several.
    func includes(_ problem: Problem) -> Bool {
      if case .several(let problems) = self { return problems.contains(problem) }
      return self == problem
    }

    /// The problem as a clause, and what solves it.
    var text: (clause: String, solution: String) {
      switch self {
      case .noTime: ("no column has the times of events", "name one with --ts")
      case .noName: ("no column has the names of events", "name one with --name")
      case .noSubject: ("no column identifies people", "name one with --subject")
      case .noColumn(let name, let option): ("there is no column \(name), given with \(option)", "name one of them")
      case .notTimes(let name):
        (
          "the values of \(name), given with --ts, are not times of a known form",
          #"write a mapping with their form, such as "ts": {"path": "\#(name)", "format": "dd.MM.yyyy HH:mm"}, and give it with --map"#
        )
      case .unreadForm(let name, let form, let values):
        (
          "0 of \(Quantity.count(values.count)) records have a time of the form \(form.text) in \(name)"
            + (values.first.map { ", the first is \($0.quoted)" } ?? ""),
          "correct the form in the mapping, or name another column in it or with --ts"
        )
      case .unknownForm(let name, let values):
        (
          "the values of \(name)\(values.first.map { ", such as \($0.quoted)," } ?? "") look like times of no known form",
          #"give the form with --map, as in {"ts": {"path": "\#(name)", "format": "dd.MM.yyyy HH:mm"}}"#
        )
      case .apart(let date, let timeOfDay):
        (
          "the times in \(date) are apart from the times of day in \(timeOfDay), and a mapping reads one column",
          "join the two in the input, or accept days without times with --ts \(date)"
        )
      case .impossibleTimes(let name, let early, 0, let all):
        (
          "\(Quantity.count(early)) of the \(Quantity.count(all)) times in \(name) are before 2007, and an event can't be",
          "add the same number of years to all of them in the input, or name another column with --ts"
        )
      case .impossibleTimes(let name, 0, let late, let all):
        (
          "\(Quantity.count(late)) of the \(Quantity.count(all)) times in \(name) are after 2099, and an event can't be",
          "correct them in the input, or remove their records, or name another column with --ts"
        )
      case .impossibleTimes(let name, let early, let late, let all):
        (
          "\(Quantity.count(early)) of the \(Quantity.count(all)) times in \(name) are before 2007 and \(Quantity.count(late)) after 2099, and an event can't be",
          "correct them in the input, or remove their records, or name another column with --ts"
        )
      case .sameName(let name):
        ("two columns are named \(name), so no record can be read", "rename one of them in the first line")
      case .title(let text):
        (
          "the first line, \(text.quoted), does not look like the names of columns",
          "remove the lines before the names"
        )
      case .quotedLines(let text):
        (
          "each line is one quoted cell, the first is \(text.quoted)",
          "remove the outer quotes of all lines"
        )
      case .wide(let subject, let times):
        (
          "each \(subject) has one record with times in \(times.joined(separator: ", "))",
          "a table with a row for each person has to become one with a row for each event, as by UNPIVOT in DuckDB"
        )
      case .states(let table): table.text
      case .severalFields(let changes):
        (
          "the records are changes of \(changes.counts.count) fields, which \(changes.fields) names: \(changes.list), and the new values in \(changes.newValues) are the events of one of them",
          "name the field that people or cases go through, such as \(changes.option)"
        )
      case .noField(let name, let changes):
        (
          "no record is a change of the field \(name), given with --field",
          "name one of the fields in \(changes.fields): \(changes.list)"
        )
      case .noFieldChanges(let name):
        (
          "the records are no changes of fields, so \(name), given with --field, names none",
          "a log of changes has a column such as field beside from and to, or beside new_value"
        )
      case .noStates(let name, let changes):
        (
          "the new values of \(name) in \(changes.newValues) are numbers, times or long texts, which name no events",
          "name another field with --field, or the column of the events with --name; the fields are: \(changes.list)"
        )
      case .several(let problems):
        (problems.map(\.text.clause).joined(separator: "; "), problems.map(\.text.solution).joined(separator: "; "))
      case .columnsOfRecords:
        (
          "the file has one object with the columns, not one for each record",
          "write one object for each record, with pandas: to_json(path, orient=\"records\", lines=True)"
        )
      case .noHeader: ("the first line has values, not the names of columns", "give the names with --header")
      }
    }
  }
}
