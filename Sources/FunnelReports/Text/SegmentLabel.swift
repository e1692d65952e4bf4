import FunnelModel

extension PropertyValue {
  /// The value as a label of a segment: as it is, but a text of blanks in quotes, to be seen at all.
  var segmentLabel: String {
    guard case .string(let text) = self, text.unicodeScalars.allSatisfy(\.properties.isWhitespace) else { return description }
    return "\"\(text)\""
  }
}
