package import FunnelModel
internal import FunnelStorage

/// A ``KindTable`` that several threads add to.
package final class SharedKindTable: Sendable {
  private let table = Guarded(KindTable())

  package init() {}

  /// The code of a meaning, the same for all threads.
  package func code(of entry: KindTable.Entry) -> UInt32 { table.withLock { $0.code(of: entry) } }

  /// All entries so far, by code.
  package var entries: [KindTable.Entry] { table.withLock { $0.entries } }
}
