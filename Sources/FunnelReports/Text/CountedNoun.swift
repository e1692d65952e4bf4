public import FunnelModel

/// The noun of what a report counts: people, attempts or entries.
///
/// Every sentence and column that names what is counted takes the word from here, so that a report by attempt never speaks of people:
///
///     let noun = CountedNoun(of: query, flow)
///     "\(noun.counted(1_234)) dropped"      // 1,234 people dropped
///     "of the \(noun.who) reached it"       // of the people who reached it
public struct CountedNoun: Hashable, Sendable {
  /// The noun for one: `person`.
  public let singular: String
  /// The noun for any other number: `people`.
  public let plural: String

  /// The pronoun that refers to it: `who`, or `that` of what is no person.
  public let pronoun: String

  public static let people = CountedNoun(singular: "person", plural: "people", pronoun: "who")
  public static let attempts = CountedNoun(singular: "attempt", plural: "attempts", pronoun: "that")
  public static let entries = CountedNoun(singular: "entry", plural: "entries", pronoun: "that")

  private init(singular: String, plural: String, pronoun: String) {
    (self.singular, self.plural, self.pronoun) = (singular, plural, pronoun)
  }

  /// The noun of a unit that is counted.
  public init(_ unit: FlowDefinition.CountBy) {
    switch unit {
    case .person, .subject: self = .people
    case .attempt: self = .attempts
    case .entry: self = .entries
    }
  }

  /// The noun of what a query counts of a flow: by the query's own unit, else by the flow's.
  ///
  /// - Parameter flow: The definition of the flow; nil if it is unknown, which is taken for people.
  public init(of query: ReportQuery, _ flow: FlowDefinition?) {
    self = (query.countBy ?? flow?.countBy).map { CountedNoun($0) } ?? .people
  }

  /// The noun of what several flows count: that of all of them, or each of them joined by `or`.
  ///
  /// - Parameter nouns: The noun of each flow; none is taken for people.
  public init(joining nouns: some Sequence<CountedNoun>) {
    var distinct: [CountedNoun] = []
    for noun in nouns where !distinct.contains(noun) { distinct.append(noun) }
    guard distinct.count > 1 else {
      self = distinct.first ?? .people
      return
    }
    self.init(
      singular: distinct.map(\.singular).joined(separator: " or "), plural: distinct.map(\.plural).joined(separator: " or "),
      pronoun: "that")
  }

  /// Returns the noun in the form that goes with a number.
  public func form(for count: Int) -> String { count == 1 ? singular : plural }

  /// Returns a number with its noun, for example `1 person` or `1,234 people`.
  public func counted(_ count: Int) -> String { "\(HumanNumbers.count(count)) \(form(for: count))" }

  /// The plural before a clause: `people who`, `attempts that`.
  public var who: String { "\(plural) \(pronoun)" }

  /// The plural with a capital at its beginning, as the title of a column.
  public var title: String { plural.prefix(1).uppercased() + plural.dropFirst() }
}
