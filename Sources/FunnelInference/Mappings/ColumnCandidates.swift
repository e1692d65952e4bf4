import FunnelImport
import FunnelModel

/// The columns of a table, or the keys of JSON records, that have no inferred role yet, with the properties of their values.
struct ColumnCandidates {
  /// The properties of the values of a column.
  struct Values {
    /// The number of records with a value.
    var count = 0
    /// The number of distinct values.
    var distinct = 0
    /// Whether there are values and nearly all of them are times that need no form.
    var areTimes = false
    /// Whether there are values and nearly all of them are times of day without a date.
    var areTimesOfDay = false
    /// Whether there are values and nearly all of them are numbers that a time of day may be written as, such as 083000.
    var mayBeTimesOfDay = false
    /// Whether there are values and all of them are numbers.
    var areNumbers = false
    /// Whether a value is a sentence, an object or an array: something that neither names an event nor identifies a person.
    var hasProse = false
    /// Whether most of the distinct values are such texts.
    var areMostlyProse = false
    /// The reason, as a clause, why the name or a value of the column is personal data, or `nil` if it is not.
    var personal: String?

    /// Whether all values are distinct.
    var areUnique: Bool { distinct == count }
  }

  private var columns: [(name: String, values: Values)]
  /// The maximum length of a word that only matches a whole name.
  private static let shortWordMax = 2

  /// Examines the columns in some records.
  init(_ columns: [String], records: [[String: String]], privacy: PrivacyRules) {
    self.columns = columns.map { column in
      (column, Values(of: records.compactMap { $0[column] }, inColumn: column, privacy: privacy))
    }
  }

  /// The columns without an inferred role.
  var remaining: [(name: String, values: Values)] { columns }

  /// Removes a column whose name is one of several words and returns its name, or `nil` if there is none. Earlier words win.
  mutating func take(
    exactly words: [String], where isFitting: (Values) -> Bool, among isWanted: (String) -> Bool = { _ in true }
  )
    -> String?
  {
    take(words, isFitting, isWanted) { Self.folded($0) == $1 }
  }

  /// Removes a column whose name is one of several words, or else contains one, and returns its name, or `nil` if there is
  /// none. Earlier words win. Case and punctuation are ignored.
  mutating func take(named words: [String], where isFitting: (Values) -> Bool, among isWanted: (String) -> Bool = { _ in true })
    -> String?
  {
    take(words, isFitting, isWanted) { Self.folded($0) == $1 }
      // Short words such as `at` are contained in many names.
      ?? take(words.filter { $0.count > Self.shortWordMax }, isFitting, isWanted) { Self.folded($0).contains($1) }
  }

  /// Removes a column whose name has one of several words, or successive words that together are one, and returns its name, or `nil`
  /// if there is none. Earlier words win.
  mutating func take(
    words: [String], where isFitting: (Values) -> Bool, among isWanted: (String) -> Bool = { _ in true }
  ) -> String? {
    for word in words {
      let index = columns.firstIndex { column in
        Self.has(word: word, column.name) && isWanted(column.name) && isFitting(column.values)
      }
      if let index { return columns.remove(at: index).name }
    }
    return nil
  }

  /// Removes the key whose last part is one of several words and returns it, or `nil` if there is none. Earlier words win.
  mutating func take(lastKey words: [String], where isFitting: (Values) -> Bool) -> String? {
    take(words, isFitting, { $0.contains(".") }, matches: { Self.folded(String($0.split(separator: ".").last ?? "")) == $1 })
  }

  /// Whether successive words of a name, such as those of `eventName` or `event_name`, together are a word.
  static func has(word: String, _ name: String) -> Bool {
    let words = String(decoding: NameFolding.fold(Array(name.utf8).span), as: UTF8.self).split(separator: "_")
    return words.indices.contains { start in
      words.indices[start...].contains { words[start...$0].joined() == word }
    }
  }

  private mutating func take(
    _ words: [String], _ isFitting: (Values) -> Bool, _ isWanted: (String) -> Bool, matches: (String, String) -> Bool
  ) -> String? {
    for word in words {
      let index = columns.firstIndex { column in
        matches(column.name, word) && isWanted(column.name) && isFitting(column.values)
      }
      if let index { return columns.remove(at: index).name }
    }
    return nil
  }

  /// Removes the first column that satisfies predicates and returns its name, or `nil` if there is none.
  mutating func takeFirst(where isFitting: (Values) -> Bool, among isWanted: (String) -> Bool = { _ in true }) -> String? {
    columns.firstIndex { isWanted($0.name) && isFitting($0.values) }.map { columns.remove(at: $0).name }
  }

  /// Returns the name of the first wanted column that is a word, or contains it, or `nil` if there is none.
  func name(matching word: String, among isWanted: (String) -> Bool) -> String? {
    let wanted = columns.map(\.name).filter(isWanted)
    return wanted.first { Self.folded($0) == word }
      ?? (word.count > Self.shortWordMax ? wanted.first { Self.folded($0).contains(word) } : nil)
  }

