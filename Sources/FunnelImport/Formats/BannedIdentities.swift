/// The ids that stand for nobody: what apps send before they know whom they count. One of them would make strangers one person.
///
/// The list unites Mixpanel's (<https://docs.mixpanel.com/troubleshooting/errors/server-side-events-without-a-user>) and PostHog's
/// (<https://posthog.com/docs/integrate/identifying-users>), compared without regard to case.
enum BannedIdentities {
  /// Returns whether an id stands for nobody.
  static func contains(_ id: UnsafeRawBufferPointer) -> Bool {
    guard id.count < 64, lengths >> UInt64(id.count) & 1 != 0 else { return false }
    return words.contains { word in
      word.utf8CodeUnitCount == id.count
        && (0..<id.count).allSatisfy { index in
          let byte = id[index]
          let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
          return (isUpper ? byte | 0x20 : byte) == word.utf8Start[index]
        }
    }
  }

  /// A bit for each length of a word.
  private static let lengths: UInt64 = words.reduce(0) { $0 | 1 << UInt64($1.utf8CodeUnitCount) }

  private static let words: [StaticString] = [
    "0", "-1", "00000000-0000-0000-0000-000000000000", "00000000000000000000000000000000", "anon", "anonymous", "nil", "none",
    "null", "(null)", "n/a", "na", "nan", "undefined", "unknown", "unidentified", "guest",
    "distinct_id", "distinctid", "id", "not_authenticated", "not authenticated", "email", "true", "false", "[]", "{}",
    "[object object]", "lmy47d",
  ]
}
