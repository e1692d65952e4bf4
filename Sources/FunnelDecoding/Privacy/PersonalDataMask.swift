import FunnelImport
import FunnelModel

/// Masks the personal values of a rejected line before it is stored.
///
/// Every value is masked that would be a reason for a rejection, including values in nested objects and arrays. There, the
/// keys are also matched together with their path: `{"contact":{"name":…}}` as `contact.name`. In an imported record, the
/// values that its format leaves out as personal data are masked too.
struct PersonalDataMask {
  /// The replacement for a masked value.
  static let text = "***"

  /// The number of bytes of a path that are matched, which exceeds the length of any listed key.
  private static let pathBytesMax = 128  // Without a bound, a line of long keys would take quadratic time.

  /// The rules, any of which masks a value.
  private let rules: [PrivacyRules]
  /// The plan of the imported format, or `nil` for native events.
  private let plan: ImportPlan?
  /// The paths of values to which the mapping gives a key of personal data.
  private let personalPaths: Set<String>
  /// The masked JSON so far.
  private var bytes: [UInt8] = []
  /// The number of values that were masked.
  private var maskedCount = 0
  /// The keys from the root to the current value.
  private var keys: [String] = []
  /// Whether a value was masked that may become part of an event. Such a line can't be replayed.
  private(set) var maskedTaken = false

  /// Creates a mask.
  ///
  /// - Parameters:
  ///   - rules: The rules. A value is masked if any of them rejects it.
  ///   - plan: The plan of the imported format, or `nil` for native events.
  init(_ rules: [PrivacyRules], plan: ImportPlan? = nil) {
    self.rules = rules
    self.plan = plan
    let members = plan?.mappedMembers.filter { member in
      rules.contains { $0.isPersonal(key: Array(member.key.utf8).span) }
    }
    personalPaths = Set(members?.map(\.path.text) ?? [])
  }

  /// Returns the JSON of a document with every personal value masked, or `nil` if there is nothing to mask.
  mutating func masked(_ document: JSONDocument) -> [UInt8]? {
    bytes.removeAll()
    keys.removeAll()
    maskedCount = 0
    maskedTaken = false
    append(document.root, path: [], isPersonal: false, isLeftOut: false)
    return maskedCount > 0 ? bytes : nil
  }

  /// Appends a value.
  ///
  /// - Parameters:
  ///   - path: The end of the path of the value, at most ``pathBytesMax`` bytes and one key.
  ///   - isPersonal: Whether a key in its path is personal data.
  ///   - isLeftOut: Whether the format leaves the value out as personal data.
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
        // A value that a mapping reads from a left-out object becomes part of the event, so it is not masked.
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
      // The elements may be key-value pairs, some of which a mapping reads.
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

  /// Appends a string that contains an object or an array as JSON text, with its values masked.
  ///
  /// Returns `false`, and appends nothing, if the string is not such a text or has nothing to mask.
  private mutating func appendExpanded(_ text: String, path: [UInt8]) -> Bool {
    guard let first = text.utf8.first(where: { $0 > UInt8(ascii: " ") }), "{[".utf8.contains(first),
      let document = try? JSONDocument(parsing: Array(text.utf8))
    else { return false }
    let written = bytes
    let count = maskedCount
    bytes = []
    append(document.root, path: path, isPersonal: false, isLeftOut: false)
    let inner = bytes
    bytes = written
    guard maskedCount > count else { return false }
    bytes.appendJSONString(String(decoding: inner, as: UTF8.self))
    return true
  }

  /// Whether a key, or its path, is personal data.
  private func isPersonal(key: String, path: [UInt8]) -> Bool {
    let bytes = Array(key.utf8)
    return rules.contains { $0.isPersonal(key: bytes.span) || $0.isPersonal(key: path.span) }
  }

  /// Whether a value contains personal data.
  private func isPersonal(value text: String) -> Bool {
    let bytes = Array(text.utf8)
    return rules.contains { $0.personalPart(ofValue: bytes.span) != nil }
  }
}
