import FunnelModel

/// The simulation as a state machine that is advanced in steps. It takes installs in order, takes events by arrival, and writes lines
/// into a buffer.
struct EventStream {
  private let selection: FlowSelection
  private let apps: [SimulatedApp]
  private let installs: Int
  private let population: Population
  private var rhythm: InstallRhythm
  private var path: SubjectPath
  private var dispatch: Dispatch
  private var pending: PendingEvents
  private var writer: EventWriter
  private var nextInstall = 0
  /// The time of the next install, or `nil` if there are no more.
  private var installTime: Int64?
  private(set) var summary = SimulationSummary()

  init(options: SimulationOptions, selection: FlowSelection, pendingEventsMax: Int) {
    pending = PendingEvents(capacity: pendingEventsMax)
    self.selection = selection
    apps = selection.apps
    installs = apps.count * options.subjects
    population = Population(options: options, selection: selection)
    rhythm = InstallRhythm(seed: options.seed, start: options.start, days: options.days, installs: installs)
    let end = CivilDate(daysSinceEpoch: options.start.daysSinceEpoch + options.days).midnight.milliseconds
    dispatch = Dispatch(options: options, endMilliseconds: end)
    path = SubjectPath(persona: population.persona(of: apps[0], index: 0), start: 0)
    writer = EventWriter(
      population: population, declared: selection.declared, capacity: 2 * Simulation.chunkBytesMin)
    installTime = rhythm.next()
  }

  var isFinished: Bool { installTime == nil && pending.isEmpty }

  /// Advances until at least a number of bytes is ready or the log is complete.
  mutating func advance(untilBytes target: Int) {
    while writer.bytes.count < target {
      if let arrival = pending.earliestArrival, arrival <= installTime ?? .max {
        writeFirst()
      } else if let time = installTime {
        // If the queue is full, one install can write many events and pass the target, by a few dozen lines.
        install(at: time)
      } else {
        return
      }
    }
  }

  /// Passes the ready bytes to `write` and discards them.
  mutating func takeChunk<Failure: Error>(_ write: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    summary.bytes += writer.bytes.count
    summary.pendingEventsPeak = pending.peakCount
    guard !writer.bytes.isEmpty else { return }
    try write(writer.bytes)
    writer.clear()
  }

  private mutating func writeFirst() {
    writer.write(pending.removeFirst())
    summary.lines += 1
  }

  /// Simulates the next subject completely and queues its events.
  private mutating func install(at time: Int64) {
    let app = apps[nextInstall % apps.count]
    let subject = UInt32(nextInstall / apps.count)
    path.restart(persona: population.persona(of: app, index: subject), start: time)
    path.play(selection)
    path.sortEvents()
    dispatch.send(path, subject: subject, installed: time)
    for event in dispatch.sent {
      if pending.isFull { writeFirst() }
      pending.insert(event)
    }
    summary.subjects += 1
    nextInstall += 1
    installTime = nextInstall < installs ? rhythm.next() : nil
  }
}
