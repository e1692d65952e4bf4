import FunnelModel

/// Statistics of the records without a subject: the column is empty, or has a placeholder such as `NA` or `-`.
struct AbsentSubjects: Hashable, Sendable {
  /// The number of records.
  private var recordCount = 0
  /// The number of records without a value.
  private var emptyCount = 0
  /// The number of records with each placeholder that an ingest rejects.
  private var rejected: [String: Int] = [:]
  /// The number of records with each text of signs alone, which an ingest takes for an ID.
  private var signs: [String: Int] = [:]

  /// The number of records with each of the IDs after zero: 1, 2 and 3.
  private var small: [String: Int] = [:]

  /// The IDs that say that 0 is one too, if they are not rarer.
  private static let smallIDs: Set<String> = ["1", "2", "3"]
  /// The share of such records from which they are told.
  private static let shareMin = 0.01
  /// The number of different texts that are kept, and that are told.
  private static let textsMax = 100
  private static let textsShownMax = 3

  /// Examines the subject of a record, or `nil` if it has none.
  mutating func examine(_ subject: String?) {
    recordCount += 1
    guard let subject else {
      emptyCount += 1
      return
    }
    if Self.smallIDs.contains(subject) { small[subject, default: 0] += 1 }
    if PlaceholderIDs.contains(subject) {
      if rejected.count < Self.textsMax || rejected[subject] != nil { rejected[subject, default: 0] += 1 }
    } else if !subject.contains(where: { $0.isLetter || $0.isNumber }) {
      if signs.count < Self.textsMax || signs[subject] != nil { signs[subject, default: 0] += 1 }
    }
  }

  /// Returns sentences about the records.
  ///
  /// - Parameters:
  ///   - subject: The column of the subject.
  ///   - others: The columns that may identify people too.
  func sentences(_ subject: String, others: [String]) -> [String] {
    let rejectedCount = emptyCount + rejected.values.reduce(0, +)
    let signCount = signs.values.reduce(0, +)
    guard Double(rejectedCount + signCount) >= Self.shareMin * Double(recordCount), rejectedCount + signCount > 0 else {
      return []
    }
    let advice =
      others.isEmpty
      ? "no other column identifies people" : "--subject chooses another column: \(others.joined(separator: ", "))"
    var sentences: [String] = []
    if rejectedCount > 0 {
      let texts = (emptyCount > 0 ? ["nothing"] : []) + Self.texts(rejected)
      sentences.append(
        "subject: \(Quantity.count(rejectedCount)) of \(Quantity.count(recordCount)) records have \(texts.joined(separator: ", ")) as \(subject), and will be rejected; \(advice)"
      )
    }
    if isZeroLikelyID {
      sentences.append(
        "subject: 0 is likely an id, as 1 and 2 are: write another text for it in \(subject), such as id-0, to keep its records"
      )
    }
    if signCount > 0 {
      sentences.append(
        "subject: \(Quantity.count(signCount)) of \(Quantity.count(recordCount)) records have \(Self.texts(signs).joined(separator: ", ")) as \(subject), and will count as one person for each; remove them from the input, or \(advice)"
      )
    }
    return sentences
  }

  /// Whether 0 is an ID like 1 and 2, not a placeholder: it has no more records than the one of them with most.
  private var isZeroLikelyID: Bool {
    guard let zero = rejected["0"], small["1"] != nil, small["2"] != nil else { return false }
    return zero <= small.values.max() ?? 0
  }

  /// Returns the most frequent texts.
  private static func texts(_ counts: [String: Int]) -> [String] {
    let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return sorted.prefix(textsShownMax).map(\.key) + (sorted.count > textsShownMax ? ["others"] : [])
  }
}
