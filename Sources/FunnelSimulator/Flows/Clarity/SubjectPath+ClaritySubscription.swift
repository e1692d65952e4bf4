import FunnelModel

/// The flow clarity/subscription: a trial, the subscription, its renewals, and its end.
extension SubjectPath {
  private static let renewalsMax = 24
  /// The share of renewals at which the subscriber has cancelled before, or the payment fails.
  private static let churn = 0.14

  /// Simulates the subscription to a product that was just bought.
  mutating func runClaritySubscription(to product: Product) {
    enter(.claritySubscription)
    log(.known(.trialStarted), .product(product))
    guard goOn(to: product, for: product.trialDays) else { return }
    log(.known(.subscriptionStarted), .product(product))
    if random.chance(0.06) {
      now += random.integer(in: 3_600_000...6 * Timestamp.millisecondsPerDay)
      log(.known(.subscriptionRefunded), .product(product))
      return
    }
    for _ in 0..<Self.renewalsMax {
      guard goOn(to: product, for: product.periodDays) else { return }
      log(.known(.subscriptionRenewed), .product(product))
    }
  }

  /// Simulates a period of days.
  ///
  /// - Returns: Whether the subscription goes on. If it was cancelled, it expires at the end; if the payment fails, it expires too.
  private mutating func goOn(to product: Product, for days: Int64) -> Bool {
    let length = days * Timestamp.millisecondsPerDay
    let end = now + length
    let draw = random.uniform()
    let cancellation = now + random.integer(in: 60_000...length - 60_000)
    // A trial is cancelled more often than a subscription that was paid for.
    let share = days == product.trialDays ? 0.38 : Self.churn
    if draw < share * 0.85 {
      now = cancellation
      log(.known(.subscriptionCancelled), .product(product))
    }
    now = end
    if draw < share { log(.known(.subscriptionExpired), .product(product)) }
    return draw >= share
  }
}

extension Product {
  fileprivate var trialDays: Int64 { self == .monthly ? 3 : 7 }
  fileprivate var periodDays: Int64 { self == .monthly ? 30 : 365 }
}
