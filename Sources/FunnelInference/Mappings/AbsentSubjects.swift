import FunnelModel

/// Statistics of the records without a subject: the column is empty, or has a placeholder such as `NA` or `-`.
///
/// A placeholder may be an ID: 0 beside 1 and 2, or `NA` beside `DE` and `FR`.
struct AbsentSubjects: Hashable, Sendable {
  /// The number of records.
  private(set) var recordCount = 0
  /// The number of records without a value.
  private var emptyCount = 0
  /// The number of records with each placeholder that an ingest rejects.
  private var rejected: [String: Int] = [:]
  /// The number of records with each text of signs alone, which an ingest takes for an ID.
  private var signs: [String: Int] = [:]

  /// The number of records with each of the IDs after zero: 1, 2 and 3.
  private var small: [String: Int] = [:]
  /// The number of records with each code: an ID of a few capital letters, such as `DE`.
  private var codes: [String: Int] = [:]
  /// The number of records with an ID.
  private var idCount = 0

  /// The IDs that say that 0 is one too, if they are not rarer.
  private static let smallIDs: Set<String> = ["1", "2", "3"]
  /// The number of letters that a code has at most.
  private static let codeLettersMax = 4
  /// The number of different codes from which a placeholder of the same length is likely a code too.
  private static let codesMin = 3
  /// The share of the records with an ID that have such a code.
  private static let codeShareMin = 0.9
  /// The share of such records from which they are told.
  private static let shareMin = 0.01
  /// The number of different texts that are kept, and that are told.
  private static let textsMax = 100
  private static let textsShownMax = 3
  /// The number of different codes that are kept: more than all countries.
  private static let codesMax = 1000

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
      return
    }
    idCount += 1
    if Self.isCode(subject) {
      if codes.count < Self.codesMax || codes[subject] != nil { codes[subject, default: 0] += 1 }
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
    let likely = likelyIDs
    let isFrequent = Double(rejectedCount + signCount) >= Self.shareMin * Double(recordCount)
    guard rejectedCount + signCount > 0, isFrequent || !likely.isEmpty else { return [] }
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
    sentences += likely.map { id, others in
      "subject: \(id) is likely an id, as \(others.joined(separator: " and ")) are: write another text for it in \(subject), such as id-\(id), to keep its records"
    }
    if signCount > 0 {
      sentences.append(
        "subject: \(Quantity.count(signCount)) of \(Quantity.count(recordCount)) records have \(Self.texts(signs).joined(separator: ", ")) as \(subject), and will count as one person for each; remove them from the input, or \(advice)"
      )
    }
    return sentences
  }

  /// The placeholders that are likely IDs, each with two IDs like it. They have no more records than the one of these with most.
  private var likelyIDs: [(id: String, others: [String])] {
    var likely: [(id: String, others: [String])] = []
    if let zero = rejected["0"], small["1"] != nil, small["2"] != nil, zero <= small.values.max() ?? 0 {
      likely.append(("0", ["1", "2"]))
    }
    for (id, count) in rejected.sorted(by: { $0.key < $1.key }) {
      guard Self.isCode(id) else { continue }
      let like = codes.filter { $0.key.utf8.count == id.utf8.count }
      guard like.count >= Self.codesMin, count <= like.values.max() ?? 0,
        Double(like.values.reduce(0, +)) >= Self.codeShareMin * Double(idCount)
      else { continue }
      likely.append((id, Array(like.keys.sorted().prefix(2))))
    }
    return likely
  }

  /// Whether a text is a code. One in lower case, such as `nan`, is a value that is not there.
  private static func isCode(_ text: String) -> Bool {
    text.utf8.count <= codeLettersMax && !text.isEmpty && text.allSatisfy { ("A"..."Z").contains($0) }
  }

  /// Returns the most frequent texts.
  private static func texts(_ counts: [String: Int]) -> [String] {
    let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return sorted.prefix(textsShownMax).map(\.key) + (sorted.count > textsShownMax ? ["others"] : [])
  }
}
