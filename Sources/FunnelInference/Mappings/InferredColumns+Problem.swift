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
    /// Some times of a column are before the first that an event may have, or after the last.
    case impossibleTimes(String, early: Int, late: Int, of: Int)
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
    /// The keys of the only record are columns, each with the values of all records.
    case columnsOfRecords

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
          "a table with a row for each person has to become one with a row for each event"
        )
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
