package import FunnelStore
package import FunnelModel

/// The members of a store that lose some of their lines, and the rewriting of their parts.
package struct AffectedMembers: Sendable {
  private var offsets: [LogFileName: Set<Int>] = [:]

  package init() {}

  /// Adds a member that loses lines.
  package mutating func insert(_ member: MemberReference) { offsets[member.part, default: []].insert(member.offset) }

  /// Returns the parts to rewrite, by area and name: those of the members, and all later parts of the same days, so that the remaining
  /// records of a day keep their order.
  package func parts(in store: StoreReader) -> [LogFileName] {
    LogFileName.Area.allCases.flatMap { area in
      let firsts = Dictionary(grouping: offsets.keys.filter { $0.area == area }, by: \.day).compactMapValues { $0.min() }
      return store.parts(of: area).map(\.name).filter { part in firsts[part.day].map { $0 <= part } ?? false }
    }
  }

  /// Copies parts, replacing affected members by their remainder and keeping the others byte for byte.
  ///
  /// - Parameter remainder: Returns the lines of a member that stay. It is called from any thread, in any order.
  package func copy(
    _ parts: [LogFileName], to rewriting: StoreRewriting,
    leaving remainder: @escaping @Sendable (_ lines: [UInt8], _ member: MemberReference) throws(FunnelError) -> RecordBatch
  ) throws(FunnelError) {
    for part in parts {
      let affected = offsets[part] ?? []
      try rewriting.copy(part) { (member) throws(FunnelError) in
        guard affected.contains(member.reference.offset) else { return .keep }
        return .replace(try remainder(member.lines(), member.reference))
      }
    }
  }
}
