package import FunnelModel

/// The noun for the groups that a report counts: people, attempts or entries.
///
/// All sentences and column titles use it, so a report by attempt never mentions people:
///
///     let noun = CountedNoun(of: query, flow)
///     "\(noun.counted(1_234)) dropped"      // 1,234 people dropped
///     "of the \(noun.who) reached it"       // of the people who reached it
package struct CountedNoun: Hashable, Sendable {
  /// The noun for one: `person`.
  package let singular: String
  /// The noun for any other number: `people`.
  package let plural: String

  /// The relative pronoun: `who` for people, `that` for anything else.
  package let pronoun: String

  package static let people = CountedNoun(singular: "person", plural: "people", pronoun: "who")
  package static let attempts = CountedNoun(singular: "attempt", plural: "attempts", pronoun: "that")
  package static let entries = CountedNoun(singular: "entry", plural: "entries", pronoun: "that")

  private init(singular: String, plural: String, pronoun: String) {
    precondition(!singular.isEmpty && !plural.isEmpty, "a noun has two forms")
    self.singular = singular
    self.plural = plural
    self.pronoun = pronoun
  }

  /// Creates the noun for a unit of counting.
  package init(_ unit: FlowDefinition.CountBy) {
    switch unit {
    case .person, .subject: self = .people
    case .attempt: self = .attempts
    case .entry: self = .entries
    }
  }

  /// Creates the noun for the groups of a flow in a query. The unit of the query has precedence over that of
  /// the flow.
  ///
  /// - Parameter flow: The definition of the flow, or `nil` if it is unknown. The default noun is people.
  package init(of query: ReportQuery, _ flow: FlowDefinition?) {
    self = (query.countBy ?? flow?.countBy).map { CountedNoun($0) } ?? .people
  }

  /// Creates the noun for the groups of several flows: their common noun, or all nouns joined by `or`.
  ///
  /// - Parameter nouns: The noun of each flow. The default noun is people.
  package init(joining nouns: some Sequence<CountedNoun>) {
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

  /// Returns the singular or the plural, depending on a number.
  package func form(for count: Int) -> String { count == 1 ? singular : plural }

  /// Returns a number with its noun, for example `1 person` or `1,234 people`.
  package func counted(_ count: Int) -> String { "\(HumanNumbers.count(count)) \(form(for: count))" }

  /// The plural before a clause: `people who`, `attempts that`.
  package var who: String { "\(plural) \(pronoun)" }

  /// The capitalized plural, as the title of a column.
  package var title: String { plural.prefix(1).uppercased() + plural.dropFirst() }
}
