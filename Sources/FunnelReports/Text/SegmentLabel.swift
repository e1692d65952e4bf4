import FunnelModel

extension PropertyValue {
  /// The value as a segment label. A string that is empty or only white space is quoted, so that it is visible.
  var segmentLabel: String {
    if self == .null { return "(none)" }
    guard case .string(let text) = self, text.unicodeScalars.allSatisfy(\.properties.isWhitespace) else { return description }
    return "\"\(text)\""
  }
}
