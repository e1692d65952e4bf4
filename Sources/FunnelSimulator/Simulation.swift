package import FunnelModel

/// Simulates people on their way through the onboarding flows of four apps, or of any other app whose flow definitions are given, as a
/// log in the native format.
///
///     let simulation = try Simulation(SimulationOptions(flows: ["trendy/onboarding"], subjects: 1000, seed: 7, start: day, days: 14))
///     let summary = try simulation.run { chunk in try file.write(chunk.span) }
///
/// The same options give the same bytes on every machine. Subjects are simulated one after the other in the order of their installs,
/// and each subject's events wait until they arrive. At most ``pendingEventsMax`` events wait at once (about 30 MB), however long the
/// log is. If more are in transit, the earliest is written before it arrives, and the lines are only roughly in the order of arrival.
package struct Simulation: Sendable {
  /// The maximum number of events that wait for their arrival at once, which bounds the simulation's memory.
  package static let pendingEventsMax = 1 << 18
  /// The minimum size of a chunk in bytes; only the last chunk may be smaller.
  package static let chunkBytesMin = 64 << 10

  /// The references of all flows that need no definition: `cleaner/permissions_flow` and so on.
  package static var knownFlows: [String] { SimulatedFlow.allCases.map(\.reference) }

  private let options: SimulationOptions
  private let selection: FlowSelection
  private let pendingEventsMax: Int

  /// Creates a simulation and checks its options.
  ///
  /// - Parameter pendingEventsMax: The maximum number of events that wait for their arrival at once, at least 1. It affects the order
  ///   of the lines.
  /// - Throws: ``FunnelError`` with code `usage` for an unknown flow or version, and for numbers or days out of range; with code
  ///   `configuration` for a definition with an event that can't be invented.
  package init(_ options: SimulationOptions, pendingEventsMax: Int = Self.pendingEventsMax) throws(FunnelError) {
    try options.validate()
    self.pendingEventsMax = max(pendingEventsMax, 1)
    selection = try FlowSelection(references: options.flows, definitions: options.definitions)
    self.options = options
  }

  /// Runs the simulation, and passes the log to `write` in chunks of at least ``chunkBytesMin`` that end with a complete line.
  ///
  /// - Throws: Any error that `write` throws, at once.
  package func run<Failure: Error>(
    write: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) -> SimulationSummary {
    var stream = EventStream(options: options, selection: selection, pendingEventsMax: pendingEventsMax)
    while !stream.isFinished {
      stream.advance(untilBytes: Self.chunkBytesMin)
      try stream.takeChunk(write)
    }
    return stream.summary
  }
}

/// The size of a simulated log.
package struct SimulationSummary: Hashable, Sendable {
  /// The number of lines, including damaged ones.
  package internal(set) var lines = 0
  /// The size of the log in bytes.
  package internal(set) var bytes = 0
  /// The number of subjects of all apps together.
  package internal(set) var subjects = 0
  /// The largest number of events that waited for their arrival at once, never more than the simulation's limit.
  package internal(set) var pendingEventsPeak = 0
}
