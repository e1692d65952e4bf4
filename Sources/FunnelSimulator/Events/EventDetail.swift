/// The properties of a simulated event. Small values instead of a dictionary keep an event a few words long and free of references.
enum EventDetail {
  case none
  case trigger(Trigger)
  case reason(Reason)
  /// The permission whose absence locks a feature.
  case permission(Permission)
  /// The screen that an older build names in `props.screen`.
  case screen(StepName, usesOwnSpelling: Bool)
  /// The position of the progress bar, from 0 to 1.
  case progress(Double)
  case durationMilliseconds(UInt32)
  case piles(UInt8)
  case pinSet(Bool)
  case people(UInt8, manualEntry: Bool)
  case networks(UInt8, wifiGate: Bool, manualEntry: Bool)
  case product(Product)
  /// The product as older builds name it, by its id in the App Store.
  case productIdentifier(Product)
  case challenge(Challenge)
  case verified(Challenge, VerificationMethod, durationMilliseconds: UInt32)
  /// A duration of 0 stands for none.
  case failed(Challenge, Reason, durationMilliseconds: UInt32)
  case connection(ConnectionType, durationSeconds: UInt32)
  case focusSession(isStrict: Bool)
}

/// The reason why cleaner shows its flow.
enum Trigger: String {
  case firstLaunch = "first_launch"
  case incomplete
  case featureFlag = "feature_flag"
}

/// The reason for a failure or a dismissal.
enum Reason: String {
  case dismissed
  case wrongPassword = "wrong_password"
  case network
  case noPiles = "no_piles"
  case tooManyPiles = "too_many_piles"
  case pinMismatch = "pin_mismatch"
  case tooShort = "too_short"
  case noCall = "no_call"
  case noText = "no_text"
  case paymentDeclined = "payment_declined"
  case notAllowed = "not_allowed"
}

/// The products that clarity's paywall offers.
enum Product: String {
  case monthly, yearly

  /// The product's id in the App Store, which older builds log.
  var identifier: String {
    switch self {
    case .monthly: "com.clarity.focus.monthly"
    case .yearly: "com.clarity.focus.yearly"
    }
  }
}

/// The means by which people in clarity reach someone.
enum ConnectionType: String {
  case text, reply, call
  case voiceMemo = "voice_memo"
  case facetime
}
