/// The answer to a permission, by which `funnel` counts it: the end of the event's name, `perm_<permission>_<outcome>`.
///
/// `nil` instead of an outcome means that there is no answer, and nothing is recorded.
///
/// | framework | status | outcome |
/// |---|---|---|
/// | all | not determined | none: there is no answer yet |
/// | all | restricted | none: a profile or a parent decided, so the user was not asked |
/// | all | denied | `denied` |
/// | Photos, Contacts, Tracking | authorized | `granted` |
/// | Photos, Contacts | limited | `limited`: chosen photos or contacts |
/// | Notifications | authorized | `granted` |
/// | Notifications | provisional | `provisional`: quiet delivery, without a dialog |
/// | Notifications | ephemeral | `ephemeral`: an app clip, for some hours |
/// | Location | always | `granted` |
/// | Location | when in use | `granted` if that was asked, `while_using` if always was asked |
/// | Health | asked, nothing to write | `granted`: the system never tells whether reading was allowed |
/// | Health | asked, to write | `granted`, `limited` or `denied`: all, some or none of the types |
///
/// iOS reports "Allow Once" for location as "when in use". Use ``once`` only if the app knows it from elsewhere.
public enum PermissionOutcome: String, Sendable, Hashable, CaseIterable {
  /// Full access.
  case granted
  /// Access to a part, such as chosen photos.
  case limited
  /// Access for this time only.
  case once
  /// Access while the app is used, although it asked for more.
  case whileUsing = "while_using"
  /// Quiet notifications, for which no dialog appears.
  case provisional
  /// Notifications of an app clip, for some hours.
  case ephemeral
  /// No access.
  case denied
  /// The system's dialog was dismissed without an answer. It counts as denied.
  case dialogDismissed = "dialog_dismissed"
  /// The app's own screen was skipped, so the system's dialog did not appear.
  case skipped

  /// Whether the app has access, if only to a part or for a while.
  public var isAccess: Bool {
    switch self {
    case .granted, .limited, .once, .whileUsing, .provisional, .ephemeral: true
    case .denied, .dialogDismissed, .skipped: false
    }
  }
}

/// The status of Photos, Contacts or Tracking, with the numbers of `PHAuthorizationStatus`, `CNAuthorizationStatus` and
/// `ATTrackingManager.AuthorizationStatus`.
public enum LibraryStatus: Int, Sendable, Hashable, CaseIterable {
  case notDetermined = 0
  case restricted = 1
  case denied = 2
  case authorized = 3
  /// Access to chosen photos (iOS 14) or contacts (iOS 18). Tracking has no such status.
  case limited = 4
}

/// The status of notifications, with the numbers of `UNAuthorizationStatus`.
public enum NotificationStatus: Int, Sendable, Hashable, CaseIterable {
  case notDetermined = 0
  case denied = 1
  case authorized = 2
  case provisional = 3
  case ephemeral = 4
}

/// The status of the location, with the numbers of `CLAuthorizationStatus`.
public enum LocationStatus: Int, Sendable, Hashable, CaseIterable {
  case notDetermined = 0
  case restricted = 1
  case denied = 2
  case authorizedAlways = 3
  case authorizedWhenInUse = 4
}

/// The access to the location that an app asks for.
public enum LocationAccess: Sendable, Hashable, CaseIterable {
  case whenInUse
  case always
}

/// The status of writing one type of health data, with the numbers of `HKAuthorizationStatus`.
public enum HealthWriteStatus: Int, Sendable, Hashable, CaseIterable {
  case notDetermined = 0
  case sharingDenied = 1
  case sharingAuthorized = 2
}

extension PermissionOutcome {
  /// Returns the outcome of a status of Photos, Contacts or Tracking, or `nil` if it is no answer.
  public init?(_ status: LibraryStatus) {
    switch status {
    case .notDetermined, .restricted: return nil
    case .denied: self = .denied
    case .authorized: self = .granted
    case .limited: self = .limited
    }
  }

  /// Returns the outcome of a status of notifications, or `nil` if it is no answer.
  public init?(_ status: NotificationStatus) {
    switch status {
    case .notDetermined: return nil
    case .denied: self = .denied
    case .authorized: self = .granted
    case .provisional: self = .provisional
    case .ephemeral: self = .ephemeral
    }
  }

  /// Returns the outcome of a status of the location, or `nil` if it is no answer.
  public init?(_ status: LocationStatus, asked: LocationAccess) {
    switch (status, asked) {
    case (.notDetermined, _), (.restricted, _): return nil
    case (.denied, _): self = .denied
    case (.authorizedAlways, _), (.authorizedWhenInUse, .whenInUse): self = .granted
    case (.authorizedWhenInUse, .always): self = .whileUsing
    }
  }

  /// Returns the outcome of health data that was asked for, or `nil` if a type to write has no answer.
  ///
  /// - Parameter writing: The status of each type that the app wants to write.
  public init?(healthWriting writing: [HealthWriteStatus]) {
    guard !writing.contains(.notDetermined) else { return nil }
    let authorizedCount = writing.filter { $0 == .sharingAuthorized }.count
    if authorizedCount == writing.count {
      self = .granted
    } else {
      self = authorizedCount > 0 ? .limited : .denied
    }
  }
}
