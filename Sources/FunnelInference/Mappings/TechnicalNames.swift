import FunnelImport
import FunnelModel

/// A column that would name the events, but whose values are results, log levels, HTTP methods or codes, beside columns that say what
/// happened.
struct TechnicalNames: Hashable, Sendable {
  /// The column with the technical values.
  let column: String
  /// Some of its values, sorted.
  private let examples: [String]
  /// The columns that may say what happened. Empty only if all of them are in ``unfit``.
  private let others: [String]
  /// The columns that say what happened by their names, but have sentences or too many values to name events.
  private let unfit: [Unfit]
  /// The only column of ``others``, if its name says that it has what happened. Otherwise `nil`.
  let replacement: String?

  /// A column with too many values, or with sentences.
  private struct Unfit: Hashable {
    var column: String
    var valueCount: Int

    var text: String { "\(column) (\(Quantity.counted(valueCount, "value")))" }
  }

  /// Results of what was tried.
  private static let results: Set<String> = [
    "success", "succeeded", "successful", "failure", "failed", "fail", "error", "errored", "ok", "okay", "true", "false",
    "exception",
  ]
  /// Values that are beside results, but alone may be states that something passes through.
  private static let besideResults: Set<String> = [
    "pending", "unknown", "skipped", "partial", "timeout", "aborted", "running", "retry",
  ]
  /// Severities of log records.
  private static let levels: Set<String> = [
    "trace", "debug", "verbose", "info", "notice", "warn", "warning", "error", "err", "critical", "fatal", "severe",
  ]
  /// Methods of HTTP. In lower case `get` and `delete` may be what people do.
  private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
  /// The codes of responses of HTTP.
  private static let codes = 100...599
  /// Words in the names of columns with such codes. Other numbers of three digits may be names.
  private static let wordsOfCodes = ["status", "code", "statuscode", "response"]
  /// Words in the names of columns that say what happened.
  private static let wordsOfEvents = [
    "event", "activity", "action", "operation", "message", "msg", "path", "url", "uri", "endpoint", "route", "step", "task",
    "function", "command", "page", "screen", "job", "handler",
  ]
  /// The number of values that a message shows.
  private static let examplesMax = 3

  /// Examines the inferred column of the names.
  ///
  /// - Parameters:
  ///   - name: The inferred column.
  ///   - subject: The column of the people.
  ///   - columns: The columns without a role.
  /// - Returns: `nil` if the values are not technical, or if no other column says what happened.
  init?(
    _ name: String, of subject: String, beside columns: [(name: String, values: ColumnCandidates.Values)],
    _ records: [[String: String]]
  ) {
    let values = Set(records.compactMap { $0[name] })
    guard Self.areTechnical(values, in: name) else { return nil }
    // A payment that is pending first and then succeeds passes through its states.
    let mayBeStates = values.contains { Self.besideResults.contains($0.lowercased()) }
    if mayBeStates, NameCandidates.haveCommonOrder(name, of: subject, records) { return nil }
    let texts = columns.filter { column in
      column.values.distinct > 1 && !column.values.areTimes && !column.values.areNumbers && column.values.personal == nil
        && !Self.areTechnical(Set(records.lazy.compactMap { $0[column.name] }), in: column.name)
    }
    let named = texts.filter { Self.isNamedAfterEvents($0.name) }
    let fitting = named.filter { ColumnCandidates.mayBeName($0.values) && !$0.values.areUnique }.map(\.name)
    let repeated = texts.filter { !InferredColumns.isLikeSubject($0.name) && !$0.values.areUnique }
    let ordered = NameCandidates(repeated, beside: name, of: subject, records).others.map(\.column)
    unfit = named.filter { !fitting.contains($0.name) }.map { Unfit(column: $0.name, valueCount: $0.values.distinct) }
    others = fitting.isEmpty ? ordered : fitting
    guard !others.isEmpty || !unfit.isEmpty else { return nil }
    column = name
    examples = values.sorted().prefix(Self.examplesMax).map(\.self)
    replacement = fitting.count == 1 ? fitting[0] : nil
  }

  /// Whether all values are technical, and one of them surely is.
  private static func areTechnical(_ values: Set<String>, in column: String) -> Bool {
    guard !values.isEmpty else { return false }
    if values.allSatisfy(methods.contains) { return true }
    if wordsOfCodes.contains(where: { ColumnCandidates.has(word: $0, column) }),
      values.allSatisfy({ Int($0).map(codes.contains) ?? false })
    {
      return true
    }
    let folded = values.map { $0.lowercased() }
    let sure = results.union(levels)
    return folded.contains(where: sure.contains) && folded.allSatisfy { sure.contains($0) || besideResults.contains($0) }
  }

  /// Whether the name of a column says that it has what happened. The ID of a message has not.
  private static func isNamedAfterEvents(_ column: String) -> Bool {
    let folded = ColumnCandidates.folded(column)
    return !ColumnWords.endsOfIDs.contains(where: folded.hasSuffix)
      && wordsOfEvents.contains { ColumnCandidates.has(word: $0, column) }
  }

  private var values: String { examples.joined(separator: ", ") }

  /// The sentence on the chosen column, or `nil` if the user has to choose.
  var sentence: String? {
    guard let replacement else { return nil }
    return
      "name: the values of \(column) (\(values)) are technical and do not say what happened, so \(replacement) is chosen; --name \(column) chooses it nevertheless"
  }

  /// The decision that the user has to make, as a clause, or `nil` if a column is chosen.
  var decision: String? {
    guard replacement == nil else { return nil }
    let fact = "the values of \(column) (\(values)) are technical and do not say what happened"
    guard let first = others.first else {
      return
        "\(fact), and \(unfit.map(\.text).joined(separator: ", ")) has too many values or whole sentences: write a column with one name for each step into the input, or keep \(column) with --name \(column)"
    }
    return
      "\(fact), as \(others.joined(separator: " or ")) may: name the column with --name, such as --name \(first), or keep \(column) with --name \(column)"
  }
}
