/// How often people agree: shares of those who see a pre-prompt or a dialog.
struct PermissionRates {
  /// Tap "continue" on the pre-prompt, as the mean of both variants.
  var acceptance: Double
  /// Then grant in the system's dialog, in full or in part.
  var grant: Double
  /// Of these, in part.
  var limited = 0.0

  /// Variant B's text raises acceptance by so much over variant A's.
  static let variantEffect = 0.05
  /// Grant in a dialog that comes without pre-prompt.
  static let coldGrant = 0.47
  /// Leave the app with the pre-prompt open.
  static let leavePrompt = 0.035
  /// Of those who deny: dismiss the dialog instead of answering it.
  static let dismissal = 0.06
  /// Of those who denied: grant in Settings later.
  static let settingsRecovery = 0.05
  /// Of those who skipped: grant when asked again later.
  static let laterGrant = 0.03
}

extension Permission {
  var rates: PermissionRates {
    switch self {
    case .photos: PermissionRates(acceptance: 0.725, grant: 0.89, limited: 0.24)
    case .contacts: PermissionRates(acceptance: 0.61, grant: 0.755, limited: 0.07)
    case .push: PermissionRates(acceptance: 0.645, grant: 0.8)
    case .notifications: PermissionRates(acceptance: 0.645, grant: 0.81)
    case .location: PermissionRates(acceptance: 0.685, grant: 0.84)
    case .healthkit: PermissionRates(acceptance: 0.66, grant: 0.9)
    case .health: PermissionRates(acceptance: 0.67, grant: 0.88)
    case .familyControls: PermissionRates(acceptance: 0.725, grant: 0.87)
    }
  }
}
