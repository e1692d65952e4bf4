package import FunnelModel
package import FunnelStore
import FunnelSystem

/// Finds the subjects of late events: events that were added to the log after a report of their day.
package enum LateSubjects {
  /// Returns the subjects of the events of some commits, by the index in the catalog of each flow version that
  /// the events belong to.
  ///
  /// - Parameters:
  ///   - commits: The numbers of the commits. Their events may have been rewritten since.
  ///   - moment: The end of the reported days. Later events are ignored. `nil` includes all events.
  /// - Throws: `inputOutput` if a member is damaged.
  package static func byFlow(
    in store: StoreReader, catalog: FlowCatalog, broughtBy commits: Set<Int>, before moment: Timestamp?, threads: Int
  ) throws(FunnelError) -> [Int: Set<String>] {
    let members = try store.membersWithOrigins(of: .log).filter { member, origins in
      moment.map { member.logFile.day.midnight < $0 } ?? true && origins.contains { commits.contains($0.commit) }
    }
    let found = try Parallel.map(count: members.count, threads: threads) { (index) throws(FunnelError) in
      let (member, origins) = members[index]
      var subjects: [Int: Set<String>] = [:]
      var matcher = FlowMatcher(catalog: catalog)
      var brought = origins.flatMap { Array<Bool>(repeating: commits.contains($0.commit), count: $0.records) }[...]
      try StoredEventReader().forEach(in: store.read(member), of: member) { event, _ in
        guard brought.popFirst() ?? false, moment.map({ event.timestamp < $0 }) ?? true else { return }
        // A statement of its own: `resolve` may append to the lists that `flows` reads.
        let resolution = matcher.resolve(event)
        for flow in matcher.flows(of: resolution) { subjects[flow, default: []].insert(event.subject.text) }
      }
      return subjects
    }
    return found.reduce(into: [:]) { $0.merge($1) { $0.union($1) } }
  }
}
