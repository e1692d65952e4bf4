extension PrivacyRules {
  /// Parses the rules from a file of the form
  /// `{"version":1,"keys":[{"key":"email","why":"…"}],"values":[{"kind":"email_address",…}]}`.
  ///
  /// - Parameter source: The file's name, for messages.
  /// - Throws: A configuration error about the first problem, with file, line, column and JSON path.
  package init(json bytes: [UInt8], source: String) throws(FunnelError) {
    let input = ConfigurationReader(source: source)
    var keys: [Key] = []
    var kinds: Set<ValueKind> = []
    if let root = input.parse(bytes),
      let object = input.object(root, allowed: ["version", "keys", "values"], required: ["version", "keys", "values"])
    {
      if let version = object["version"], version.node.integer != 1 {
        input.report("this version of the file is unknown, allowed: 1", at: version)
      }
      keys = object["keys"].map { Self.readKeys($0, input) } ?? []
      kinds = object["values"].map { Self.readKinds($0, input) } ?? []
    }
    guard input.problems.isEmpty else { throw FunnelError(input.problems.inFileOrder) }
    self.init(keys: keys, valueKinds: kinds)
  }

  private static func readKeys(_ value: ConfigurationValue, _ input: ConfigurationReader) -> [Key] {
    let elements = input.array(value, needed: "an array of keys") ?? []
    return elements.compactMap { element in
      guard let object = input.object(element, allowed: ["key", "why"], required: ["key", "why"]) else { return nil }
      guard let key = object.name("key"), let why = object.text("why") else {
        return nil
      }
      return Key(key: key, why: why)
    }
  }

  private static func readKinds(_ value: ConfigurationValue, _ input: ConfigurationReader) -> Set<ValueKind> {
    var kinds: Set<ValueKind> = []
    for element in input.array(value, needed: "an array of kinds of values") ?? [] {
      guard let object = input.object(element, allowed: ["kind", "example", "why"], required: ["kind"]) else { continue }
      for key in ["example", "why"] { _ = object[key].flatMap { input.text($0) } }
      if let kind = object.choice("kind", ValueKind.self) { kinds.insert(kind) }
    }
    return kinds
  }
}
