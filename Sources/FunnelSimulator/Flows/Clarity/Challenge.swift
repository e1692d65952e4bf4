/// One prosocial challenge of clarity: its type, its urgency, and the app it precedes.
struct Challenge {
  var type: ChallengeType
  /// The urgency, from 1 to 5; it rises with every challenge of a day.
  var layer: UInt8
  var target: TargetApp
  /// Whether the type is logged as the source code of the app spells it.
  var usesOwnSpelling: Bool

  var typeText: String { usesOwnSpelling ? type.ownSpelling : type.rawValue }
}

/// The task that a challenge sets.
enum ChallengeType: String {
  case textSomeone = "text_someone"
  case replyToMessage = "reply_to_message"
  case callSomeone = "call_someone"
  case voiceMemo = "voice_memo"
  case facetime
  case contactParent = "contact_parent"

  /// Whether the task is a call; the other tasks are done in Messages.
  var isCall: Bool {
    switch self {
    case .callSomeone, .facetime, .contactParent: true
    case .textSomeone, .replyToMessage, .voiceMemo: false
    }
  }

  /// Returns the types that a layer asks for, with their weights: a message in layers 1 and 2, a call in layers 3 to 5.
  static func choices(layer: UInt8) -> (types: [ChallengeType], weights: [Int]) {
    layer <= 2 ? (messages, messageWeights) : (calls, callWeights)
  }

  private static let messages: [ChallengeType] = [.textSomeone, .replyToMessage, .voiceMemo]
  private static let messageWeights = [48, 34, 18]
  private static let calls: [ChallengeType] = [.callSomeone, .facetime, .contactParent]
  private static let callWeights = [58, 28, 14]

  /// The type as the source code of the app spells it, which older builds log.
  var ownSpelling: String {
    switch self {
    case .textSomeone: "textSomeone"
    case .replyToMessage: "replyToMessage"
    case .callSomeone: "callSomeone"
    case .voiceMemo: "voiceMemo"
    case .facetime: "faceTime"
    case .contactParent: "contactParent"
    }
  }
}

/// The app whose opening triggered the challenge.
enum TargetApp: String, CaseIterable {
  case instagram, tiktok, youtube, reddit, snapchat
}

/// The method by which clarity verifies that a challenge was met.
enum VerificationMethod: String {
  case callObserver = "call_observer"
  case communicationCategory = "communication_category"
  case timerBased = "timer_based"
  case autoVerified = "auto_verified"
}
