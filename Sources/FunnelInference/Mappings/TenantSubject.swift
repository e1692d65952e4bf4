import FunnelImport
import FunnelModel

/// A column that would identify people, but whose values are organisations with many people each.
struct TenantSubject: Hashable, Sendable {
  /// The column with the organisations.
  let column: String
  /// The number of its values.
  private let idCount: Int
  /// The number of records with a value.
  private let recordCount: Int
  /// The column with the finer IDs, each of which is in one organisation, or `nil` if there is none.
  private let finer: SubjectCandidate?
  /// The column of ``finer`` if it surely identifies people. Otherwise `nil`.
  let replacement: String?

  /// Nouns of columns with organisations.
  private static let organisations: Set<String> = [
    "tenant", "org", "organisation", "organization", "company", "workspace", "team", "project", "store", "shop", "site",
    "merchant", "business", "school", "clinic", "branch", "brand", "firm",
  ]
  /// Nouns of columns with accounts, which may be a person's or an organisation's.
  private static let accounts: Set<String> = ["account", "customer", "client", "subscriber", "license", "contact", "lead"]
  /// Nouns of columns with people.
  private static let people: Set<String> = [
    "user", "person", "people", "member", "actor", "employee", "email", "mail", "login", "username", "visitor", "patient",
    "student", "learner", "participant", "individual", "uid", "who",
  ]
  /// Words at the ends of names of columns that say that the values are IDs, or names in their place.
  private static let ends: Set<String> = [
    "id", "ids", "key", "name", "uuid", "guid", "no", "nr", "number", "ref", "slug", "code",
  ]

  /// The mean number of records of an organisation from which its numbers tell it from a person.
  private static let recordsMin = 100
  /// The median over the common names of how often one occurs in an organisation, by the mean.
  private static let occurrencesMin = 10
  /// The mean number of times that a common name may occur if the subjects go through the flow themselves. They begin it once or twice.
  private static let ownOccurrencesMax = 2
  /// The share of the values from which a name is common. Rarer ones are special cases.
  private static let commonShareMin = 0.5
  /// The mean number of people of an organisation. A person has a few devices or cases.
  private static let peopleMin = 4
  /// The share of the finer IDs that are in one organisation. A consultant is in two.
  private static let nestedShareMin = 0.98

  /// Examines the inferred column of the subjects.
  ///
  /// - Parameters:
  ///   - subject: The inferred column.
  ///   - name: The column of the event names.
  ///   - columns: The columns without a role.
  /// - Returns: `nil` if the values may be people.
  init?(
    _ subject: String, name: String, beside columns: [(name: String, values: ColumnCandidates.Values)],
    _ records: [[String: String]]
  ) {
    let noun = Self.noun(of: subject)
    guard !Self.people.contains(noun), !ColumnWords.devices.contains(ColumnCandidates.folded(subject)) else { return nil }
    let ids = Set(records.compactMap { $0[subject] })
    let finer = Self.finerColumns(columns, in: subject, ids.count, records)
    let person = finer.first { Self.people.contains(Self.noun(of: $0.name)) && $0.values.personal == nil }
    let isOrganisation = Self.organisations.contains(noun)
    let hasMany = Self.haveManyRecords(subject, name: name, records)
    let isLikeOne = Self.accounts.contains(noun) || isOrganisation || person != nil
    // The names of both columns suffice. Otherwise the numbers must agree.
    guard isOrganisation && person != nil || hasMany && isLikeOne else { return nil }
    let enough = finer.filter { $0.values.distinct >= Self.peopleMin * ids.count }
    guard isOrganisation || finer.isEmpty || !enough.isEmpty else { return nil }
    column = subject
    idCount = ids.count
    recordCount = records.count { $0[subject] != nil }
    let best = person ?? enough.first ?? finer.first
    self.finer = best.map { SubjectCandidate(column: $0.name, idCount: $0.values.distinct) }
    replacement = isOrganisation || Self.accounts.contains(noun) ? person?.name : nil
  }

