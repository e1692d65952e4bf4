import FunnelModel

/// Breaking lines, one way for each reason a pipeline rejects one for.
extension EventWriter {
  /// Spoils the line that begins at `start`, where the damage is one of the whole line and not of a field.
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
      // A byte that UTF-8 never has, inside the id.
      bytes[start + 8] = 0xFF
    case .none, .misspelt, .missingTime, .missingSubject, .invalidName, .invalidVersion, .timeOutOfRange, .personalKey,
      .personalValue:
      break
    }
  }

  private mutating func insertBeforeEnd(_ text: StaticString) {
    bytes.removeLast()
    bytes.append(text: text)
    bytes.append(UInt8(ascii: "}"))
  }
}
