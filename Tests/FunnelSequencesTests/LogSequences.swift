import FunnelIndex
import FunnelSequences
import FunnelStore
import FunnelModel

extension SequenceTable {
  /// Returns the histories of the log, read without its index.
  static func ofLog(
    _ store: StoreReader, catalog: FlowCatalog, query: ReportQuery, flows: Set<Int>, threads: Int
  ) throws(FunnelError) -> SequenceTable {
    try withSequences(
      of: .store(store, threads: threads), catalog: catalog, query: query, flows: flows, progress: { _ in }
    ) { (table) throws(FunnelError) in
      // A table that lacks the values to tell events apart throws only when it is read.
      for partition in 0..<table.partitionCount { try table.forEachSequence(inPartition: partition) { _ in } }
      return table
    }.0
  }
}
