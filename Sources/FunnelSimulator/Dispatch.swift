/// How a subject's events travel: on time or late, once or twice, whole or broken.
///
/// It has its own source of chance, so that lateness, duplicates and faults never change what the subjects do.
struct Dispatch {
  /// Share of lines that are repeated.
  static let duplicateShare = 0.0075
  /// Share of events whose name is misspelt.
  static let misspeltShare = 0.001
  /// Broken lines for each good one.
  static let damagedShare = 0.002

  let options: SimulationOptions
  /// Nothing that happens at or after this moment is in the log, in milliseconds since the epoch.
  let endMilliseconds: Int64
  /// What was sent for the last subject; reused.
  private(set) var sent: [PendingEvent] = []

  init(options: SimulationOptions, endMilliseconds: Int64) {
    self.options = options
    self.endMilliseconds = endMilliseconds
  }

  /// Sends a subject's events, which must be sorted; they are in ``sent`` afterwards.
  mutating func send(_ run: SubjectRun, subject: UInt32, installed: Int64) {
    sent.removeAll(keepingCapacity: true)
    var random = RandomSource(seed: run.persona.key &+ 2)
    for (ordinal, event) in run.events.enumerated() {
      guard event.milliseconds < endMilliseconds else { return }
      var pending = PendingEvent(
        event: event, subject: subject, app: run.persona.app, ordinal: UInt16(ordinal),
        reportsTransit: run.persona.reportsTransit,
        receivedMilliseconds: Self.arrival(of: event, from: run.persona, installed: installed),
        transitMilliseconds: Int32(run.persona.latencyMilliseconds))
      if options.includesFaults, random.chance(Self.misspeltShare) { pending.damage = .misspelt }
      sent.append(pending)
      if options.includesDuplicates, random.chance(Self.duplicateShare) { sent.append(Self.duplicate(of: pending, &random)) }
      if options.includesFaults, random.chance(Self.damagedShare) { sent.append(Self.damaged(pending, &random)) }
    }
  }

  /// A device that is mostly offline sends everything at its next sync.
  private static func arrival(of event: SimulatedEvent, from persona: Persona, installed: Int64) -> Int64 {
    let period = persona.syncPeriodMilliseconds
    guard period > 0 else { return event.milliseconds + persona.latencyMilliseconds }
    let syncs = (event.milliseconds - installed) / period + 1
    return installed + syncs * period + persona.latencyMilliseconds
  }

  /// The same event again: the very bytes, at once or hours later, or sent anew with other times of transit.
  private static func duplicate(of pending: PendingEvent, _ random: inout RandomSource) -> PendingEvent {
    var copy = pending
    let delay = random.chance(0.5) ? random.integer(in: 1_000...90_000) : random.integer(in: 3_600_000...108_000_000)
    if random.chance(0.5) {
      copy.reportsTransit = true
      copy.receivedMilliseconds += delay
      // Slower than the first time, so that the first one keeps the smaller time when clocks are put right.
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
