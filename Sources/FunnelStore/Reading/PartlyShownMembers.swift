import FunnelSystem

/// The members of a past view that have both visible and hidden records, with the origins of their records. Thread-safe.
final class PartlyShownMembers: Sendable {
  /// The location of a member.
  private struct Location: Hashable {
    let part: LogFileName
    let offset: Int
  }

  private let origins = Guarded<[Location: [RecordOrigin]]>([:])

  /// Stores the origins of a member's records.
  func insert(_ runs: [RecordOrigin], for member: MemberReference) {
    origins.withLock { $0[Location(part: member.part, offset: member.offset)] = runs }
  }

  /// Returns the origins of a member's records, or `nil` if all of its records are visible.
  func origins(of member: MemberReference) -> [RecordOrigin]? {
    origins.withLock { $0[Location(part: member.part, offset: member.offset)] }
  }
}
