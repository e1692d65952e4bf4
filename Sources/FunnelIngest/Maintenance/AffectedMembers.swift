import FunnelStore
import FunnelModel

/// The members of a store of which some lines go, and how the parts they lie in are written anew.
struct AffectedMembers: Sendable {
  private var offsets: [PartName: Set<Int>] = [:]

  /// Notes that something of a member goes.
  mutating func insert(_ member: MemberReference) { offsets[member.part, default: []].insert(member.offset) }

  /// The parts to write anew, by area and name: those of the members, and those of their days behind them, so that what stays of a day keeps
  /// its order.
  func parts(in store: StoreReader) -> [PartName] {
    PartName.Area.allCases.flatMap { area in
      let firsts = Dictionary(grouping: offsets.keys.filter { $0.area == area }, by: \.day).compactMapValues { $0.min() }
      return store.parts(of: area).map(\.name).filter { part in firsts[part.day].map { $0 <= part } ?? false }
    }
  }

  /// Copies parts: of the members that are affected what is left of them, the others byte by byte.
  ///
  /// - Parameter remainder: what stays of a member; called from any thread, in any order.
  func copy(
    _ parts: [PartName], to rewriting: StoreRewriting,
    leaving remainder: @Sendable (_ lines: [UInt8], _ member: MemberReference) throws(FunnelError) -> RecordBatch
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
