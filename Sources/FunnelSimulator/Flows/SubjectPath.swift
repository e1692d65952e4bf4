/// One subject's path through its app's flows, as a log of events.
///
/// The state machine of each flow is an extension of this type in its own file. A path is reused for the next subject, so that its
/// buffers are too.
struct SubjectPath {
  private(set) var persona: Persona
  private(set) var events: [SimulatedEvent] = []
  var random: RandomSource
  /// The current time in milliseconds since the epoch, by a correct clock.
  var now: Int64
  /// The flow of the events that are logged, or `nil` for one that is simulated from its definition; ``version`` is its version.
  private(set) var flow: SimulatedFlow?
  private(set) var version: UInt8 = 1
  /// The number of the attempt, from 0.
  var attempt: UInt16 = 0
  /// The time at which the current screen was shown.
  var screenOpened: Int64 = 0
  /// The answers that the system stores for each permission, which outlive an attempt.
  private var answers: [Permission: PermissionAnswer] = [:]
  /// The same for the permissions of a flow that is simulated from its definition, by their numbers.
  private var declaredAnswers: [PermissionAnswer] = []

  init(persona: Persona, start: Int64) {
    self.persona = persona
    random = RandomSource(seed: persona.key &+ 1)
    now = start
  }

  /// Resets the path for another subject.
  mutating func restart(persona: Persona, start: Int64) {
    self.persona = persona
    events.removeAll(keepingCapacity: true)
    random = RandomSource(seed: persona.key &+ 1)
    now = start
    answers.removeAll(keepingCapacity: true)
  }

  /// Switches to the first attempt at a flow.
  mutating func enter(_ flow: SimulatedFlow?, version: UInt8 = 1) {
    self.flow = flow
    self.version = version
    attempt = 0
  }

  /// Logs an event now or after a delay.
  @inline(__always)
  mutating func log(_ name: EventName, step: StepName? = nil, _ detail: EventDetail = .none, after delay: Int64 = 0) {
    events.append(
      SimulatedEvent(
        milliseconds: now + delay, name: name, step: step, detail: detail, flow: flow, version: version, attempt: attempt))
  }

  subscript(answer permission: Permission) -> PermissionAnswer {
    get { answers[permission] ?? .undecided }
    set { answers[permission] = newValue }
  }

  /// Forgets the answers to the permissions of declared flows.
  mutating func restartAnswers(count: Int) {
    declaredAnswers.removeAll(keepingCapacity: true)
    declaredAnswers += repeatElement(.undecided, count: count)
  }

  /// The answer to a permission of a declared flow, by its number.
  subscript(answerTo permission: Int) -> PermissionAnswer {
    get { declaredAnswers[permission] }
    set { declaredAnswers[permission] = newValue }
  }

  /// Sorts the events by time. Events that were logged with a delay are out of order.
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

/// One event as it happened: a few words long and free of references.
struct SimulatedEvent {
  /// The time in milliseconds since the epoch, by a correct clock.
  var milliseconds: Int64
  var name: EventName
  /// The step, or `nil` for an event of no step, and for one of a declared flow.
  var step: StepName?
  var detail: EventDetail
  /// The flow, or `nil` if the name tells it.
  var flow: SimulatedFlow?
  var version: UInt8
  var attempt: UInt16
}

/// The state of a permission.
enum PermissionAnswer: UInt8 {
  case undecided, granted, limited, denied, skipped
}
