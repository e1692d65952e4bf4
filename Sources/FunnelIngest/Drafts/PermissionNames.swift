import FunnelModel

/// Finds events that look like questions about permissions: `perm_photos_granted`, and pairs such as `push_allowed` and `push_denied`.
struct PermissionNames {
  /// The event of a permission that a name stands for.
  struct Meaning: Hashable {
    var permission: String
    var suffix: PermissionEventName.Suffix

    /// The name that funnel's flows declare.
    var name: String { PermissionEventName.name(suffix, of: permission) }
  }

  private(set) var meanings: [String: Meaning] = [:]

  /// Examines the names of a log's events.
  init(_ names: some Sequence<String>) {
    var answers: [String: [(name: String, suffix: PermissionEventName.Suffix)]] = [:]
    for name in Set(names) {
      guard let (stem, suffix) = Self.split(name) else { continue }
      if name.hasPrefix(PermissionEventName.prefix) {
        meanings[name] = Meaning(permission: String(stem.dropFirst(PermissionEventName.prefix.count)), suffix: suffix)
      } else {
        answers[stem, default: []].append((name, suffix))
      }
    }
    for (stem, found) in answers where Self.isPair(found.map(\.suffix)) {
      guard let permission = Self.permission(of: stem) else { continue }
      for (name, suffix) in found { meanings[name] = Meaning(permission: permission, suffix: suffix) }
    }
  }

  /// Splits a name into the permission and what the rest means: `push_permission_allowed` into `push_permission` and granted. The longest
  /// ending that means something counts.
  private static func split(_ name: String) -> (stem: String, suffix: PermissionEventName.Suffix)? {
    let words = name.split(separator: "_", omittingEmptySubsequences: false)
    let first = name.hasPrefix(PermissionEventName.prefix) ? 2 : 1
    guard words.count > first else { return nil }
    for start in first..<words.count {
      if let suffix = PermissionEventName.suffix(meantBy: words[start...].joined(separator: "_")) {
        return (words[..<start].joined(separator: "_"), suffix)
      }
    }
    return nil
  }

  /// Returns whether events about one thing are answers to a question: one of them grants, and another one denies or asks.
  private static func isPair(_ suffixes: [PermissionEventName.Suffix]) -> Bool {
    suffixes.contains(.granted)
      && suffixes.contains { $0 == .denied || $0 == .prePromptShown || $0 == .skipped || $0 == .dialogDismissed }
  }

  /// Returns the permission that a stem is about, without words that every permission may have, or nil if no other word is left.
  private static func permission(of stem: String) -> String? {
    let words = stem.split(separator: "_").filter {
      !["permission", "permissions", "perm", "access", "prompt", "dialog"].contains($0)
    }
    let name = words.joined(separator: "_")
    return name.isEmpty ? nil : name
  }
}
