package import FunnelDecoding
package import FunnelModel

extension SubjectEvents {
  /// Returns the events of subjects in input files, in order, and the number of rejected lines. The events are
  /// validated and deduplicated as in an ingest.
  ///
  /// - Throws: `noInput` or `inputOutput` if a file can't be read.
  package static func ofFiles(
    _ files: [InputFile], subjects: [String], options: DecodingOptions, catalog: FlowCatalog, threads: Int
  ) throws -> (events: [SubjectEvent], refused: Int) {
    let subjects = SubjectSet(subjects)
    var collector = Collector(now: options.now, catalog: catalog)
    var refused = 0
    try InputReader.forEachDecodedBlock(
      of: files, catalog: catalog, options: options, threads: threads, wanting: DecodingWants(identities: false)
    ) { block, _ in
      refused += block.deadLetters.count
      try collector.add(Self.records(of: subjects, in: block.records), place: block.file)
    }
    return (collector.sorted(), refused)
  }

  /// Returns the events of a user's subjects, and of the subject with the same text, in input files, as ``ofFiles(_:subjects:options:catalog:threads:)``
  /// does.
  ///
  /// The files are read twice, because the link to a subject may stand after its events. Of a stream all records are kept instead.
  ///
  /// - Throws: `noInput` or `inputOutput` if a file can't be read.
  package static func ofFiles(
    _ files: [InputFile], user: String, options: DecodingOptions, catalog: FlowCatalog, threads: Int
  ) throws -> (events: [SubjectEvent], refused: Int) {
    let users = SubjectSet([user])
    let isStream = files.contains { $0.byteCount == nil }
    var kept: [(records: [UInt8], place: String)] = []
    var found: Set<[UInt8]> = [Array(user.utf8)]
    var refused = 0
    try InputReader.forEachDecodedBlock(
      of: files, catalog: catalog, options: options, threads: threads, wanting: DecodingWants(identities: false)
    ) { block, _ in
      refused += block.deadLetters.count
      found.formUnion(Self.subjects(ofUsers: users, inRecords: block.records))
      if isStream { kept.append((block.records, block.file)) }
    }
    guard isStream else {
      return try ofFiles(files, subjects: sorted(found), options: options, catalog: catalog, threads: threads)
    }
    let subjects = SubjectSet(sorted(found))
    var collector = Collector(now: options.now, catalog: catalog)
    for (records, place) in kept { try collector.add(Self.records(of: subjects, in: records), place: place) }
    return (collector.sorted(), refused)
  }
}
