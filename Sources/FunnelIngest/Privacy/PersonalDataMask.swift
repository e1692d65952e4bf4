import FunnelImport
import FunnelModel

/// Masks the personal values of a rejected line before it is stored.
///
/// Whatever the reason for the rejection, every value is masked that would itself have been a reason. This includes values inside objects
/// and arrays that no event may have; there, keys are also matched together with the path that leads to them (`{"contact":{"name":…}}` as
/// `contact.name`). Of a foreign record, everything is masked too that its format leaves out as personal.
struct PersonalDataMask {
  /// The replacement for a masked value.
  static let text = "***"

  /// The number of bytes of the path above a key that are matched. It exceeds the length of any listed key, and the bound keeps a line of
  /// long keys from taking quadratic time.
  private static let pathBytesMax = 128

  private let rules: [PrivacyRules]
  /// The plan of the foreign format, or nil for native events.
  private let plan: ImportPlan?
  /// The paths of values that a mapping gives a personal key, whatever the record calls them.
  private let personalPaths: Set<String>
  private var bytes: [UInt8] = []
  private var maskedCount = 0
  /// The keys from the root to the value that is being written.
  private var keys: [String] = []
  /// Whether a value was masked that may become part of an event: what is left can't be replayed.
  private(set) var maskedTaken = false

  /// Creates a mask.
  ///
  /// - Parameters:
  ///   - rules: The rules to apply; a value is masked if any of them rejects it.
  ///   - plan: The plan of the foreign format, or nil for native events.
  init(_ rules: [PrivacyRules], plan: ImportPlan? = nil) {
    self.rules = rules
    self.plan = plan
    let members = plan?.mappedMembers.filter { member in
      rules.contains { Array(member.key.utf8).withUnsafeBytes($0.isPersonal) }
    }
    personalPaths = Set(members?.map(\.path.text) ?? [])
  }

  /// Returns a document's JSON with every personal value masked, or nil if it contains none.
  mutating func masked(_ document: JSONDocument) -> [UInt8]? {
    bytes.removeAll()
    keys.removeAll()
    (maskedCount, maskedTaken) = (0, false)
    append(document.root, path: [], isPersonal: false, isLeftOut: false)
    return maskedCount > 0 ? bytes : nil
  }

  /// Appends a value.
  ///
  /// - Parameters:
  ///   - isPersonal: Whether a key on the way to it is personal.
  ///   - isLeftOut: Whether the format leaves it out as personal.
  private mutating func append(_ node: JSONDocument.Node, path: [UInt8], isPersonal: Bool, isLeftOut: Bool) {
    let isMasked = isPersonal || isLeftOut
    switch node.value {
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes.appendJSONString(member.key)
        bytes.append(UInt8(ascii: ":"))
        let memberPath = Array(path.suffix(Self.pathBytesMax)) + [UInt8(ascii: ".")] + Array(member.key.utf8)
        keys.append(member.key)
        // What a mapping takes out of an object that is left out becomes part of the event, so that it is no secret here.
        let use = plan?.use(of: keys)
        let isMappedPersonal = !personalPaths.isEmpty && personalPaths.contains(keys.joined(separator: "."))
        append(
          member.node, path: memberPath,
          isPersonal: isPersonal || self.isPersonal(key: member.key, path: memberPath) || isMappedPersonal,
          isLeftOut: use == .leftOut || isLeftOut && use != .taken)
        keys.removeLast()
      }
      bytes.append(UInt8(ascii: "}"))
    case .array(let nodes):
      bytes.append(UInt8(ascii: "["))
      for (index, node) in nodes.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        append(node, path: path, isPersonal: isPersonal, isLeftOut: isLeftOut)
      }
      bytes.append(UInt8(ascii: "]"))
      // The elements may be pairs of key and value, of which a mapping takes some.
      if isMasked, plan?.takesPart(of: keys) == true { maskedTaken = true }
    case .string(let text) where !isMasked && plan != nil && appendExpanded(text, path: path): break
    case .number(let text) where !isMasked: bytes.append(text: text)
    case .string(let text) where !isMasked && !self.isPersonal(value: text): bytes.appendJSONString(text)
    case .bool(let flag) where !isMasked: bytes.append(text: flag ? "true" : "false")
    case .null: bytes.append(text: "null")
    case .number, .string, .bool:
      bytes.appendJSONString(Self.text)
      maskedCount += 1
      if plan == nil || plan?.use(of: keys) == .taken { maskedTaken = true }
    }
  }

  /// Appends a text of a foreign record that holds an object or an array, which an import may read as one, and returns whether it is such a
  /// text with something to mask.
  private mutating func appendExpanded(_ text: String, path: [UInt8]) -> Bool {
    guard let first = text.utf8.first(where: { $0 > UInt8(ascii: " ") }), "{[".utf8.contains(first),
      let document = try? JSONDocument(parsing: Array(text.utf8))
    else { return false }
    let (written, count) = (bytes, maskedCount)
    bytes = []
    append(document.root, path: path, isPersonal: false, isLeftOut: false)
    let inner = bytes
    bytes = written
    guard maskedCount > count else { return false }
    bytes.appendJSONString(String(decoding: inner, as: UTF8.self))
    return true
  }

  private func isPersonal(key: String, path: [UInt8]) -> Bool {
    rules.contains { rules in
      Array(key.utf8).withUnsafeBytes(rules.isPersonal) || path.withUnsafeBytes(rules.isPersonal)
    }
  }

  private func isPersonal(value text: String) -> Bool {
    Array(text.utf8).withUnsafeBytes { value in rules.contains { $0.personalPart(ofValue: value) != nil } }
  }
}
