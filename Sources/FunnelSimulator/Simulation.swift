public import FunnelModel

/// Invented people on their way through the onboarding flows of four apps, as a log in the native format.
///
///     let simulation = try Simulation(SimulationOptions(flows: ["trendy/onboarding"], subjects: 1000, seed: 7, start: day, days: 14))
///     let summary = try simulation.run { chunk in try file.write(chunk) }
///
/// The same options give the same bytes on every machine. Subjects are simulated one after the other in the order of their
/// installs; each one's events wait until they arrive. No more than ``pendingEventsMax`` ever wait (about 30 MB), however long the log is:
/// with more under way, the earliest is written before its time, and the lines are in the order of arrival only roughly.
public struct Simulation: Sendable {
  /// The most events that wait for their arrival at once: the bound of the simulation's memory.
  public static let pendingEventsMax = 1 << 18
  /// Bytes that are gathered before they are handed on; only the last chunk is smaller.
  public static let chunkBytesMin = 64 << 10

  /// What flows may be named: `cleaner/permissions_flow` and so on.
  public static var knownFlows: [String] { SimulatedFlow.allCases.map(\.reference) }

  private let options: SimulationOptions
  private let selection: FlowSelection
  private let pendingEventsMax: Int

  /// Checks the options.
  ///
  /// - Parameter pendingEventsMax: the most events that wait for their arrival at once, at least 1. It has a say in the order of the lines.
  /// - Throws: ``FunnelError`` with code `usage` for a flow or version that doesn't exist, and for numbers or days out of range.
  public init(_ options: SimulationOptions, pendingEventsMax: Int = Self.pendingEventsMax) throws(FunnelError) {
    try options.validate()
    self.pendingEventsMax = max(pendingEventsMax, 1)
    selection = try FlowSelection(references: options.flows)
    self.options = options
  }

  /// Simulates, handing the log on in chunks of at least ``chunkBytesMin`` that end with a whole line.
  ///
  /// - Throws: what `write` throws, at once.
  public func run<Failure: Error>(
    write: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) -> SimulationSummary {
    var stream = EventStream(options: options, selection: selection, pendingEventsMax: pendingEventsMax)
    while !stream.isFinished {
      stream.advance(untilBytes: Self.chunkBytesMin)
      try stream.takeChunk(write)
    }
    return stream.summary
  }
}

/// What a simulation wrote.
public struct SimulationSummary: Hashable, Sendable {
  /// All lines, broken ones included.
  public internal(set) var lines = 0
  public internal(set) var bytes = 0
  /// Subjects of all apps together.
  public internal(set) var subjects = 0
  /// The most events that waited for their arrival at once, never more than the simulation's bound.
  public internal(set) var pendingEventsPeak = 0
}