  /// Returns the last word of a column's name that is not one of ``ends``: `org` for `org_id`, `orgId`, `orgid` and `org.id`.
  private static func noun(of column: String) -> String {
    let words = String(decoding: NameFolding.fold(Array(column.utf8).span), as: UTF8.self).split(separator: "_").map(
      String.init)
    guard let last = words.last(where: { !ends.contains($0) }) else { return words.last ?? "" }
    let stem = last.hasSuffix("id") ? String(last.dropLast(2)) : last
    return organisations.union(accounts).union(people).contains(stem) ? stem : last
  }

  /// Returns the columns with IDs of which each is in one organisation, those with the most values first.
  private static func finerColumns(
    _ columns: [(name: String, values: ColumnCandidates.Values)], in subject: String, _ idCount: Int,
    _ records: [[String: String]]
  ) -> [(name: String, values: ColumnCandidates.Values)] {
    columns.filter { column in
      let isID =
        people.contains(noun(of: column.name)) || InferredColumns.isLikeSubject(column.name)
        || ColumnWords.endsOfIDs.contains(where: ColumnCandidates.folded(column.name).hasSuffix)
      // Most records have it, and an ID that occurs once is that of a record.
      return isID && ColumnCandidates.mayBeCase(column.values) && column.values.distinct > idCount
        && column.values.count * 2 >= records.count && isNested(column.name, in: subject, records)
    }.sorted { ($1.values.distinct, $0.name) < ($0.values.distinct, $1.name) }
  }

  /// Whether nearly all values of a column are in one organisation.
  private static func isNested(_ column: String, in subject: String, _ records: [[String: String]]) -> Bool {
    var organisations: [String: Set<String>] = [:]
    for record in records {
      guard let id = record[column], let organisation = record[subject] else { continue }
      organisations[id, default: []].insert(organisation)
    }
    let nestedCount = organisations.values.count { $0.count == 1 }
    return !organisations.isEmpty && Double(nestedCount) >= nestedShareMin * Double(organisations.count)
  }

  /// Whether the values of a column have so many records, and the common names so often, that they are not people.
  private static func haveManyRecords(_ subject: String, name: String, _ records: [[String: String]]) -> Bool {
    var counts: [String: [String: Int]] = [:]
    for record in records {
      guard let id = record[subject], let name = record[name] else { continue }
      counts[name, default: [:]][id, default: 0] += 1
    }
    let ids = Set(counts.values.flatMap(\.keys))
    let total = counts.values.reduce(0) { $0 + $1.values.reduce(0, +) }
    guard !ids.isEmpty, total >= recordsMin * ids.count else { return false }
    let common = counts.values.filter { Double($0.count) >= commonShareMin * Double(ids.count) }
    let means = common.map { $0.values.reduce(0, +) / $0.count }.sorted()
    return !means.isEmpty && means[0] > ownOccurrencesMax && means[means.count / 2] >= occurrencesMin
  }

  private var fact: String {
    "\(column) has \(Quantity.counted(idCount, "value")) with \(Quantity.counted(recordCount / max(idCount, 1), "record")) each, which are likely organisations, not people"
  }

  /// The sentence on the chosen column, or `nil` if the user has to choose.
  var sentence: String? {
    guard replacement != nil, let finer else { return nil }
    return
      "subject: \(fact), so \(finer.text) is chosen, whose ids are each within one of them; --subject \(column) chooses the other one"
  }

  /// The decision that the user has to make, as a clause, or `nil` if a column is chosen.
  var decision: String? {
    guard replacement == nil else { return nil }
    guard let finer else {
      return
        "\(fact), and no column has finer ids: name the id of the person with --subject, or keep \(column) with --subject \(column)"
    }
    return
      "\(fact), and each of the ids in \(finer.text) is within one of them: name the one that goes through the steps, --subject \(finer.column) or --subject \(column)"
  }
}
