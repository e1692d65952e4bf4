/// The flow clarity/paywall: each time it is shown is one attempt.
extension SubjectPath {
  mutating func runClarityPaywall() {
    enter(.clarityPaywall)
    while true {
      if showPaywall() { return }
      guard attempt < 3, random.chance(0.55) else { return }
      attempt += 1
      returnLater(medianHours: 30)
    }
  }

  /// Shows the paywall once.
  ///
  /// - Returns: Whether the subject now owns the product.
  private mutating func showPaywall() -> Bool {
    log(.paywallShown)
    dwell(medianSeconds: 8)
    if random.chance(0.03) {
      log(.purchaseRestored)
      return true
    }
    guard random.chance(0.46) else { return false }
    while true {
      log(.productSelected, .product(random.chance(0.62) ? .yearly : .monthly))
      react(medianSeconds: 5)
      if purchase() { return true }
      // Some who cancel look at the other product.
      guard random.chance(0.15) else { return false }
      react(medianSeconds: 6)
    }
  }

  private mutating func purchase() -> Bool {
    let draw = random.uniform()
    if draw < 0.56 {
      log(.purchaseCompleted)
      return true
    } else if draw < 0.88 {
      log(.purchaseCancelled)
    } else if draw < 0.93 {
      log(.purchasePending)
      // A child's purchase waits for the family's approval.
      returnLater(medianHours: 3)
      guard random.chance(0.5) else { return false }
      log(.purchaseCompleted)
      return true
    } else {
      let share = random.uniform()
      log(.purchaseFailed, .reason(share < 0.6 ? .paymentDeclined : share < 0.85 ? .network : .notAllowed))
    }
    return false
  }
}
