/// The flow clarity/paywall: each time it is shown is one attempt, and so is a purchase that is restored in Settings.
extension SubjectPath {
  /// Simulates the showings of the paywall.
  ///
  /// - Returns: The product that the subject bought, or `nil`. A product that was restored was bought earlier.
  mutating func runClarityPaywall() -> Product? {
    enter(.clarityPaywall)
    if random.chance(0.02) {
      restoreInSettings()
      return nil
    }
    while true {
      switch showPaywall() {
      case .bought(let product): return product
      case .restored: return nil
      case .declined: break
      }
      guard attempt < 3, random.chance(0.55) else { return nil }
      attempt += 1
      if random.chance(0.03) {
        restoreInSettings()
        return nil
      }
      returnLater(medianHours: 30)
    }
  }

  /// How a showing ended.
  private enum Ending {
    case bought(Product), restored, declined
  }

  /// Restores a purchase from an earlier install, without a showing.
  private mutating func restoreInSettings() {
    dwell(medianSeconds: 40)
    log(.known(.purchaseRestored))
  }

  /// Shows the paywall once.
  private mutating func showPaywall() -> Ending {
    log(.known(.paywallShown))
    dwell(medianSeconds: 8)
    if random.chance(0.03) {
      log(.known(.purchaseRestored))
      return .restored
    }
    guard random.chance(0.46) else { return .declined }
    while true {
      let product: Product = random.chance(0.62) ? .yearly : .monthly
      log(.known(.productSelected), persona.build.usesOwnSpelling ? .productIdentifier(product) : .product(product))
      react(medianSeconds: 5)
      if purchase(product) { return .bought(product) }
      // Some who cancel look at the other product.
      guard random.chance(0.15) else { return .declined }
      react(medianSeconds: 6)
    }
  }

  /// Simulates a purchase in the App Store.
  ///
  /// - Returns: Whether it was completed.
  private mutating func purchase(_ product: Product) -> Bool {
    let draw = random.uniform()
    if draw < 0.56 {
      complete(product)
      return true
    } else if draw < 0.88 {
      log(.known(.purchaseCancelled))
    } else if draw < 0.93 {
      log(.known(.purchasePending))
      // A child's purchase waits for the family's approval.
      returnLater(medianHours: 3)
      guard random.chance(0.5) else { return false }
      complete(product)
      return true
    } else {
      let share = random.uniform()
      log(.known(.purchaseFailed), .reason(share < 0.6 ? .paymentDeclined : share < 0.85 ? .network : .notAllowed))
    }
    return false
  }

  /// Logs the completion, with the product except in older builds, which log it only when it is selected.
  private mutating func complete(_ product: Product) {
    log(.known(.purchaseCompleted), persona.build.usesOwnSpelling ? .none : .product(product))
  }
}
