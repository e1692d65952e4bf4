/// Finds the existing name that a person probably meant by one that does not exist.
public enum NearestName {
  /// Returns the candidate that is most similar to a name, or nil if none is similar enough.
  ///
  /// Names are similar if their distance is at most a third of the longer name's length, but no more than three edits (one edit is always
  /// allowed). Of several candidates at the same distance, the first is returned.
  public static func find(_ name: String, in candidates: some Sequence<String>) -> String? {
    var best: (candidate: String, distance: Int)?
    for candidate in candidates where candidate != name {
      let longer = max(name.unicodeScalars.count, candidate.unicodeScalars.count)
      guard longer <= 2 * Limits.nameBytesMax else { continue }
      let allowed = min(max(longer / 3, 1), 3)
      let distance = distance(from: name, to: candidate)
      if distance <= allowed, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.candidate
  }

  /// Returns the number of insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
  ///
  /// This is the optimal string alignment distance, the restricted form of Damerau's and Levenshtein's (Boytsov, "Indexing methods for
  /// approximate dictionary searching", ACM JEA 16, 2011, section 2.1), counted in code points.
  public static func distance(from first: String, to second: String) -> Int {
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
