import FunnelSystem

/// The members of which a view shows some records and hides others, with the origins of their records.
final class PartlyShownMembers: Sendable {
  private struct Place: Hashable {
    let part: LogFileName
    let offset: Int
  }

  private let origins = Guarded<[Place: [RecordOrigin]]>([:])

  func insert(_ runs: [RecordOrigin], for member: MemberReference) {
    origins.withLock { $0[Place(part: member.part, offset: member.offset)] = runs }
  }

  func origins(of member: MemberReference) -> [RecordOrigin]? {
    origins.withLock { $0[Place(part: member.part, offset: member.offset)] }
  }
}
