import Crypto
public import FunnelIndex
public import FunnelIngest
public import FunnelModel
import FunnelProjections

/// What a fold counted, so that it can be kept in a file, merged with what other folds counted, and made a report of.
///
///     let state = ReportState(…)                       // funnel fold, on each machine
///     var merger = try StateMerger(states[0], …)       // funnel merge
///     try merger.add(states[1], …)
///     let report = try merger.report(.standard, …)     // the same as of all events at once
///
/// States merge in any order and any shape, and the same events make the same bytes. The folds must not share a subject: what a subject did
/// is counted from all of its events or not at all. What can be noticed of a mistake is refused: a state that is merged twice, another
/// query, other definitions.
///
/// The size depends on what is counted (flow versions, segments, names, values), and not on the number of events.
public struct ReportState: Sendable {
  public let question: StateRequest
  /// The folds whose events are counted, in order.
  let parts: [StatePart]
  /// The lines that were read, and which of them were rejected.
  public let input: InputCounts
  /// The counts as bytes (`StateFormat`), of each counting and each flow version.
  let counts: [[[UInt8]]]

  init(question: StateRequest, parts: [StatePart], input: InputCounts, counts: [[[UInt8]]]) {
    (self.question, self.parts, self.input, self.counts) = (question, parts, input, counts)
  }

  /// Creates the state of a fold.
  ///
  /// - Parameters:
  ///   - counts: What the fold counted.
  ///   - input: The lines that were read, with their fingerprint; nil if the events are all those of a log.
  public init(of counts: FoldedCounts, question: StateRequest, period: StatePeriod, input: InputCounts?) {
    let events = input.map(Self.fingerprint) ?? StatePart.wholeLog
    self.init(
      question: question, parts: [StatePart(period: period, events: events)], input: input ?? InputCounts(),
      counts: counts.encoded)
  }

  /// The number of bytes of a fingerprint.
  static let fingerprintByteCount = 16

  /// Returns what tells the events of an input from those of others, 16 bytes; none if there are no events.
  private static func fingerprint(of input: InputCounts) -> [UInt8] {
    guard input.events > 0 else { return [] }
    var writer = StateWriter()
    writer.append(word: input.fingerprint)
    writer.append(input)
    return Array(SHA256.hash(data: writer.bytes).prefix(fingerprintByteCount))
  }
}

/// What one pass over the events of a fold counted.
public struct FoldedCounts: Sendable {
  /// The counts as bytes, of each counting and each flow version, in the order of the catalog.
  let encoded: [[[UInt8]]]

  private init(encoded: [[[UInt8]]]) { self.encoded = encoded }

  /// Returns the counts of one flow version alone, by its place among those that were counted.
  public func flow(at place: Int) -> FoldedCounts { FoldedCounts(encoded: encoded.map { [$0[place]] }) }

  /// Counts the reports of a selection.
  ///
  /// - Parameters:
  ///   - flows: Indices in the catalog of the flow versions that are counted.
  ///   - threads: The number of threads. It never changes the counts.
  /// - Throws: The error of the source.
  public init(
    of source: some SequenceSource, catalog: FlowCatalog, flows: Set<Int>, query: ReportQuery, selection: ReportSelection,
    threads: Int
  ) throws(FunnelError) {
    let countings = ReportCounting.countings(of: selection, for: query).map(\.counting)
    encoded = try ProjectionFold.counts(of: source, catalog: catalog, flows: flows, countings: countings, threads: threads)
      .map { $0.map(\.encoded) }
  }
}
