import FunnelModel

/// Requests for the permissions of a flow of which only the definition is known.
extension SubjectPath {
  /// Asks for a permission.
  ///
  /// - Returns: Whether the flow goes on.
  mutating func answer(_ ask: DeclaredFlow.Ask) -> Bool {
    let hasDecided = [.granted, .limited, .denied].contains(self[answerTo: ask.permission])
    if persona.fault != .unprimedDialog, let prePrompt = ask.prePrompt { logDeclared(prePrompt) }
    if random.chance(PermissionRates.leavePrompt) { return false }
    dwell(medianSeconds: 3.5)
    let accepts = random.chance(ask.rates.acceptance(isVariantB: persona.isVariantB))
    if ask.hasWayPast ? !accepts && !hasDecided : persona.fault == .skippedPreAlert {
      skip(ask)
    } else {
      answerDialog(ask, hasDecided: hasDecided, grant: accepts ? ask.rates.grant : 0)
    }
    return true
  }

  private mutating func skip(_ ask: DeclaredFlow.Ask) {
    self[answerTo: ask.permission] = .skipped
    logDeclared(ask.skipExplained)
    now += ask.skipMilliseconds
    logDeclared(ask.skipped)
  }

  /// Taps Enable and answers the system's dialog. The system asks once; afterwards it returns the earlier answer.
  private mutating func answerDialog(_ ask: DeclaredFlow.Ask, hasDecided: Bool, grant: Double) {
    logDeclared(ask.enableTapped)
    react(medianSeconds: 2.2)
    if !hasDecided {
      let isGranted = random.chance(grant)
      let isLimited = random.chance(ask.rates.limited)
      self[answerTo: ask.permission] = !isGranted ? .denied : isLimited ? .limited : .granted
    }
    let event =
      switch self[answerTo: ask.permission] {
      case .granted: ask.granted
      case .limited: ask.limited
      case .denied, .skipped, .undecided: ask.denied
      }
    logDeclared(event)
    // Equal decisions at most 5 s apart count as one.
    if persona.fault == .secondDecision { logDeclared(event, after: random.integer(in: 6_000...25_000)) }
  }

  /// Logs an event of a declared flow now or after a delay.
  mutating func logDeclared(_ event: UInt32, after delay: Int64 = 0) {
    log(.declared(event), after: delay)
  }
}
