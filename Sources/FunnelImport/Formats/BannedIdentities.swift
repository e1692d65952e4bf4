/// The placeholder IDs that apps send before they have a real one. As a subject, they would merge many people into one.
///
/// The list is the union of those of Mixpanel
/// (<https://docs.mixpanel.com/troubleshooting/errors/server-side-events-without-a-user>) and PostHog
/// (<https://posthog.com/docs/integrate/identifying-users>). The comparison ignores case.
enum BannedIdentities {
  /// Whether an ID is a placeholder.
  static func contains(_ id: UnsafeRawBufferPointer) -> Bool {
    guard id.count < UInt64.bitWidth, lengths >> UInt64(id.count) & 1 != 0 else { return false }
    return words.contains { word in
      word.utf8CodeUnitCount == id.count
        && (0..<id.count).allSatisfy { index in
          let byte = id[index]
          let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
          return (isUpper ? byte | 0x20 : byte) == word.utf8Start[index]
        }
    }
  }

  /// The set of the lengths of the words, one bit for each length.
  private static let lengths: UInt64 = words.reduce(0) { $0 | 1 << UInt64($1.utf8CodeUnitCount) }

  /// The placeholders in lowercase, each shorter than 64 bytes.
  private static let words: [StaticString] = [
    "0", "-1", "00000000-0000-0000-0000-000000000000", "00000000000000000000000000000000", "anon", "anonymous", "nil", "none",
    "null", "(null)", "n/a", "na", "nan", "undefined", "unknown", "unidentified", "guest",
    "distinct_id", "distinctid", "id", "not_authenticated", "not authenticated", "email", "true", "false", "[]", "{}",
    "[object object]", "lmy47d",
  ]
}
