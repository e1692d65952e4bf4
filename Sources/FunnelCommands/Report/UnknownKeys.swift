import FunnelIngest
import FunnelIndex
import FunnelModel

/// Tells what a query names and no event has: keys, values, steps. A mistyped one would look like a group of nobody.
///
/// The segment table of a report has every value that an event of the log has for the keys of the query, also of events that the report is
/// not about. (It may have more: values of events that were removed since.) So what is not in it is in no event. What is in it costs one pass
/// over its rows; only where something is missing are events looked at again, for what was probably meant.
struct UnknownKeys {
  private let query: ReportQuery
  private let segments: SegmentTable
  private let flows: [FlowDefinition]
  private let source: KeySource

  /// - Parameters:
  ///   - segments: The values of the query's keys.
  ///   - flows: The flow versions the report is about.
  ///   - source: Where the nearest key or value is looked for.
  init(_ query: ReportQuery, segments: SegmentTable, flows: [FlowDefinition], source: KeySource) {
    self.query = query
    self.segments = segments
    self.flows = flows
    self.source = source
  }

  /// Writes a line to standard error for each of them.
  func tell() {
    for note in notes() { Console.note("funnel: \(note)".printable) }
  }

  /// What a query asks for, and the option that says so.
  private struct Term {
    let dimension: Dimension
    let option: String
  }

  /// One sentence for each key, value and step that is not there.
  private func notes() -> [String] {
    let terms =
      query.by.map { Term(dimension: $0, option: "--by") }
      + query.conditions.map { Term(dimension: $0.dimension, option: "--where") }
    var notes = stepNotes(terms) + query.conditions.flatMap(computedNotes)
    // A log without events has nothing, whatever the spelling.
    guard segments.count > 0 else { return notes }
    var census: KeyCensus??
    func counted() -> KeyCensus? {
      if census == nil { census = .some(source.census()) }
      return census ?? nil
    }
    for (column, key) in segments.dimensions.enumerated() {
      guard hasValue(column) else {
        if let term = terms.first(where: { $0.dimension.stored == key }) { notes.append(keyNote(key, term, census: counted())) }
        continue
      }
      for condition in query.conditions where condition.dimension.stored == key {
        for missing in missing(in: condition, column) {
          notes.append(valueNote(missing, of: key, condition, among: values(ofColumn: column), census: counted()))
        }
      }
    }
    return notes
  }

  // MARK: - The segment table

  /// Whether a row with a value in this column meets a condition. Nearly always one of the first does.
  private func hasValue(_ column: Int, where isMet: (PropertyValue) -> Bool = { _ in true }) -> Bool {
    (0..<UInt32(segments.count)).contains { row in
      let value = segments.row(row)[column]
      return value != .null && isMet(value)
    }
  }

  /// What a condition compares with and no value meets, each as a person writes it behind the operator.
  private func missing(in condition: SegmentCondition, _ column: Int) -> [String] {
    switch condition.comparison {
    case .equal, .notEqual:
      condition.items.filter { item in !item.text.isEmpty && !hasValue(column) { item.matches($0) } }.map(\.text)
    case .notLike: hasValue(column) { !condition.holds(for: $0) } ? [] : [condition.value]
    case .like, .less, .atMost, .greater, .atLeast: hasValue(column) { condition.holds(for: $0) } ? [] : [condition.value]
    }
  }

  /// The values of a column that are not null.
  private func values(ofColumn column: Int) -> Set<PropertyValue> {
    var values: Set<PropertyValue> = []
    for row in 0..<UInt32(segments.count) { values.insert(segments.row(row)[column]) }
    values.remove(.null)
    return values
  }

  // MARK: - Keys

  private func keyNote(_ key: Dimension, _ term: Term, census: KeyCensus?) -> String {
    let option = term.dimension == key ? term.option : "\(term.option) \(term.dimension)"
    let all = source.command.map { "'\($0)' lists all" }
    let nearest = census.flatMap { Self.nearestKey(to: key, in: $0) }.map { "did you mean \($0)?" }
    let advice = [nearest, all].compactMap { $0 }.joined(separator: " ")
    return "no event has \(key), asked for with \(option), \(advice.isEmpty ? "check the spelling" : advice)"
  }

  /// The same key in the other place, or the one spelt most like it.
  private static func nearestKey(to key: Dimension, in census: KeyCensus) -> String? {
    let other: Dimension? =
      switch key {
      case .context(let name): .property(name)
      case .property(let name): .context(name)
      default: nil
      }
    // Of keys equally like it the most frequent was meant.
    let names = census.keys.sorted { $0.events > $1.events }.map { $0.dimension.description }
    if let other, names.contains(other.description) { return other.description }
    return nearest(to: key.description, in: names)
  }

  /// The candidate that differs in case alone, or the one spelt most like the text.
  private static func nearest(to text: String, in candidates: [String]) -> String? {
    candidates.first { $0.lowercased() == text.lowercased() } ?? NearestName.find(text, in: candidates)
  }

  // MARK: - Values

  private func valueNote(
    _ text: String, of key: Dimension, _ condition: SegmentCondition, among values: Set<PropertyValue>, census: KeyCensus?
  ) -> String {
    let isItem = !condition.items.isEmpty
    let frequent = census?.keys.first { $0.dimension == key }?.mostFrequent(.max).map(\.value) ?? []
    let candidates = (frequent + values.sorted()).map(\.description)
    let nearest = isItem ? Self.nearest(to: text, in: candidates).map { "did you mean \($0)?" } : nil
    let advice = nearest ?? source.command.map { "'\($0)' lists its values" } ?? "check the spelling"
    let option = condition.dimension == key ? "--where" : "--where \(condition)"
    let sign = condition.comparison.affirmative.rawValue
    return "no event has \(key)\(sign)\(text), asked for with \(option), \(advice)"
  }

  // MARK: - What no event carries

  private func stepNotes(_ terms: [Term]) -> [String] {
    let steps = flows.flatMap { $0.steps.map(\.id) }
    var told: Set<String> = []
    var notes: [String] = []
    for term in terms {
      guard case .step(let id, _) = term.dimension, !steps.contains(id), told.insert(id).inserted else { continue }
      let advice = Self.nearest(to: id, in: steps).map { "did you mean \($0)?" } ?? "'funnel schema show' prints a flow's steps"
      notes.append("no flow of the report has a step \(id), asked for with \(term.option) \(term.dimension), \(advice)")
    }
    return notes
  }

  /// Versions that no flow has, and days, weeks and months that are written in another way than any is.
  private func computedNotes(_ condition: SegmentCondition) -> [String] {
    let texts = condition.items.filter { !$0.text.isEmpty }
    if let example = condition.dimension.calendarExample {
      return texts.filter { !condition.dimension.isCalendarValue($0.text, whole: true) }.map {
        "no \(condition.dimension) is written as \($0.text), asked for with --where, write it as \(example)"
      }
    }
    guard condition.dimension == .version else { return [] }
    let versions = Set(flows.map { Int64($0.version) }).sorted()
    let all = "the version\(versions.count == 1 ? " is" : "s are") \(versions.map(String.init).joined(separator: ", "))"
    return texts.filter { item in !versions.contains { item.matches(.integer($0)) } }.map {
      "no flow of the report has version \($0.text), asked for with --where, \(all)"
    }
  }
}

extension SegmentCondition.Operator {
  /// The operator that holds for what this one leaves out, where it is a negation.
  fileprivate var affirmative: Self {
    switch self {
    case .notEqual: .equal
    case .notLike: .like
    default: self
    }
  }
}
