import FunnelJourneys
import FunnelLog

/// The index of a store whose parts were written anew.
enum StoreIndex {
  /// Makes the index anew; that it can't be written is told, and harms nobody.
  static func renew(of writer: StoreWriter, threads: Int) {
    let index = IndexedEvents(into: writer, threads: threads)
    index.finish()
    if let problem = index.problem { Console.complain("the index was not written, reports read the log meanwhile: \(problem)") }
  }
}
