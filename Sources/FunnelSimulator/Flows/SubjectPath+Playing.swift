/// The order in which a subject goes through the flows of its app.
extension SubjectPath {
  /// Simulates the subject's path through the selected flows of its app.
  mutating func play(_ selection: FlowSelection) {
    switch persona.app {
    case .cleaner: runCleanerPermissions()
    case .trendy: runTrendyOnboarding()
    case .smilepile: runSmilepileOnboarding()
    case .clarity: playClarity(selection)
    case .declared(let app): playDeclared(selection.declared, app: Int(app))
    }
  }

  /// Runs clarity's flows: a subject that completed the onboarding sees the paywall, and then uses the app for some days.
  private mutating func playClarity(_ selection: FlowSelection) {
    if selection.contains(.clarityOnboarding) {
      guard runClarityOnboarding() else { return }
      transition()
    }
    let ready = now
    let showsPaywall = selection.contains(.clarityPaywall)
    var purchase = showsPaywall ? runClarityPaywall() : nil
    if selection.contains(.claritySubscription) {
      // Without the paywall, everybody has bought something.
      if !showsPaywall { purchase = random.chance(0.6) ? .yearly : .monthly }
      if let purchase {
        transition()
        runClaritySubscription(to: purchase)
      }
    }
    let firstUse = ready + (showsPaywall ? 1_200_000 : 0)
    if selection.contains(.clarityChallenge) {
      now = firstUse
      runClarityChallenges()
    }
    if selection.contains(.clarityConnection) {
      now = firstUse
      runClarityConnections()
    }
    if selection.contains(.clarityFocusSession) {
      now = firstUse
      runClarityFocusSessions()
    }
  }
}
