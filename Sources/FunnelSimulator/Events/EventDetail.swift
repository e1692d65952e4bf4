/// The properties of a simulated event. Small values instead of a dictionary keep an event a few words long and free of references.
enum EventDetail {
  case none
  case trigger(Trigger)
  case reason(Reason)
  /// The screen that an older build names in `props.screen`.
  case screen(StepName)
  /// The position of trendy's progress bar.
  case progress(Progress)
  case durationMilliseconds(UInt32)
  case piles(UInt8)
  case pinSet(Bool)
  case people(UInt8, manualEntry: Bool)
  case networks(UInt8, wifiGate: Bool, manualEntry: Bool)
  case product(Product)
  case challenge(Challenge)
  case verified(Challenge, VerificationMethod, durationMilliseconds: UInt32)
  case failed(Challenge, Reason)
}

/// The reason why cleaner shows its flow.
enum Trigger: UInt8 {
  case firstLaunch, incomplete, featureFlag

  var text: StaticString {
    switch self {
    case .firstLaunch: "first_launch"
    case .incomplete: "incomplete"
    case .featureFlag: "feature_flag"
    }
  }
}

/// The reason for a failure or a dismissal.
enum Reason: UInt8 {
  case dismissed, wrongPassword, network, noPiles, tooManyPiles, pinMismatch, tooShort, noCall, noText, paymentDeclined,
    notAllowed

  var text: StaticString {
    switch self {
    case .dismissed: "dismissed"
    case .wrongPassword: "wrong_password"
    case .network: "network"
    case .noPiles: "no_piles"
    case .tooManyPiles: "too_many_piles"
    case .pinMismatch: "pin_mismatch"
    case .tooShort: "too_short"
    case .noCall: "no_call"
    case .noText: "no_text"
    case .paymentDeclined: "payment_declined"
    case .notAllowed: "not_allowed"
    }
  }
}

/// The products that clarity's paywall offers.
enum Product: UInt8 {
  case monthly, yearly

  var text: StaticString {
    switch self {
    case .monthly: "monthly"
    case .yearly: "yearly"
    }
  }
}

/// The position of trendy's progress bar: step i of n is at i/(n-1), and the priming screens are at 0.8 + 0.2·i/3.
enum Progress: UInt8 {
  case welcome, auth, createEventType, logFirstEvent, permissions, location, healthkit, finish

  var text: StaticString {
    switch self {
    case .welcome: "0.0"
    case .auth: "0.2"
    case .createEventType: "0.4"
    case .logFirstEvent: "0.6"
    case .permissions: "0.8"
    case .location: "0.8666666666666667"
    case .healthkit: "0.9333333333333333"
    case .finish: "1.0"
    }
  }
}
