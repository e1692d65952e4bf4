import FunnelModel

/// A message of a nightly run to its operator.
struct NightlyRunMessage {
  /// The cause of a message.
  enum Kind: String {
    /// A rule of `--alerts` fired.
    case alert
    /// A threshold of the command line was crossed.
    case threshold
    /// An error occurred.
    case problem
  }

  let kind: Kind
  /// The alert rule or the option that caused it, or `nil` for a problem.
  let rule: String?
  let text: String

  init(_ kind: Kind, rule: String? = nil, _ text: String) {
    self.kind = kind
    self.rule = rule
    self.text = text
  }

  /// Appends the message as a JSON object.
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
  /// Appends a JSON array of strings.
  mutating func appendJSON(_ texts: [String]) {
    append(text: "[")
    for (index, text) in texts.enumerated() {
      if index > 0 { append(text: ",") }
      appendJSONString(text)
    }
    append(text: "]")
  }

  /// Appends a JSON string, or `null` for `nil`.
  mutating func appendJSON(_ text: String?) {
    if let text { appendJSONString(text) } else { append(text: "null") }
  }
}
