import FunnelModel
import FunnelTestSupport
import Testing

/// Reports read files with arbitrary bytes.
@Suite struct MutatedInputTests {
  @Test func `no file does harm, and a second reading gives the same`() throws {
    var random = SeededGenerator(seed: 11)
    let samples = (0..<20).map { _ in Array(RandomHistories.lines(12, using: &random).joined(separator: "\n").utf8) }
    let catalog = try RandomHistories.catalog()
    var query = ReportQuery(now: Journeys.now)
    query.by = [.context("variant"), .property("size")]
    let complaints = try MutationSweep("files", samples: samples, count: 100).run { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      let once = try FileHistories([text], catalog: catalog, query: query)
      let twice = try FileHistories([text, text], catalog: catalog, query: query, threads: 2)
      guard once.sequences == twice.sequences else { throw FunnelError(.usage, "reading it twice makes a difference") }
    }
    #expect(complaints.isEmpty, "\(complaints)")
  }
}
