package import FunnelModel
internal import FunnelSystem

/// A thread-safe table of the flow matches of events, shared by the threads that read files.
///
/// Each distinct set of flow matches has a *match set ID*, numbered from 0 in order of appearance, so it fits into
/// the few bits that a stored row has for it. Each match set ID refers to an event class ID of an
/// ``EventClassTable``.
package final class SharedEventClassTable: Sendable {
  /// A snapshot of the table. The table only grows, so IDs stay valid.
  package struct Contents: Sendable {
    package fileprivate(set) var eventClasses = EventClassTable()
    /// The event class ID of each match set, by match set ID. Compound IDs are possible.
    package fileprivate(set) var classIDs: [UInt32] = []
    /// The match set ID by event class ID.
    fileprivate var matchSetIDs: [UInt32: UInt32] = [:]
  }

  private let table = Guarded(Contents())

  /// Creates an empty table.
  package init() {}

  /// Returns the match set ID of some flow matches, at least one, adding it if it is new.
  package func matchSetID(of flowMatches: [EventClassTable.FlowMatch]) -> UInt32 {
    precondition(!flowMatches.isEmpty, "a match set has flow matches")
    return table.withLock { table in
      let classID = table.eventClasses.findOrInsert(flowMatches)
      if let id = table.matchSetIDs[classID] { return id }
      let id = UInt32(table.classIDs.count)
      assert(table.classIDs.count == table.matchSetIDs.count, "each match set has an ID")
      table.classIDs.append(classID)
      table.matchSetIDs[classID] = id
      return id
    }
  }

  /// A copy of the table as it is now.
  package var contents: Contents { table.withLock { $0 } }
}
