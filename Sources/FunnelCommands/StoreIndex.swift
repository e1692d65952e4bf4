import FunnelIndex
import FunnelStore
import FunnelModel

/// The index of a store whose parts were written anew.
enum StoreIndex {
  /// Makes a commit that takes something away, and brings the index up to date.
  ///
  /// - Parameter goes: whether events are among it, or files of an old index. Then the index goes first: it can be made anew from the log, and
  ///   must never outlast what it was made of.
  static func removed(
    of writer: StoreWriter, if goes: Bool, threads: Int, during commit: () throws(FunnelError) -> Commit?
  ) throws(FunnelError) -> Commit? {
    if goes { try IndexRemoval.run(in: writer) }
    let made = try commit()
    if goes || made != nil { renew(of: writer, threads: threads) }
    return made
  }

  /// Makes the index anew; that it can't be written is told, and harms nobody.
  static func renew(of writer: StoreWriter, threads: Int) {
    let index = IndexedEvents(into: writer, threads: threads)
    index.finish()
    if let problem = index.problem { Console.complain("the index was not written, reports read the log meanwhile: \(problem)") }
  }
}
