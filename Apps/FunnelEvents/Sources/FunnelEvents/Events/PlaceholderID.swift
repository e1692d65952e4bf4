/// The IDs that apps send before they have a real one, such as `anonymous` or `null`.
///
/// As a user, one would merge many people into one, so `funnel ingest` reads it as absent. The list is that of the tool, in lowercase.
enum PlaceholderID {
  /// Returns whether an ID is a placeholder, in any letter case, or has nothing but blanks.
  static func contains(_ id: String) -> Bool {
    id.utf8.allSatisfy { $0 <= UInt8(ascii: " ") } || words.contains(lowercased(id))
  }

  /// Returns a text with the letters of ASCII in lowercase. Other letters stay: no placeholder has them.
  private static func lowercased(_ text: String) -> [UInt8] {
    text.utf8.map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }
  }

  private static let words: Set<[UInt8]> = Set(
    [
      "0", "-1", "00000000-0000-0000-0000-000000000000", "00000000000000000000000000000000", "anon", "anonymous", "nil", "none",
      "null", "(null)", "n/a", "na", "nan", "undefined", "unknown", "unidentified", "guest", "distinct_id", "distinctid", "id",
      "not_authenticated", "not authenticated", "email", "true", "false", "[]", "{}", "[object object]", "lmy47d", "-", "--",
      ".",
      "(not set)", "not set", "(none)", "(unknown)",
    ].map { Array($0.utf8) })
}
