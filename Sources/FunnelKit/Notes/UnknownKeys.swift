import FunnelDecoding
import FunnelIndex
import FunnelModel

/// Finds keys, values and steps that a query names but no event has. A mistyped one would otherwise look like
/// an empty segment.
///
/// The segment table of a report contains all values of the query's keys in the log, even those of events that
/// the report does not cover. A value that is not in the table therefore occurs in no event. The check is one
/// pass over the rows of the table. Events are read again only if a key or value is missing, to suggest a similar one.
package struct UnknownKeys {
  private let query: ReportQuery
  private let segments: SegmentTable
  private let flows: [FlowDefinition]
  private let source: KeySource

  /// Creates a check of a query.
  ///
  /// - Parameters:
  ///   - segments: The values of the query's keys.
  ///   - flows: The flow versions that the report covers.
  ///   - source: The source to search for the nearest key or value.
  init(_ query: ReportQuery, segments: SegmentTable, flows: [FlowDefinition], source: KeySource) {
    self.query = query
    self.segments = segments
    self.flows = flows
    self.source = source
  }

  /// The keys of the query that no event has. Empty if the log has no events.
  var keysWithoutValue: Set<Dimension> {
    guard segments.count > 0 else { return [] }
    return Set(segments.dimensions.indices.filter { !hasValue($0) }.map { segments.dimensions[$0] })
  }

  /// A dimension that the query names, and the option that names it.
  private struct Term {
    let dimension: Dimension
    let option: String
  }

  /// Returns a sentence for each key, value and step that does not exist.
  package func notes() -> [String] {
    let terms =
      query.by.map { Term(dimension: $0, option: "--by") }
      + query.conditions.map { Term(dimension: $0.dimension, option: "--where") }
    var notes = stepNotes(terms) + query.conditions.flatMap(computedNotes)
    // Without events, every key is absent.
    guard segments.count > 0 else { return notes }
    // Reads events, so only if something is missing. `nil` if they cannot be read again.
    lazy var statistics = source.statistics()
    for (column, key) in segments.dimensions.enumerated() {
      guard hasValue(column) else {
        if let term = terms.first(where: { $0.dimension.stored == key }) {
          notes.append(keyNote(key, term, statistics: statistics))
        }
        continue
      }
      for condition in query.conditions where condition.dimension.stored == key {
        for missing in missing(in: condition, column) {
          notes.append(valueNote(missing, of: key, condition, among: values(ofColumn: column), statistics: statistics))
        }
      }
    }
    return notes
  }

  // MARK: - The segment table

  /// Whether a row has a value other than null in a column that satisfies a predicate. Usually one of the first rows does.
  private func hasValue(_ column: Int, where isMet: (PropertyValue) -> Bool = { _ in true }) -> Bool {
    (0..<UInt32(segments.count)).contains { row in
      let value = segments.row(row)[column]
      return value != .null && isMet(value)
    }
  }

  /// Returns the operands of a condition that no value of a column matches, as written after the operator.
  private func missing(in condition: SegmentCondition, _ column: Int) -> [String] {
    switch condition.comparison {
    case .equal, .notEqual:
      condition.items.filter { item in
        !item.text.isEmpty
          && !hasValue(column) { value in
            areVersions(condition.dimension).contains { isVersion in
              item.matches(value.segmentValue(isText: isVersion || condition.dimension.isVersion))
            }
          }
      }.map(\.text)
    case .notLike: hasValue(column) { !holds(condition, for: $0) } ? [] : [condition.value]
    case .like, .less, .atMost, .greater, .atLeast: hasValue(column) { holds(condition, for: $0) } ? [] : [condition.value]
    }
  }

  /// Whether a condition holds for a logged value in some flow of the report.
  private func holds(_ condition: SegmentCondition, for value: PropertyValue) -> Bool {
    areVersions(condition.dimension).contains { condition.holds(for: value, isVersion: $0) }
  }

  /// Returns whether the values of a dimension are versions. The result has both values if the flows of the report differ.
  private func areVersions(_ dimension: Dimension) -> Set<Bool> {
    flows.isEmpty ? [false] : Set(flows.map { $0.isVersion(dimension) })
  }

  /// Returns the values of a column other than null, as they appear in segments.
  private func values(ofColumn column: Int) -> Set<PropertyValue> {
    var values: Set<PropertyValue> = []
    let interpretations = areVersions(segments.dimensions[column])
    for row in 0..<UInt32(segments.count) {
      for isVersion in interpretations { values.insert(segments.row(row)[column].segmentValue(isText: isVersion)) }
    }
    values.remove(.null)
    return values
  }

  // MARK: - Keys

  /// Returns the sentence for a key that no event has.
  private func keyNote(_ key: Dimension, _ term: Term, statistics: KeyStatistics?) -> String {
    let option = term.dimension == key ? term.option : "\(term.option) \(term.dimension)"
    let all = source.command.map { "'\($0)' lists all" }
    let nearest = statistics.flatMap { Self.nearestKey(to: key, in: $0) }.map { "did you mean \($0)?" }
    let advice = [nearest, all].compactMap { $0 }.joined(separator: " ")
    return "no event has \(key), given with \(option), \(advice.isEmpty ? "check the spelling" : advice)"
  }

  /// Returns the same key in the other namespace (`ctx` or `props`), or the key with the most similar spelling.
  private static func nearestKey(to key: Dimension, in statistics: KeyStatistics) -> String? {
    let other: Dimension? =
      switch key {
      case .context(let name): .property(name)
      case .property(let name): .context(name)
      default: nil
      }
    // Among equally similar keys, the most frequent was probably meant.
    let names = statistics.keys.sorted { $0.events > $1.events }.map { $0.dimension.description }
    if let other, names.contains(other.description) { return other.description }
    return nearest(to: key.description, in: names)
  }

  /// Returns the candidate that differs only in case, or the one with the most similar spelling.
  private static func nearest(to text: String, in candidates: [String]) -> String? {
    candidates.first { $0.lowercased() == text.lowercased() } ?? NearestName.find(text, in: candidates)
  }

  // MARK: - Values

  /// Returns the sentence for a value that no event has.
  private func valueNote(
    _ text: String, of key: Dimension, _ condition: SegmentCondition, among values: Set<PropertyValue>,
    statistics: KeyStatistics?
  ) -> String {
    let isItem = !condition.items.isEmpty
    let frequent = statistics?.keys.first { $0.dimension == key }?.mostFrequent(.max).map(\.value) ?? []
    let candidates = (frequent + values.sorted()).map(\.description)
    let nearest = isItem ? Self.nearest(to: text, in: candidates).map { "did you mean \($0)?" } : nil
    let advice = nearest ?? source.command.map { "'\($0)' lists its values" } ?? "check the spelling"
    let option = condition.dimension == key ? "--where" : "--where \(condition)"
    let sign = condition.comparison.affirmative.rawValue
    return "no event has \(key)\(sign)\(text), given with \(option), \(advice)"
  }

  // MARK: - Steps and computed dimensions

  /// Returns a sentence for each step that no flow of the report has.
  private func stepNotes(_ terms: [Term]) -> [String] {
    let steps = flows.flatMap { $0.steps.map(\.id) }
    var told: Set<String> = []
    var notes: [String] = []
    for term in terms {
      guard case .step(let id, _) = term.dimension, !steps.contains(id), told.insert(id).inserted else { continue }
      let advice = Self.nearest(to: id, in: steps).map { "did you mean \($0)?" } ?? "'funnel schema show' prints a flow's steps"
      notes.append("no flow of the report has a step \(id), given with \(term.option) \(term.dimension), \(advice)")
    }
    return notes
  }

  /// Returns notes on versions that no flow has, and on calendar values (such as days and weeks) that are not
  /// in the expected form.
  private func computedNotes(_ condition: SegmentCondition) -> [String] {
    let texts = condition.items.filter { !$0.text.isEmpty }
    if let example = condition.dimension.calendarExample {
      return texts.filter { !condition.dimension.isCalendarValue($0.text) }.map {
        "no \(condition.dimension) is written as \($0.text), given with --where, write it as \(example)"
      }
    }
    guard condition.dimension == .version else { return [] }
    let versions = Set(flows.map { Int64($0.version) }).sorted()
    let all = "the version\(versions.count == 1 ? " is" : "s are") \(versions.map(String.init).joined(separator: ", "))"
    return texts.filter { item in !versions.contains { item.matches(.integer($0)) } }.map {
      "no flow of the report has version \($0.text), given with --where, \(all)"
    }
  }
}

extension SegmentCondition.Operator {
  /// The operator without its negation.
  fileprivate var affirmative: Self {
    switch self {
    case .notEqual: .equal
    case .notLike: .like
    default: self
    }
  }
}
