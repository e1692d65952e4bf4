import FunnelModel

/// A sentence that somebody should read in the morning.
struct NightlyRunMessage {
  /// What the message is about.
  enum Kind: String {
    /// A rule of `--alerts` fired.
    case alert
    /// A threshold of the command line was crossed.
    case threshold
    /// Something went wrong.
    case problem
  }

  let kind: Kind
  /// The rule or the option that made it; nil for a problem.
  let rule: String?
  let text: String

  init(_ kind: Kind, rule: String? = nil, _ text: String) {
    (self.kind, self.rule, self.text) = (kind, rule, text)
  }

  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.append(text: "{\"kind\":\"\(kind.rawValue)\",\"rule\":")
    bytes.appendJSON(rule)
    bytes.append(text: ",\"text\":")
    bytes.appendJSON(text)
    bytes.append(text: "}")
  }
}

extension [NightlyRunMessage] {
  /// The messages as a JSON array.
  var json: String {
    var bytes: [UInt8] = []
    bytes.append(text: "[")
    for (index, message) in enumerated() {
      if index > 0 { bytes.append(text: ",") }
      message.append(to: &bytes)
    }
    bytes.append(text: "]")
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension [UInt8] {
  /// Appends texts as a JSON array of strings.
  mutating func appendJSON(_ texts: [String]) {
    append(text: "[")
    for (index, text) in texts.enumerated() {
      if index > 0 { append(text: ",") }
      appendJSONString(text)
    }
    append(text: "]")
  }

  /// Appends a text as a JSON string, or null.
  mutating func appendJSON(_ text: String?) {
    if let text { appendJSONString(text) } else { append(text: "null") }
  }
}
