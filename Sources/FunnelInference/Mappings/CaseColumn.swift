import FunnelImport
import FunnelModel

/// A column of cases, such as tickets, beside the column of the users who handle or own them.
///
/// A ticket passes from user to user, so the records of one user are pieces of many tickets, and no path. Values show it: the records
/// of nearly each case begin with the same name, which it has once, and cases have records of several users.
struct CaseColumn: Hashable, Sendable {
  /// The column, and the number of its cases.
  let candidate: SubjectCandidate
  /// The column of the users.
  private let users: String
  /// The name with which most of the cases begin.
  private let firstName: String
  /// The number of cases that begin with ``firstName``.
  private let begunCount: Int
  /// The number of cases that have ``firstName`` more than once.
  private let repeatedCount: Int
  /// The number of cases that have several users.
  private let sharedCount: Int

  /// The share of the records that have a case.
  private static let recordShareMin = 0.95
  /// The share of the cases that begin with the same name. The first records of others may be older than the input.
  private static let begunShareMin = 0.9
  /// The share of the cases that may have their first name again, such as a ticket that is opened again.
  private static let repeatedShareMax = 0.2
  /// The share of the cases that have several users, if users handle them.
  private static let sharedShareMin = 0.2
  /// The number of times that there are more cases than users, if it is not sure that the cases go through the steps.
  private static let casesOfUserMin = 2

  /// Finds the column of cases.
  ///
  /// - Parameters:
  ///   - columns: The columns without a role.
  ///   - subject: The inferred column of the subjects.
  ///   - roles: The columns of the names and of the times, with the form of the times.
  /// - Returns: The column that is sure, else the one with the most cases, or `nil` if there is none or the subjects are no users.
  static func first(
    in columns: [(name: String, values: ColumnCandidates.Values)], beside subject: String,
    _ roles: (name: String, timestamp: String, form: TimeForm?), _ records: [[String: String]]
  ) -> CaseColumn? {
    guard areUsers(subject) else { return nil }
    let possible = columns.filter { column in
      column.values.personal == nil && ColumnCandidates.mayBeCase(column.values) && mayBeCases(column.name)
        && Double(column.values.count) >= recordShareMin * Double(records.count)
    }
    guard !possible.isEmpty else { return nil }
    let ordered = records.enumerated()
      .compactMap { index, record in
        record[roles.timestamp].flatMap { ImportedTime.time($0, form: roles.form) }.map { (time: $0, index: index) }
      }
      .sorted { ($0.time, $0.index) < ($1.time, $1.index) }.map { records[$0.index] }
    let userCount = Set(records.compactMap { $0[subject] }).count
    let found = possible.compactMap { CaseColumn($0.name, beside: subject, name: roles.name, ordered) }
    return found.first(where: \.isSure)
      ?? found.filter { $0.isPossible(besideUsers: userCount) }
      .max { $0.candidate.idCount < $1.candidate.idCount }
  }

  /// The records of a case.
  private struct Trail {
    var firstName: String
    var firstNameCount = 0
    var user: String?
    var hasSeveralUsers = false
  }

