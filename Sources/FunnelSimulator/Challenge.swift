/// One prosocial challenge of clarity: what is asked, how insistently, and before which app.
struct Challenge {
  var type: ChallengeType
  /// 1 to 5; it rises with every challenge of a day.
  var layer: UInt8
  var target: TargetApp
}

/// What a challenge asks for.
enum ChallengeType: UInt8 {
  case textSomeone, replyToMessage, callSomeone, voiceMemo, facetime

  /// Whether a call has to be made; the others are done in Messages.
  var isCall: Bool { self == .callSomeone || self == .facetime }

  var text: StaticString {
    switch self {
    case .textSomeone: "text_someone"
    case .replyToMessage: "reply_to_message"
    case .callSomeone: "call_someone"
    case .voiceMemo: "voice_memo"
    case .facetime: "facetime"
    }
  }
}

/// The app that was about to be opened when the challenge came.
enum TargetApp: UInt8, CaseIterable {
  case instagram, tiktok, youtube, reddit, snapchat

  var text: StaticString {
    switch self {
    case .instagram: "instagram"
    case .tiktok: "tiktok"
    case .youtube: "youtube"
    case .reddit: "reddit"
    case .snapchat: "snapchat"
    }
  }
}

/// How clarity knows that a challenge was met.
enum VerificationMethod: UInt8 {
  case callObserver, communicationCategory, timerBased, autoVerified

  var text: StaticString {
    switch self {
    case .callObserver: "call_observer"
    case .communicationCategory: "communication_category"
    case .timerBased: "timer_based"
    case .autoVerified: "auto_verified"
    }
  }
}
