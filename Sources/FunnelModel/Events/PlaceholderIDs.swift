/// The placeholder IDs that apps send before they have a real one.
///
/// As a subject or a user, they would merge many people into one. Importers reject them as the subject, and a user that is
/// one is read as absent.
///
/// The list is the union of those of Mixpanel
/// (<https://docs.mixpanel.com/troubleshooting/errors/server-side-events-without-a-user>) and PostHog
/// (<https://posthog.com/docs/integrate/identifying-users>), and of what tables have in empty cells. The comparison ignores case.
package enum PlaceholderIDs {
  /// Returns whether an ID is a placeholder, which no event may have as its subject.
  package static func contains(_ id: String) -> Bool { contains(Array(id.utf8).span) }

  /// Returns whether an ID is a placeholder.
  package static func contains(_ id: Span<UInt8>) -> Bool {
    if isBlank(id) { return true }
    guard id.count < UInt64.bitWidth, lengths >> UInt64(id.count) & 1 != 0 else { return false }
    for word in words where isEqual(id, word) { return true }
    return false
  }

  /// Returns whether an ID has nothing but blanks.
  private static func isBlank(_ id: Span<UInt8>) -> Bool {
    // Nearly every ID begins with a letter or a digit.
    guard !id.isEmpty, id[0] <= UInt8(ascii: " ") else { return false }
    return id.indices.allSatisfy { id[$0] <= UInt8(ascii: " ") }
  }

  /// Returns whether an ID is a word, ignoring case.
  private static func isEqual(_ id: Span<UInt8>, _ word: [UInt8]) -> Bool {
    guard id.count == word.count else { return false }
    for index in word.indices {
      let isUpper = id[index] >= UInt8(ascii: "A") && id[index] <= UInt8(ascii: "Z")
      if (isUpper ? id[index] | 0x20 : id[index]) != word[index] { return false }
    }
    return true
  }

  /// The set of the lengths of the words, one bit for each length.
  private static let lengths: UInt64 = words.reduce(0) { $0 | 1 << UInt64($1.count) }

  /// The placeholders in lowercase, each shorter than 64 bytes.
  private static let words: [[UInt8]] = [
    "0", "-1", "00000000-0000-0000-0000-000000000000", "00000000000000000000000000000000", "anon", "anonymous", "nil", "none",
    "null", "(null)", "\\n", "n/a", "na", "nan", "undefined", "unknown", "unidentified", "guest",
    "distinct_id", "distinctid", "id", "not_authenticated", "not authenticated", "email", "true", "false", "[]", "{}",
    "[object object]", "lmy47d", "-", "--", ".", "(not set)", "not set", "(none)", "(unknown)",
  ].map { Array($0.utf8) }
}