  /// Examines a column. Returns `nil` if no record has a case and a name.
  ///
  /// - Parameter records: The records in the order of their times.
  private init?(_ column: String, beside users: String, name: String, _ records: [[String: String]]) {
    var trails: [String: Trail] = [:]
    for record in records {
      guard let id = record[column], let name = record[name] else { continue }
      var trail = trails[id] ?? Trail(firstName: name)
      if trail.firstName == name { trail.firstNameCount += 1 }
      if let user = record[users] {
        if let known = trail.user, known != user { trail.hasSeveralUsers = true }
        trail.user = user
      }
      trails[id] = trail
    }
    let counts = Dictionary(grouping: trails.values, by: \.firstName).mapValues(\.count)
    guard let first = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return nil }
    candidate = SubjectCandidate(column: column, idCount: trails.count)
    self.users = users
    firstName = first.key
    begunCount = first.value
    repeatedCount = trails.values.count { $0.firstName == first.key && $0.firstNameCount > 1 }
    sharedCount = trails.values.count(where: \.hasSeveralUsers)
  }

  /// Whether nearly all cases begin with the same name, and have it once.
  private var beginAlike: Bool {
    let count = Double(candidate.idCount)
    return Double(begunCount) >= Self.begunShareMin * count && Double(repeatedCount) <= Self.repeatedShareMax * count
  }

  /// Whether users hand the cases over to each other.
  private var areHandedOver: Bool { Double(sharedCount) >= Self.sharedShareMin * Double(candidate.idCount) }

  /// Whether the cases and not the users go through the steps, by the name of the column and by its values.
  var isSure: Bool { Self.isNamedAfterCases(candidate.column) && beginAlike && areHandedOver }

  /// Whether the cases may go through the steps, so that the user has to choose.
  private func isPossible(besideUsers userCount: Int) -> Bool {
    guard candidate.idCount >= Self.casesOfUserMin * userCount else { return false }
    // A product, a page or a message begins with being seen too, but few of them pass from user to user.
    return Self.isNamedAfterCases(candidate.column) ? beginAlike || areHandedOver : beginAlike && areHandedOver
  }

  /// The sentence that says why the cases are the subjects.
  var sentence: String {
    let column = candidate.column
    return
      "subject: \(Quantity.count(begunCount)) of the \(Quantity.count(candidate.idCount)) values of \(column) begin with \(firstName), and \(Quantity.count(sharedCount)) have several values of \(users), so \(column) is chosen"
  }
}

// The names of columns with cases and with users.
extension CaseColumn {
  /// The names of columns with cases, in lower case and without the end that says that it is an ID.
  private static let cases: Set<String> = [
    "case", "ticket", "incident", "issue", "claim", "application", "order", "request", "process", "processinstance", "deal",
    "opportunity", "loan", "shipment", "delivery", "job", "contract", "complaint", "purchaseorder", "workorder", "invoice",
    "fall", "vorgang", "auftrag", "antrag", "bestellung", "caso", "pedido", "solicitud", "dossier", "commande", "demande",
  ]
  /// Parts of the names of columns with users.
  private static let users = ["user", "customer", "employee", "kunde", "nutzer", "usuario", "cliente", "utilisateur"]
  /// Parts of the names of columns with IDs of visits and of what the parts of a program exchange.
  private static let visits = ["session", "visit", "trace", "span", "correlation"]

  /// Returns the last key of a path, in lower case and without punctuation.
  private static func folded(_ column: String) -> String {
    ColumnCandidates.folded(column.split(separator: ".").last.map(String.init) ?? column)
  }

  /// Whether a column is named after cases.
  private static func isNamedAfterCases(_ column: String) -> Bool {
    let folded = folded(column)
    return cases.contains(folded) || ColumnWords.cases.contains(folded)
      || ColumnWords.endsOfIDs.contains { folded.hasSuffix($0) && cases.contains(String(folded.dropLast($0.count))) }
  }

  /// Whether the name of a column allows that its values are cases. A person has several visits.
  private static func mayBeCases(_ column: String) -> Bool {
    let folded = folded(column)
    guard !ColumnWords.devices.contains(folded), !visits.contains(where: folded.contains) else { return false }
    return isNamedAfterCases(column) || InferredColumns.isLikeSubject(column)
      || ColumnWords.endsOfIDs.contains(where: folded.hasSuffix)
  }

  /// Whether a column is named after users, not after devices or cases.
  private static func areUsers(_ column: String) -> Bool {
    let folded = folded(column)
    guard !ColumnWords.devices.contains(folded), !isNamedAfterCases(column) else { return false }
    return ColumnWords.changers.contains(folded) || ColumnWords.accounts.contains(folded)
      || (users + ColumnWords.partsOfAccounts).contains(where: folded.contains)
  }
}
