/// One prosocial challenge of clarity: its type, its urgency, and the app it precedes.
struct Challenge {
  var type: ChallengeType
  /// The urgency, from 1 to 5; it rises with every challenge of a day.
  var layer: UInt8
  var target: TargetApp
}

/// The task that a challenge sets.
enum ChallengeType: UInt8 {
  case textSomeone, replyToMessage, callSomeone, voiceMemo, facetime

  /// Whether the task is a call; the other tasks are done in Messages.
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

/// The app whose opening triggered the challenge.
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

/// The method by which clarity verifies that a challenge was met.
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
