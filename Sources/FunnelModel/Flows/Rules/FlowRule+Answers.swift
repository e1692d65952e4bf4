// Facts about the answers to permission prompts. No group can break them.

extension FlowRule {
  /// A fact: a dismissed system dialog counts as a denial.
  package struct DismissedIsDenied: FlowRuleParameters {
    static let kind = Kind.dismissedIsDenied
    static let optionalKeys = ["reason"]
    static let canBeBroken = false

    /// The reason that reports show for such a denial, or `nil` for none.
    package var reason: String?

    func sentence(target: String?) -> String { "a system dialog that was dismissed counts as denied" }
  }
}

extension FlowRule.DismissedIsDenied {
  init?(_ reader: FlowRuleReader) { self.init(reason: reader.object.text("reason")) }
}

extension FlowRule {
  /// A fact: the system does not disclose whether a permission was granted.
  package struct GrantUndisclosed: FlowRuleParameters {
    static let kind = Kind.grantUndisclosed
    static let requiredKeys = ["permission", "note"]
    static let canBeBroken = false

    package var permission: String
    /// The explanation that reports show with the permission's numbers.
    package var note: String

    func sentence(target: String?) -> String { "the system does not reveal whether \(permission) was granted: \(note)" }
  }
}

extension FlowRule.GrantUndisclosed {
  init?(_ reader: FlowRuleReader) {
    let permission = reader.permission("permission")
    let note = reader.object.text("note")
    guard let permission, let note else { return nil }
    self.init(permission: permission, note: note)
  }
}

extension FlowRule {
  /// A fact: a pre-prompt without a decision is a skip if the flow continued after it, because the app does not log every skip.
  struct InferSkip: ParameterlessRule {
    static let kind = Kind.inferSkip
    static let canBeBroken = false

    func sentence(target: String?) -> String {
      "a permission that was asked for and not answered counts as skipped if the flow went on"
    }
  }
}

extension FlowRule {
  /// A fact: the app shows a hint if access is limited.
  package struct LimitedHint: FlowRuleParameters {
    static let kind = Kind.limitedHint
    static let requiredKeys = ["permission", "hint"]
    static let canBeBroken = false

    package var permission: String
    /// The text of the hint.
    package var hint: String

    func sentence(target: String?) -> String { "with limited access to \(permission) the app shows: \(hint)" }
  }
}

extension FlowRule.LimitedHint {
  init?(_ reader: FlowRuleReader) {
    let permission = reader.permission("permission")
    let hint = reader.object.text("hint")
    guard let permission, let hint else { return nil }
    self.init(permission: permission, hint: hint)
  }
}

extension FlowRule {
  /// A fact: these permissions can be limited, which counts as access but not as a full grant.
  package struct LimitedIsAccess: FlowRuleParameters {
    static let kind = Kind.limitedIsAccess
    static let requiredKeys = ["permissions"]
    static let canBeBroken = false

    package var permissions: [String]

    func sentence(target: String?) -> String {
      "limited access to \(permissions.listed("or")) is access, but not a full grant"
    }
  }
}

extension FlowRule.LimitedIsAccess {
  init?(_ reader: FlowRuleReader) {
    guard let permissions = reader.permissions("permissions") else { return nil }
    self.permissions = permissions
  }
}

extension FlowRule {
  /// The answers that lock a permission's features (``FlowDefinition/locks``).
  package struct LockedWhen: FlowRuleParameters {
    static let kind = Kind.lockedWhen
    static let requiredKeys = ["decisions"]
    static let canBeBroken = false

    /// An answer that is not a full grant, or the absence of an answer.
    package enum Decision: String, Hashable, Sendable, CaseIterable {
      case limited, denied, skipped, unanswered
    }

    /// The answers that lock the features.
    package var decisions: [Decision]

    func sentence(target: String?) -> String {
      "a feature is locked if the answer for its permission is \(decisions.map(\.rawValue).listed("or"))"
    }
  }
}

extension FlowRule.LockedWhen {
  init?(_ reader: FlowRuleReader) {
    let decisions = reader.object["decisions"].flatMap { value in
      reader.input.distinct(value, needed: "an array of decisions", isEmptyAllowed: false, text: \.rawValue) {
        reader.input.choice($0, Decision.self)
      }
    }
    guard let decisions else { return nil }
    self.init(decisions: decisions)
  }
}

extension FlowRule {
  /// A fact: a step falls back to manual entry if a permission is denied.
  package struct ManualEntryOnDenied: FlowRuleParameters {
    static let kind = Kind.manualEntryOnDenied
    static let requiredKeys = ["step", "permission"]
    static let optionalKeys = ["or_without"]
    static let canBeBroken = false

    /// The ID of the step.
    package var step: String
    package var permission: String
    /// A resource without which the step falls back as well, such as `wifi`, or `nil` if there is none.
    package var orWithout: String?

    func sentence(target: String?) -> String {
      "\(step) falls back to manual entry if \(permission) is denied\(orWithout.map { " or there is no \($0)" } ?? "")"
    }
  }
}

extension FlowRule.ManualEntryOnDenied {
  init?(_ reader: FlowRuleReader) {
    let step = reader.step("step")
    let permission = reader.permission("permission")
    let orWithout = reader.object.name("or_without")
    guard let step, let permission else { return nil }
    self.init(step: step, permission: permission, orWithout: orWithout)
  }
}

extension FlowRule {
  /// A fact: the app opens the system's settings, where users can grant a permission that they denied before.
  package struct RecoveredViaSettings: FlowRuleParameters {
    static let kind = Kind.recoveredViaSettings
    static let requiredKeys = ["event"]
    static let canBeBroken = false

    /// The event that is logged when the settings are opened, such as `perm_settings_tapped`.
    package var event: String

    func sentence(target: String?) -> String { "access that was given after \(event) was recovered through Settings" }
  }
}

extension FlowRule.RecoveredViaSettings {
  init?(_ reader: FlowRuleReader) {
    guard let event = reader.event("event") else { return nil }
    if PermissionEventName(event) != nil {
      reader.report("\(event.quoted) is about a permission, name the event that opens the settings", at: "event")
    }
    self.event = event
  }
}
