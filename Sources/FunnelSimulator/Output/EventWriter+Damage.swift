import FunnelModel

/// Damage to lines, one kind for each reason to reject a line.
extension EventWriter {
  /// Damages the line that begins at `start`. Damage to a single field is ignored here, because it is written with the field.
  mutating func spoil(_ damage: PendingEvent.Damage, lineFrom start: Int) {
    switch damage {
    case .truncated: bytes.removeLast((bytes.count - start) / 2)
    case .trailingComma: insertBeforeEnd(",")
    case .duplicateKey: insertBeforeEnd(",\"app\":\"other\"")
    case .unsupportedEnvelope: insertBeforeEnd(",\"v\":99")
    case .notAnObject:
      bytes.removeLast(bytes.count - start)
      bytes.append(text: "[\"step_viewed\",\"welcome\"]")
    case .invalidUTF8:
      // A byte that never occurs in UTF-8, inside the id.
      bytes[start + 8] = 0xFF
    case .none, .misspelt, .missingTime, .missingSubject, .invalidName, .invalidVersion, .timeOutOfRange, .personalKey,
      .personalValue:
      break
    }
  }

  private mutating func insertBeforeEnd(_ text: String) {
    bytes.removeLast()
    bytes.append(text: text)
    bytes.append(UInt8(ascii: "}"))
  }
}
