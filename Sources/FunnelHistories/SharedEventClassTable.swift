package import FunnelModel
internal import FunnelSystem

/// The meanings of events, shared by the threads that read files.
///
/// Each distinct set of claims gets a small number, which the rows of events carry and which refers to a code of the ``EventClassTable``.
package final class SharedEventClassTable: Sendable {
  /// The meanings known at some moment. The table only grows, so its numbers stay valid.
  package struct Contents: Sendable {
    package fileprivate(set) var kinds = EventClassTable()
    /// The code of each meaning.
    package fileprivate(set) var codes: [UInt32] = []
    fileprivate var numbers: [UInt32: UInt32] = [:]
  }

  private let table = Guarded(Contents())

  package init() {}

  /// Returns the number of a meaning, which is the same for all threads.
  package func number(of claims: [EventClassTable.Claim]) -> UInt32 {
    table.withLock { table in
      let code = table.kinds.code(of: claims)
      if let number = table.numbers[code] { return number }
      let number = UInt32(table.codes.count)
      table.codes.append(code)
      table.numbers[code] = number
      return number
    }
  }

  package var contents: Contents { table.withLock { $0 } }
}
