/// Suggests an existing name for a misspelled one.
package enum NearestName {
  /// The maximum distance of similar names, in edits.
  private static let distanceMax = 3

  /// Returns the candidate most similar to a name, or `nil` if none is similar.
  ///
  /// Names are similar if their ``distance(from:to:)`` is at most a third of the longer name's length, at least
  /// one and at most three edits. Of several candidates at the same distance, the first is returned. The name
  /// itself and candidates longer than any valid name are skipped.
  package static func find(_ name: String, in candidates: some Sequence<String>) -> String? {
    var best: (candidate: String, distance: Int)?
    for candidate in candidates where candidate != name {
      let longer = max(name.unicodeScalars.count, candidate.unicodeScalars.count)
      guard longer <= 2 * Limits.nameBytesMax else { continue }
      let allowed = min(max(longer / 3, 1), distanceMax)
      let distance = distance(from: name, to: candidate)
      if distance <= allowed, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.candidate
  }

  /// Returns `, did you mean "NAME"?` about the most similar candidate, or a comma if none is similar: the text of a
  /// message between an unknown name and what is allowed.
  static func suggestion(for name: String, in candidates: some Sequence<String>) -> String {
    find(name, in: candidates).map { ", did you mean \"\($0)\"?" } ?? ","
  }

  /// Returns the number of insertions, deletions, replacements and swaps of adjacent code points that turn one
  /// text into the other.
  ///
  /// This is the optimal string alignment distance, a restricted Damerau-Levenshtein distance (Boytsov,
  /// "Indexing methods for approximate dictionary searching", ACM JEA 16, 2011, section 2.1).
  package static func distance(from first: String, to second: String) -> Int {
    let a = Array(first.unicodeScalars)
    let b = Array(second.unicodeScalars)
    var beforePrevious: [Int] = []
    var previous = Array(0...b.count)
    for i in a.indices {
      var current = [i + 1]
      for j in b.indices {
        var cost = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforePrevious[j - 1] + 1) }
        current.append(cost)
      }
      beforePrevious = previous
      previous = current
    }
    return previous[b.count]
  }
}
