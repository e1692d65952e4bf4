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
    package fileprivate(set) var kinds = EventClassTable()
    /// The event class ID of each match set, by match set ID. Compound IDs are possible.
    package fileprivate(set) var codes: [UInt32] = []
    /// The match set ID by event class ID.
    fileprivate var numbers: [UInt32: UInt32] = [:]
  }

  private let table = Guarded(Contents())

  /// Creates an empty table.
  package init() {}

  /// Returns the match set ID of some flow matches, at least one, adding it if it is new.
  package func number(of claims: [EventClassTable.Claim]) -> UInt32 {
    table.withLock { table in
      let classID = table.kinds.code(of: claims)
      if let number = table.numbers[classID] { return number }
      let number = UInt32(table.codes.count)
      table.codes.append(classID)
      table.numbers[classID] = number
      return number
    }
  }

  /// A copy of the table as it is now.
  package var contents: Contents { table.withLock { $0 } }
}
