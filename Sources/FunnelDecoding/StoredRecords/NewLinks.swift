package import FunnelModel
package import FunnelStore
import FunnelSystem

/// The links that new events make from one subject to users (specification section 13).
package struct NewLinks: Sendable {
  /// The users, as bytes.
  package private(set) var users: Set<[UInt8]> = []
  /// The days of the events.
  package private(set) var days: Set<CivilDate> = []

  /// Returns the links that events of some commits make, by the bytes of the subject.
  ///
  /// - Parameters:
  ///   - commits: The numbers of the commits. Their events may have been rewritten since.
  ///   - now: The time of the last event that counts.
  /// - Throws: `inputOutput` if a member is damaged.
  package static func bySubject(
    in store: StoreReader, broughtBy commits: Set<Int>, upTo now: Timestamp, timeZone: TimeZoneRules, threads: Int
  ) throws(FunnelError) -> [[UInt8]: NewLinks] {
    let members = try store.membersWithOrigins(of: .log).filter { member, origins in
      member.logFile.day.midnight <= now && origins.contains { commits.contains($0.commit) }
    }
    let found = try Parallel.map(count: members.count, threads: threads) { (index) throws(FunnelError) in
      let (member, origins) = members[index]
      var links: [[UInt8]: NewLinks] = [:]
      var brought = origins.flatMap { Array<Bool>(repeating: commits.contains($0.commit), count: $0.records) }[...]
      try StoredEventReader().forEach(in: store.read(member), of: member) { event, _ in
        guard brought.popFirst() ?? false, event.timestamp <= now, let user = event.linkingUser else { return }
        let subject = [UInt8](copying: event.subject.span)
        links[subject, default: NewLinks()].users.insert([UInt8](copying: user.span))
        links[subject, default: NewLinks()].days.insert(timeZone.day(at: event.timestamp.milliseconds))
      }
      return links
    }
    return found.reduce(into: [:]) { all, links in
      all.merge(links) { NewLinks(users: $0.users.union($1.users), days: $0.days.union($1.days)) }
    }
  }
}
