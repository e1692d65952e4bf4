package import FunnelStore
package import FunnelModel

/// Rewrites the log files of a store that contain gzip members from which lines are removed.
package struct AffectedMembers: Sendable {
  /// The offsets of the affected members in each log file.
  private var offsets: [LogFileName: Set<Int>] = [:]

  /// Creates an empty set of members.
  package init() {}

  /// Adds a member from which lines are removed.
  package mutating func insert(_ member: MemberReference) { offsets[member.logFile, default: []].insert(member.offset) }

  /// Returns the log files to rewrite, by area and name: those of the members, and all later ones of the same
  /// days. The records of a day thereby keep their order.
  package func parts(in store: StoreReader) -> [LogFileName] {
    LogFileName.Area.allCases.flatMap { area in
      let firsts = Dictionary(grouping: offsets.keys.filter { $0.area == area }, by: \.day).compactMapValues { $0.min() }
      return store.logFiles(of: area).map(\.name).filter { part in firsts[part.day].map { $0 <= part } ?? false }
    }
  }

  /// Copies log files. Affected members are replaced by their remaining lines, and the others are copied byte for byte.
  ///
  /// - Parameters:
  ///   - parts: The log files, in the order of ``parts(in:)``.
  ///   - rewriting: The destination.
  ///   - remainder: Returns the remaining lines of a decompressed member. It is called from several threads, in
  ///     any order.
  /// - Throws: The errors of `remainder`, and `inputOutput` if reading or writing fails.
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
