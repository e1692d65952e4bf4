// Rules about the permissions that a flow asks for, and their order.

extension FlowRule {
  /// A rule: the flow advances to a step once all permissions are answered or skipped, and not earlier.
  package struct AdvanceWhenAllHandled: FlowRuleParameters {
    static let kind = Kind.advanceWhenAllHandled
    static let requiredKeys = ["step", "to", "permissions"]

    /// The ID of the step that asks for the permissions.
    package var step: String
    /// The ID of the step that the flow advances to.
    package var nextStep: String
    package var permissions: [String]

    func sentence(target: String?) -> String {
      "\(nextStep) is entered only after \(permissions.listed("and")) were answered or skipped"
    }
  }

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

  /// A rule: no permission is decided twice without a pre-prompt between the decisions.
  struct NoSecondDecision: ParameterlessRule {
    static let kind = Kind.noSecondDecision

    func sentence(target: String?) -> String {
      "\(target ?? "a permission") is not answered twice without a screen of the app that asks for it again"
    }
  }

  /// A rule: a step is shown only if all permissions were granted.
  package struct OnlyIfAllGranted: FlowRuleParameters {
    static let kind = Kind.onlyIfAllGranted
    static let requiredKeys = ["step", "permissions"]

    /// The ID of the step.
    package var step: String
    package var permissions: [String]

    func sentence(target: String?) -> String { "\(step) is shown only if \(permissions.listed("and")) were granted" }
  }

  /// A rule: a step asks for permissions in a certain order.
  package struct PermissionOrder: FlowRuleParameters {
    static let kind = Kind.permissionOrder
    static let requiredKeys = ["step", "permissions"]

    /// The ID of the step.
    package var step: String
    /// The permissions in order.
    package var permissions: [String]

    func sentence(target: String?) -> String {
      "permissions are asked for in the order \(permissions.joined(separator: ", "))"
    }
  }

  /// A rule: the progress bar has a certain progress at the pre-prompt of each permission of a step.
  package struct PermissionProgress: FlowRuleParameters {
    static let kind = Kind.permissionProgress
    static let requiredKeys = ["step", "permissions", "progress"]

    /// The ID of the step.
    package var step: String
    package var permissions: [String]
    /// The progress at each of ``permissions``, from 0 to 1. Both arrays have the same count in a valid definition.
    package var progress: [Double]

    func sentence(target: String?) -> String {
      let isOfOne = target.map(permissions.contains) ?? false
      let parts = zip(permissions, progress).filter { !isOfOne || $0.0 == target }.map { permission, progress in
        // Four decimal places hide what a division such as 1/3 leaves in a double.
        "\(PropertyValue.double((progress * 10_000).rounded() / 10_000)) for \(permission)"
      }
      return "props.progress is \(parts.listed("and"))"
    }
  }

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

  /// A rule: no permission is granted, limited or denied without a preceding pre-prompt.
  struct PrePromptBeforeDecision: ParameterlessRule {
    static let kind = Kind.prePromptBeforeDecision

    func sentence(target: String?) -> String {
      "\(target ?? "each permission") is asked for on a screen of the app before the system's dialog"
    }
  }

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

extension FlowRule.AdvanceWhenAllHandled {
  init?(_ reader: FlowRuleReader) {
    let step = reader.step("step")
    let nextStep = reader.step("to")
    let permissions = reader.permissions("permissions")
    guard let step, let nextStep, let permissions else { return nil }
    self.init(step: step, nextStep: nextStep, permissions: permissions)
  }
}

extension FlowRule.DialogAfter {
  init?(_ reader: FlowRuleReader) {
    let button = reader.object.choice("button", PermissionEventName.Suffix.self)
    guard let permissions = reader.permissions("permissions") else { return nil }
    self.init(button: button ?? .enableTapped, permissions: permissions)
  }
}

extension FlowRule.OnlyIfAllGranted {
  init?(_ reader: FlowRuleReader) {
    let step = reader.step("step")
    let permissions = reader.permissions("permissions")
    guard let step, let permissions else { return nil }
    self.init(step: step, permissions: permissions)
  }
}

extension FlowRule.PermissionOrder {
  init?(_ reader: FlowRuleReader) {
    let step = reader.step("step")
    let permissions = reader.permissions("permissions", askedIn: step)
    guard let step, let permissions else { return nil }
    self.init(step: step, permissions: permissions)
  }
}

extension FlowRule.PermissionProgress {
  init?(_ reader: FlowRuleReader) {
    let step = reader.step("step")
    let permissions = reader.permissions("permissions", askedIn: step)
    let progress = Self.readProgress(reader)
    guard let step, let permissions, let progress else { return nil }
    if progress.count != permissions.count {
      let numbers = progress.count == 1 ? "1 number" : "\(progress.count) numbers"
      let names = permissions.count == 1 ? "1 permission" : "\(permissions.count) permissions"
      reader.report("\(numbers) for \(names), give one for each", at: "progress")
    }
    self.init(step: step, permissions: permissions, progress: progress)
  }

  private static func readProgress(_ reader: FlowRuleReader) -> [Double]? {
    let input = reader.input
    guard let value = reader.object["progress"],
      let elements = input.array(value, needed: "an array of numbers from 0 to 1", isEmptyAllowed: false)
    else { return nil }
    let numbers = elements.compactMap { input.number($0, in: 0...1) }
    return numbers.count == elements.count ? numbers : nil
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

extension Int {
  /// The number, in milliseconds, as text in seconds: `1.5 s`.
  var inSeconds: String { "\(PropertyValue.double(Double(self) / 1000)) s" }
}

extension [String] {
  /// Returns the elements as a list in a sentence: `a`, `a and b`, `a, b and c`.
  func listed(_ conjunction: String) -> String {
    guard count > 1, let last else { return first ?? "" }
    return "\(dropLast().joined(separator: ", ")) \(conjunction) \(last)"
  }
}
