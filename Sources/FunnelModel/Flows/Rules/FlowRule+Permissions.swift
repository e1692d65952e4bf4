// Rules about the permissions of a step: their order, their progress, and the steps that depend on them.

extension FlowRule {
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
}

extension FlowRule.PermissionOrder {
  init?(_ reader: FlowRuleReader) {
    let step = reader.step("step")
    let permissions = reader.permissions("permissions", askedIn: step)
    guard let step, let permissions else { return nil }
    self.init(step: step, permissions: permissions)
  }
}

extension FlowRule {
  /// A rule: the progress bar has a certain progress at the pre-prompt of each permission of a step.
  package struct PermissionProgress: FlowRuleParameters {
    static let kind = Kind.permissionProgress
    static let requiredKeys = ["step", "permissions", "progress"]

    /// The ID of the step.
    package var step: String
    /// The progress at each pre-prompt, in the order of the definition.
    package var marks: [Mark]

    /// The progress at the pre-prompt of one permission.
    package struct Mark: Hashable, Sendable {
      package var permission: String
      /// The progress, from 0 to 1.
      package var progress: Double
    }

    /// Returns the progress at the pre-prompt of a permission, or `nil` if the rule does not name the permission.
    package func progress(of permission: String) -> Double? { marks.first { $0.permission == permission }?.progress }

    func sentence(target: String?) -> String {
      let ofTarget = marks.filter { $0.permission == target }
      let parts = (ofTarget.isEmpty ? marks : ofTarget).map { mark in
        // Four decimal places hide the digits that a division such as 1/3 leaves in a double.
        "\(PropertyValue.double((mark.progress * 10_000).rounded() / 10_000)) for \(mark.permission)"
      }
      return "props.progress is \(parts.listed("and"))"
    }
  }
}

extension FlowRule.PermissionProgress {
  init?(_ reader: FlowRuleReader) {
    let step = reader.step("step")
    let permissions = reader.permissions("permissions", askedIn: step)
    let progress = Self.readProgress(reader)
    guard let step, let permissions, let progress else { return nil }
    guard progress.count == permissions.count else {
      let numbers = progress.count == 1 ? "1 number" : "\(progress.count) numbers"
      let names = permissions.count == 1 ? "1 permission" : "\(permissions.count) permissions"
      reader.report("\(numbers) for \(names), give one for each", at: "progress")
      return nil
    }
    self.init(step: step, marks: zip(permissions, progress).map { Mark(permission: $0, progress: $1) })
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

extension FlowRule {
  /// A rule: a step is shown only if all permissions were granted.
  package struct OnlyIfAllGranted: FlowRuleParameters {
    static let kind = Kind.onlyIfAllGranted
    static let requiredKeys = ["step", "permissions"]

    /// The ID of the step.
    package var step: String
    package var permissions: [String]

    func sentence(target: String?) -> String { "\(step) is shown only if \(permissions.listed("and")) were granted" }
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
