extension FlowDefinition {
  /// The features that need a permission.
  package struct Lock: Hashable, Sendable {
    package let permission: String
    /// The names of the features.
    package let features: [String]

    package init(permission: String, features: [String] = []) {
      self.permission = permission
      self.features = features
    }
  }
}

extension FlowDefinitionReader {
  /// Reads `locks`: the features that need a permission, by permission.
  func readLocks(_ value: ConfigurationValue, names: FlowNames) -> [FlowDefinition.Lock] {
    let members = input.object(value, needed: "an object of features by permission")?.members ?? []
    return members.compactMap { member in
      let isNamed = input.isKeyName(member)
      guard let features = input.names(member.value), isNamed else { return nil }
      input.checkReference(
        to: member.key, in: names.permissions, "permission", at: member.position, path: member.value.path)
      return FlowDefinition.Lock(permission: member.key, features: features)
    }
  }
}
