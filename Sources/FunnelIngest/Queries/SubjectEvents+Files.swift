package import FunnelDecoding
package import FunnelModel

extension SubjectEvents {
  /// Returns the events of a subject in input files, in order, and the number of rejected lines. The events are
  /// validated and deduplicated as in an ingest.
  ///
  /// - Throws: `noInput` or `inputOutput` if a file can't be read.
  package static func ofFiles(
    _ files: [InputFile], subject: String, options: DecodingOptions, catalog: FlowCatalog, threads: Int
  ) throws -> (events: [SubjectEvent], refused: Int) {
    var collector = Collector(subject: subject, now: options.now, catalog: catalog)
    var refused = 0
    try InputReader.forEachDecodedBlock(
      of: files, catalog: catalog, options: options, threads: threads, wanting: DecodingWants(identities: false)
    ) { block, _ in
      refused += block.deadLetters.count
      try collector.add(Self.records(of: subject, in: block.records), place: block.file)
    }
    return (collector.sorted(), refused)
  }
}
