import Foundation

// The part of the engine that changes who and what later events are about.

extension RecorderEngine {
  /// Applies a change and stores it.
  func apply(_ change: EventQueue.Change, in folder: RecorderFolder, now: Moment) throws(EventRecorderError) {
    switch change {
    case .context(let context): try encoder.setContext(wholeContext(context))
    case .optedOut(true): try optOut(in: folder)
    case .optedOut(false): try optIn(in: folder, now: now)
    case .attempt, .subject, .user, .reset:
      // Nothing about a person is stored while recording is stopped.
      if folder.isOptedOut { try rememberUser(change) } else { try applyIdentity(change, in: folder, now: now) }
    }
  }

  /// Keeps the user in memory until the person opts in. All else is left to the app to say again.
  private func rememberUser(_ change: EventQueue.Change) throws(EventRecorderError) {
    switch change {
    case .user(let user):
      userAtOptIn = nil
      guard let user else { return }
      try encoder.requireUser(user)
      userAtOptIn = user
    case .reset: userAtOptIn = nil
    case .attempt, .subject, .context, .optedOut: break
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
      try encoder.requireUser(user)
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

  private func optOut(in folder: RecorderFolder) throws(EventRecorderError) {
    userAtOptIn = nil
    guard folder.state.choice != .optedOut else { return }
    // The choice is stored before anything is deleted: a kill in between then leaves files, which are deleted at the next launch.
    do throws(EventRecorderError) {
      try folder.enforce { $0.optOut() }
    } catch {
      // On a full disk the files of events make room for the choice.
      deleteEvents(of: folder)
      return try folder.storeChange()
    }
    deleteEvents(of: folder)
  }

  /// Begins to record, and signs in the user that the app has named meanwhile.
  private func optIn(in folder: RecorderFolder, now: Moment) throws(EventRecorderError) {
    guard folder.state.choice != .optedIn else { return }
    let wasOptedOut = folder.isOptedOut
    do throws(EventRecorderError) {
      try folder.enforce { $0.optIn(wasOptedOut: wasOptedOut, firstSubject: configuration.subject) }
    } catch {
      // It is in force all the same.
      report(error)
    }
    guard let user = userAtOptIn else { return }
    userAtOptIn = nil
    try signIn(user, in: folder, now: now)
  }

  /// Deletes all events, and begins with a state as after a reinstall. The choice to opt out stays.
  func deleteAll() throws(EventRecorderError) {
    held.removeAll { if case .event = $0 { true } else { false } }
    userAtOptIn = nil
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