  /// Returns whether a column has no role yet, and has values.
  func has(_ name: String) -> Bool { columns.contains { $0.name == name && $0.values.count > 0 } }

  /// Removes a column.
  mutating func remove(_ name: String) { columns.removeAll { $0.name == name } }

  /// Returns a name in lower case, without punctuation.
  static func folded(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }

  // MARK: The values of a role

  /// Whether values may be the times of events.
  static func mayBeTime(_ values: Values) -> Bool { values.areTimes }

  /// The number of distinct names that an app logs at most, by far.
  private static let namesMax = 500

  /// Whether values may name events: few, and neither times nor prose.
  static func mayBeName(_ values: Values) -> Bool {
    values.count > 0 && !values.areTimes && !values.hasProse && values.personal == nil && values.distinct <= namesMax
  }

  /// Whether values name several events, in texts of which some are sentences.
  static func haveSeveralLongNames(_ values: Values) -> Bool {
    var values = values
    values.hasProse = values.areMostlyProse
    return haveSeveralNames(values)
  }

  /// Whether values name several events, in texts.
  static func haveSeveralNames(_ values: Values) -> Bool { mayBeName(values) && values.distinct > 1 && !values.areNumbers }

  /// The number of records from which a subject has at least two values. A log of a few records may be of one person.
  private static let severalRecordsMin = 5
  /// The number of records from which a subject has at least ``subjectsMin`` values.
  private static let manyRecordsMin = 20
  /// The number of people that a log of many records has at least. An account or a kind of device has fewer values.
  private static let subjectsMin = 4

  /// Whether values may identify people: many, and neither times nor prose.
  static func mayBeSubject(_ values: Values) -> Bool {
    values.count > 0 && !values.areTimes && !values.hasProse
      && (values.count < severalRecordsMin || values.distinct > 1)
      && (values.count < manyRecordsMin || values.distinct >= subjectsMin)
  }

  /// Whether values may be IDs of cases: those of subjects, with several records for some of them.
  static func mayBeCase(_ values: Values) -> Bool {
    mayBeSubject(values) && values.distinct * 10 < values.count * 9
  }

  /// Whether values may be IDs of accounts. Most records may have none.
  static func mayBeAccount(_ values: Values) -> Bool {
    values.count > 0 && !values.areTimes && !values.hasProse && values.personal == nil
  }

  /// Whether values may be IDs of events: nearly all distinct. An event that was delivered twice has one ID.
  static func mayBeID(_ values: Values, of records: Int) -> Bool {
    values.count == records && values.personal == nil && values.distinct * 10 >= values.count * 9
  }
}

extension ColumnCandidates.Values {
  /// The number of words from which a text is a sentence. Names of events have fewer.
  private static let sentenceWordsMin = 8

  /// Examines the values of a column.
  init(of values: [String], inColumn column: String, privacy: PrivacyRules) {
    let distinctValues = Set(values)
    count = values.count
    distinct = distinctValues.count
    areTimes = ValueCounts(values).areNearlyAll { ImportedTime.isTime($0) }
    let counts = ValueCounts(values)
    areTimesOfDay = counts.areNearlyAll {
      $0.wholeMatch(of: /\d{1,2}:\d\d(:\d\d([.,]\d+)?)?( ?[AaPp]\.?[Mm]\.?)?/) != nil
        || $0.wholeMatch(of: /\d{1,2} ?[hHuU] ?\d\d?( ?[mM]([iI][nN])?( ?\d\d? ?[sS]?)?)?/) != nil
        || $0.wholeMatch(of: /\d{1,2} ?[AaPp]\.?[Mm]\.?/) != nil
    }
    mayBeTimesOfDay = counts.areNearlyAll {
      $0.wholeMatch(of: /([01]?\d|2[0-4])[0-5]\d([0-5]\d(\d{2,3})?)?/) != nil
    }
    areNumbers = !values.isEmpty && distinctValues.allSatisfy { Double($0) != nil }
    let proseCount = distinctValues.count { value in
      value.hasPrefix("{") || value.hasPrefix("[") || value.split(separator: " ").count >= Self.sentenceWordsMin
    }
    hasProse = proseCount > 0
    areMostlyProse = proseCount * 2 > distinct
    personal = privacy.finding(inColumn: column) ?? distinctValues.lazy.compactMap { privacy.finding(inCell: $0) }.first
  }
}

extension PrivacyRules {
  /// Returns the reason, as a clause, why the name of a column is personal data, or `nil` if it is not.
  func finding(inColumn column: String) -> String? { finding(inKey: Array(column.utf8).span) }

  /// Returns the reason, as a clause, why a value of a column is personal data, or `nil` if it is not.
  func finding(inCell value: String) -> String? {
    finding(inValue: Array(value.utf8).span).map { "has a value that \($0)" }
  }
}
