// Rules about the screens and dialogs that ask for a permission.

extension FlowRule {
  /// A rule: the system's dialog appears only after a tap on a button.
  package struct DialogAfter: FlowRuleParameters {
    static let kind = Kind.dialogAfter
    static let requiredKeys = ["permissions"]
    static let optionalKeys = ["button"]

    /// The suffix of the event of the tap.
    package var button = PermissionEventName.Suffix.enableTapped
    /// The permissions that the dialog is for.
    package var permissions: [String]

    func sentence(target: String?) -> String {
      "the system's dialog for \(target ?? permissions.listed("or")) opens only after \(button.event(of: target))"
    }
  }
}

extension FlowRule.DialogAfter {
  init?(_ reader: FlowRuleReader) {
    let button = reader.object.choice("button", PermissionEventName.Suffix.self)
    guard let permissions = reader.permissions("permissions") else { return nil }
    self.init(button: button ?? .enableTapped, permissions: permissions)
  }
}

extension FlowRule {
  /// A rule: no permission is granted, limited or denied without a preceding pre-prompt.
  struct PrePromptBeforeDecision: ParameterlessRule {
    static let kind = Kind.prePromptBeforeDecision

    func sentence(target: String?) -> String {
      "\(target ?? "each permission") is asked for on a screen of the app before the system's dialog"
    }
  }

  /// A rule: no permission is decided twice without a pre-prompt between the decisions.
  struct NoSecondDecision: ParameterlessRule {
    static let kind = Kind.noSecondDecision

    func sentence(target: String?) -> String {
      "\(target ?? "a permission") is not answered twice without a screen of the app that asks for it again"
    }
  }
}

extension FlowRule {
  /// A rule: the app's own screen before the system's dialog can't be skipped. Apple's Human Interface
  /// Guidelines require this for certain kinds of permissions.
  package struct PreAlertWithoutAlert: FlowRuleParameters {
    static let kind = Kind.preAlertWithoutAlert
    static let optionalKeys = ["permissions", "kind"]

    /// The kinds of permissions to which the rule applies.
    package enum DialogKind: String, Hashable, Sendable, CaseIterable {
      case camera, microphone, location, contacts, calendar, tracking
    }

    /// The permissions. An empty array means all permissions of the flow that are named like a ``DialogKind``.
    package var permissions: [String] = []
    /// The kind of ``permissions``, or `nil` if their names are kinds.
    package var dialogKind: DialogKind?

    func sentence(target: String?) -> String {
      let named = permissions.isEmpty ? DialogKind.allCases.map(\.rawValue) : permissions
      return "the app's own screen for \(target ?? named.listed("or")) leads to the system's dialog and offers no way past it"
    }

    /// Returns the permissions of a flow to which the rule applies, in the order of the flow.
    package func permissions(of flow: FlowDefinition) -> [String] {
      flow.permissions.map(\.name).filter { name in
        permissions.isEmpty ? DialogKind(rawValue: name) != nil : permissions.contains(name)
      }
    }
  }
}

extension FlowRule.PreAlertWithoutAlert {
  init?(_ reader: FlowRuleReader) {
    let kind = reader.object.choice("kind", DialogKind.self)
    if reader.object["kind"] != nil, reader.object["permissions"] == nil {
      reader.report("\"kind\" is given without permissions, add the key \"permissions\"", at: "kind")
    }
    self.init(permissions: reader.permissions("permissions") ?? [], dialogKind: kind)
  }
}

extension FlowRule {
  /// A rule: a skip is logged no earlier than a minimum delay after the event that begins it.
  package struct SkipDelay: FlowRuleParameters {
    static let kind = Kind.skipDelay
    static let requiredKeys = ["milliseconds", "permissions"]
    static let optionalKeys = ["from", "to"]

    /// The minimum time between the two events, in milliseconds.
    package var milliseconds: Int
    /// The suffix of the event that begins the skip.
    package var from = PermissionEventName.Suffix.skipExplained
    /// The suffix of the event that completes the skip.
    package var to = PermissionEventName.Suffix.skipped
    package var permissions: [String]

    func sentence(target: String?) -> String {
      let permission = target ?? permissions.listed("or")
      return "\(permission) is skipped no sooner than \(milliseconds.inSeconds) after \(from.event(of: target))"
    }
  }
}

extension FlowRule.SkipDelay {
  init?(_ reader: FlowRuleReader) {
    let milliseconds = reader.object.integer("milliseconds")
    let from = reader.object.choice("from", PermissionEventName.Suffix.self)
    let to = reader.object.choice("to", PermissionEventName.Suffix.self)
    let permissions = reader.permissions("permissions")
    guard let milliseconds, let permissions else { return nil }
    self.init(milliseconds: milliseconds, from: from ?? .skipExplained, to: to ?? .skipped, permissions: permissions)
  }
}

extension PermissionEventName.Suffix {
  /// Returns the name of a permission's event, with a placeholder if the permission is `nil`.
  fileprivate func event(of permission: String?) -> String { PermissionEventName.name(self, of: permission ?? "<permission>") }
}
