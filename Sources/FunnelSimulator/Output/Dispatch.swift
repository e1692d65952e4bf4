/// The transport of a subject's events: on time or late, once or twice, intact or damaged.
///
/// It has its own random source, so that lateness, duplicates and faults never change the subjects' behaviour.
struct Dispatch {
  /// The share of lines that are repeated.
  static let duplicateShare = 0.0075
  /// The share of events whose name is misspelt.
  static let misspeltShare = 0.001
  /// The number of damaged lines per good line.
  static let damagedShare = 0.002

  let options: SimulationOptions
  /// The end of the log in milliseconds since the epoch; events at or after it are left out.
  let endMilliseconds: Int64
  /// The events sent for the last subject; the buffer is reused.
  private(set) var sent: [PendingEvent] = []

  init(options: SimulationOptions, endMilliseconds: Int64) {
    self.options = options
    self.endMilliseconds = endMilliseconds
  }

  /// Sends a subject's events, which must be sorted. Afterwards ``sent`` contains the result.
  mutating func send(_ path: SubjectPath, subject: UInt32, installed: Int64) {
    sent.removeAll(keepingCapacity: true)
    var random = RandomSource(seed: path.persona.key &+ 2)
    for (ordinal, event) in path.events.enumerated() {
      guard event.milliseconds < endMilliseconds else { return }
      var pending = PendingEvent(
        event: event, subject: subject, app: path.persona.app, ordinal: UInt16(ordinal),
        reportsTransit: path.persona.reportsTransit,
        receivedMilliseconds: Self.arrival(of: event, from: path.persona, installed: installed),
        transitMilliseconds: Int32(path.persona.latencyMilliseconds))
      if options.includesFaults, random.chance(Self.misspeltShare) { pending.damage = .misspelt }
      sent.append(pending)
      if options.includesDuplicates, random.chance(Self.duplicateShare) { sent.append(Self.duplicate(of: pending, &random)) }
      if options.includesFaults, random.chance(Self.damagedShare) { sent.append(Self.damaged(pending, &random)) }
    }
  }

  /// Returns the time at which an event arrives. A device that is mostly offline sends everything at its next sync.
  private static func arrival(of event: SimulatedEvent, from persona: Persona, installed: Int64) -> Int64 {
    let period = persona.syncPeriodMilliseconds
    guard period > 0 else { return event.milliseconds + persona.latencyMilliseconds }
    let syncs = (event.milliseconds - installed) / period + 1
    return installed + syncs * period + persona.latencyMilliseconds
  }

  /// Returns a duplicate of an event: either a repetition of the same bytes, at once or hours later, or a new transmission with other
  /// transit times.
  private static func duplicate(of pending: PendingEvent, _ random: inout RandomSource) -> PendingEvent {
    var copy = pending
    let delay = random.chance(0.5) ? random.integer(in: 1_000...90_000) : random.integer(in: 3_600_000...108_000_000)
    if random.chance(0.5) {
      copy.reportsTransit = true
      copy.receivedMilliseconds += delay
      // The duplicate takes longer, so that the first copy keeps the smaller transit time when clocks are corrected.
      copy.transitMilliseconds += Int32(random.integer(in: 500...4_000))
    } else if !pending.reportsTransit {
      copy.receivedMilliseconds += delay
    }
    return copy
  }

  private static func damaged(_ pending: PendingEvent, _ random: inout RandomSource) -> PendingEvent {
    var copy = pending
    copy.damage = PendingEvent.Damage.rejected[random.below(PendingEvent.Damage.rejected.count)]
    copy.reportsTransit = false
    return copy
  }
}
