/// The rates at which people agree, as shares of those who see a pre-prompt or a dialog.
struct PermissionRates {
  /// The share that taps "continue" on the pre-prompt, as the mean of both variants.
  var acceptance: Double
  /// The share of these that then grants in the system's dialog, in full or in part.
  var grant: Double
  /// The share of the grants that is partial.
  var limited = 0.0

  /// The amount by which variant B's text raises acceptance over variant A's.
  static let variantEffect = 0.05
  /// The share that grants in a dialog without a pre-prompt.
  static let coldGrant = 0.47
  /// The share that leaves the app while the pre-prompt is open.
  static let leavePrompt = 0.035
  /// The share that leaves the app while it explains what a skip gives up.
  static let leaveExplanation = 0.04
  /// The share of denials that dismiss the dialog instead of answering it.
  static let dismissal = 0.06
  /// The share of those who denied that grants in Settings later.
  static let settingsRecovery = 0.05
  /// The share of those who skipped that grants when asked again later.
  static let laterGrant = 0.03
  /// The share of those without access to photos who open a feature that is locked because of it.
  static let lockedFeatureVisit = 0.5
  /// The share of these that goes on to Settings, or to the dialog if the system has not asked yet.
  static let lockedFeatureAcceptance = 0.5
  /// The share of these that grants.
  static let lockedFeatureGrant = 0.4
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
