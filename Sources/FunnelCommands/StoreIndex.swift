import FunnelIndex
import FunnelStore
import FunnelModel

/// Maintains the index of a store whose parts are rewritten.
enum StoreIndex {
  /// Makes a commit that removes data, and updates the index.
  ///
  /// - Parameter goes: Whether the commit removes events, or there are files of an old index. If so, the index is removed first: it can be
  ///   rebuilt from the log, and must not outlive the events it was built from.
  static func removed(
    of writer: StoreWriter, if goes: Bool, threads: Int, during commit: () throws(FunnelError) -> Commit?
  ) throws(FunnelError) -> Commit? {
    if goes { try IndexRemoval.run(in: writer) }
    let made = try commit()
    if goes || made != nil { renew(of: writer, threads: threads) }
    return made
  }

  /// Updates the index. A failure is only reported, because reports can read the log instead.
  static func renew(of writer: StoreWriter, threads: Int) {
    let index = IndexedEvents(into: writer, threads: threads)
    index.finish()
    if let problem = index.problem { Console.complain("the index was not written, reports read the log meanwhile: \(problem)") }
  }
}
