import Foundation

// The part of the engine that changes who and what later events are about.

extension RecorderEngine {
  /// Applies a change and stores it.
  func apply(_ change: EventQueue.Change, in folder: RecorderFolder, now: Moment) throws(EventRecorderError) {
    switch change {
    case .context(let context): try encoder.setContext(wholeContext(context))
    case .optedOut(let isOptedOut): try setOptedOut(isOptedOut, in: folder)
    // Nothing about a person is kept while recording is stopped.
    case .attempt, .subject, .user, .reset: if !folder.isOptedOut { try applyIdentity(change, in: folder, now: now) }
    }
  }

  private func applyIdentity(
    _ change: EventQueue.Change, in folder: RecorderFolder, now: Moment
  ) throws(EventRecorderError) {
    switch change {
    case .attempt(let id, let flow): try folder.enforce { $0.attempts[flow] = id }
    case .reset(let subject): try folder.enforce { $0.reset(subject: subject) }
    case .subject(let subject):
      try encoder.requirePerson(subject, "subject")
      try folder.enforce { $0.subject = subject }
    case .user(nil): try folder.enforce { $0.user = nil }
    case .user(let user?): try signIn(user, in: folder, now: now)
    case .context, .optedOut: preconditionFailure("the caller applies these")
    }
  }

  /// Stores a user and records one event that links the subject to the user.
  private func signIn(_ user: String, in folder: RecorderFolder, now: Moment) throws(EventRecorderError) {
    do throws(EventRecorderError) {
      try encoder.requirePerson(user, "user")
    } catch {
      // Somebody else has signed in: a missing user can be added later, a wrong one can't be found again.
      try folder.enforce { $0.user = nil }
      throw error
    }
    guard folder.state.user != user else { return }
    let link = EventQueue.Event(event: FunnelEvent("user_linked"), time: now.time, now: now)
    do throws(EventRecorderError) {
      try folder.enforce { $0.user = user }
    } catch {
      report(error)
    }
    try append(link, to: folder)
  }

  private func setOptedOut(_ isOptedOut: Bool, in folder: RecorderFolder) throws(EventRecorderError) {
    let choice: RecorderState.Choice = isOptedOut ? .optedOut : .optedIn
    guard folder.state.choice != choice else { return }
    let wasOptedOut = folder.isOptedOut
    // The choice is stored before anything is deleted: a kill in between then leaves files, which are deleted at the next launch.
    do throws(EventRecorderError) {
      try folder.enforce {
        $0.choice = choice
        if isOptedOut != wasOptedOut {
          $0.user = nil
          $0.attempts = [:]
        }
        if !isOptedOut, $0.subject == nil { $0.subject = configuration.subject ?? Identity.randomSubject() }
      }
    } catch {
      guard isOptedOut else { throw error }
      // On a full disk the files of events make room for the choice.
      deleteEvents(of: folder)
      return try folder.storeChange()
    }
    if isOptedOut { deleteEvents(of: folder) }
  }

  /// Deletes all events, and begins with a state as after a reinstall. The choice to opt out stays.
  func deleteAll() throws(EventRecorderError) {
    held.removeAll { if case .event = $0 { true } else { false } }
    let folder = try opened()
    deleteEvents(of: folder)
    // Without consent, nothing about a person is stored.
    let isNeeded = folder.state.subject != nil || !folder.isOptedOut
    let subject = isNeeded ? configuration.subject ?? Identity.randomSubject() : nil
    try folder.enforce { $0.reset(subject: subject) }
  }

  func deleteEvents(of folder: RecorderFolder) {
    cancelUploads()
    folder.deleteEvents()
    writeFailure = nil
  }

  /// Replaces the context, after all held events.
  func setContext(_ context: [String: EventValue]) throws(EventRecorderError) {
    let whole = wholeContext(context)
    var checked = encoder
    try checked.setContext(whole)
    guard !held.isEmpty else { return encoder = checked }
    held.append(.change(.context(context), now: configuration.moment()))
  }
}

extension RecorderState {
  /// The person that later events are about, or `nil` if the folder has no subject yet.
  var identity: Identity? { subject.map { Identity(subject: $0, user: user) } }
}
