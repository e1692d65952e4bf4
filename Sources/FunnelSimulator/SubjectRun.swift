/// One subject's way through its app's flows, as a log of events on the subject's own clock.
///
/// The state machines of the flows are extensions of this type, a file each. A run is reused from subject to subject, so that its
/// buffers are.
struct SubjectRun {
  private(set) var persona: Persona
  private(set) var events: [SimulatedEvent] = []
  var random: RandomSource
  /// Now, in true milliseconds since the epoch.
  var now: Int64
  /// The flow and version that events are logged for.
  var flow = SimulatedFlow.cleanerPermissions
  var version: UInt8 = 1
  /// The number of the run through the flow, from 0.
  var attempt: UInt16 = 0
  /// When the screen came up that is on now.
  var screenOpened: Int64 = 0
  /// What the system knows of each permission: it outlives a run through the flow.
  private var answers: [PermissionAnswer]

  init(persona: Persona, start: Int64) {
    self.persona = persona
    random = RandomSource(seed: persona.key &+ 1)
    now = start
    answers = Array(repeating: .undecided, count: Permission.allCases.count)
  }

  /// Begins with another subject.
  mutating func restart(persona: Persona, start: Int64) {
    self.persona = persona
    events.removeAll(keepingCapacity: true)
    random = RandomSource(seed: persona.key &+ 1)
    now = start
    for index in answers.indices { answers[index] = .undecided }
  }

  /// Turns to a flow, at its first attempt.
  mutating func enter(_ flow: SimulatedFlow, version: UInt8 = 1) {
    self.flow = flow
    self.version = version
    attempt = 0
  }

  /// Logs an event now, or a while later.
  @inline(__always)
  mutating func log(_ name: EventName, step: StepName = .absent, _ detail: EventDetail = .none, after delay: Int64 = 0) {
    events.append(
      SimulatedEvent(
        milliseconds: now + delay, name: name, step: step, detail: detail, flow: flow, version: version, attempt: attempt))
  }

  subscript(answer permission: Permission) -> PermissionAnswer {
    get { answers[Int(permission.rawValue)] }
    set { answers[Int(permission.rawValue)] = newValue }
  }

  /// Puts the events into the order they happened in: what was logged for later stands too early.
  mutating func sortEvents() {
    for index in events.indices.dropFirst() where events[index].milliseconds < events[index - 1].milliseconds {
      let event = events[index]
      var place = index
      while place > 0, events[place - 1].milliseconds > event.milliseconds {
        events[place] = events[place - 1]
        place -= 1
      }
      events[place] = event
    }
  }
}

/// One event as it happened: a few words, no references.
struct SimulatedEvent {
  /// When, by a clock that is right.
  var milliseconds: Int64
  var name: EventName
  var step: StepName
  var detail: EventDetail
  var flow: SimulatedFlow
  var version: UInt8
  var attempt: UInt16
}

/// How a permission stands.
enum PermissionAnswer: UInt8 {
  case undecided, granted, limited, denied, skipped
}
