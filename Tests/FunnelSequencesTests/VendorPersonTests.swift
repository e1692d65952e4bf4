import FunnelDecoding
import FunnelImport
import FunnelIngest
import FunnelModel
import FunnelTestSupport
import Testing

/// The records of other products link IDs as the native events do that they become.
@Suite struct VendorPersonTests {
  @Test(arguments: VendorRecords.formats, Sweeps.seeds(20, sample: 2))
  func `a vendor's records count the persons that their IDs make`(format: ImportFormat, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let catalog = try RandomHistories.catalog()
    let source = LinkedLog(Int.random(in: 20...150, using: &random), using: &random)
    let records = VendorRecords(of: source, as: format, using: &random)
    var decoding = IndexedStore.decoding
    decoding.defaultApp = "cleaner"
    // Without an option each file must be taken for this vendor's.
    if Bool.random(using: &random) { decoding.imports = ImportPlans(format: format) }
    let store = try IndexedStore(catalog: catalog)
    let summary = try store.ingest(records.lines, decoding: decoding)
    #expect(summary.accepted == records.lines.count, "\(format), seed \(seed): \(summary.firstRefusals)")
    try store.refresh()
    for number in 0..<3 {
      var query = PersonAnswers.query(countBy: [nil, .person, .entry, .subject], using: &random)
      query.by = [.property("size")]
      let (persons, others) = PersonAnswers.units(catalog, query)
      for flows in [persons, others] where !flows.isEmpty {
        let comment: Comment = "\(format), seed \(seed), question \(number): \(query), \(flows == persons)"
        let expected = try PersonAnswers(byRuleOf: records.log, catalog, flows, query)
        #expect(try PersonAnswers(ofFiles: records.log.lines, catalog, flows, query) == expected, comment)
        #expect(try PersonAnswers(ofFiles: records.lines, catalog, flows, query, decoding: decoding) == expected, comment)
        #expect(try PersonAnswers(ofIndex: store, flows, query) == expected, comment)
      }
    }
  }
}
