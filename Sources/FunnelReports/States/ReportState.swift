import Crypto
package import FunnelIndex
package import FunnelDecoding
package import FunnelModel
import FunnelProjections

/// The mergeable aggregates of a report, which can be stored in a file and merged with those of other event sources.
///
///     let state = ReportState(…)                       // funnel fold, on each machine
///     var merger = try StateMerger(states[0], …)       // funnel merge
///     try merger.add(states[1], …)
///     let report = try merger.report(.standard, …)     // equal to the report of all events
///
/// Merging is associative and commutative, and equal events give equal bytes. Event sources must not share a
/// subject, because a subject is counted from all of its events. Detectable mistakes are rejected: a state that is
/// merged twice, another query, or other definitions.
///
/// The size depends on the number of flow versions, segments, names and values, not on the number of events.
package struct ReportState: Sendable {
  /// The query and the definitions that the counts depend on.
  package let request: StateRequest
  /// The folds whose events are counted, sorted.
  let folds: [FoldIdentity]
  /// The number of lines that were read and rejected.
  package let input: InputCounts
  /// The encoded counts (`StateFormat`), by counting and flow version.
  let counts: [[[UInt8]]]

  init(request: StateRequest, folds: [FoldIdentity], input: InputCounts, counts: [[[UInt8]]]) {
    self.request = request
    self.folds = folds
    self.input = input
    self.counts = counts
  }

  /// Creates the state of a fold.
  ///
  /// - Parameters:
  ///   - counts: The counts of the fold.
  ///   - input: The counts of the lines that were read, with their fingerprint, or `nil` if the events are a
  ///     whole log.
  package init(of counts: FoldedCounts, request: StateRequest, period: StatePeriod, input: InputCounts?) {
    let events = input.map(Self.fingerprint) ?? FoldIdentity.wholeLog
    self.init(
      request: request, folds: [FoldIdentity(period: period, events: events)], input: input ?? InputCounts(),
      counts: counts.encoded)
  }

  /// The number of bytes of a fingerprint.
  static let fingerprintByteCount = 16

  /// Returns 16 bytes that identify the events of an input, or an empty array if there are no events.
  private static func fingerprint(of input: InputCounts) -> [UInt8] {
    guard input.events > 0 else { return [] }
    var writer = StateWriter()
    writer.append(word: input.fingerprint)
    writer.append(input)
    return Array(SHA256.hash(data: writer.bytes).prefix(fingerprintByteCount))
  }
}

/// The counts of one pass over event sequences.
package struct FoldedCounts: Sendable {
  /// The encoded counts, by counting and flow version, in the order of the catalog.
  let encoded: [[[UInt8]]]

  private init(encoded: [[[UInt8]]]) { self.encoded = encoded }

  /// Returns the counts of one flow version, by its index among the counted ones.
  package func flow(at index: Int) -> FoldedCounts { FoldedCounts(encoded: encoded.map { [$0[index]] }) }

  /// Counts the reports of a selection.
  ///
  /// - Parameters:
  ///   - flows: The catalog indices of the flow versions to count.
  ///   - threads: The number of threads. The counts do not depend on it.
  /// - Throws: The error of the source.
  package init(
    of source: some SequenceSource, catalog: FlowCatalog, flows: Set<Int>, query: ReportQuery, selection: ReportSelection,
    threads: Int
  ) throws(FunnelError) {
    let countings = ReportCounting.countings(of: selection, for: query).map(\.counting)
    encoded = try ProjectionFold.counts(of: source, catalog: catalog, flows: flows, countings: countings, threads: threads)
      .map { $0.map(\.encoded) }
  }
}
