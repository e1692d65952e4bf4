import FunnelModel

/// Makes the identifiers of one scope unique.
struct Namer {
  private var taken: Set<String>

  /// - Parameter reserved: Identifiers that are already in use in the scope.
  init(reserved: Set<String> = []) { taken = reserved }

  /// Returns an identifier and reserves it. If it is taken, a number is appended.
  mutating func unique(_ identifier: String) -> String {
    var name = identifier
    var number = 2
    while !taken.insert(name).inserted {
      name = "\(identifier)\(number)"
      number += 1
    }
    return name
  }
}

/// A part of a flow's bindings with its identifier in the generated code.
struct Named<Value> {
  let name: String
  let value: Value
}

/// An enumeration with its identifier, and its values with theirs.
struct NamedEnumeration {
  let name: String
  /// The property or properties that have the values, for a comment.
  let subject: String
  let values: [Named<PropertyValue>]
}
