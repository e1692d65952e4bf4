extension Unicode.Scalar {
  /// The number of terminal columns that the scalar occupies: 0, 1 or 2.
  ///
  /// Scalars that are wide or fullwidth (UAX #11) and emoji with emoji presentation occupy two columns.
  /// Combining marks occupy none.
  var displayWidth: Int {
    if value < 0x300 { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    // Vowels and final consonants of Hangul combine with the preceding syllable.
    if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
    if value < 0x1100 { return 1 }
    return Self.wideRanges.contains { $0.contains(value) } || isWideEmoji ? 2 : 1
  }

  private var isWideEmoji: Bool {
    !isHalfOfFlag && properties.isEmojiPresentation
  }

  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
    0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
    0x1F200...0x1F265, 0x20000...0x3FFFD,
  ]
}

extension Character {
  /// The number of terminal columns that the character occupies.
  ///
  /// An emoji sequence occupies two, as in terminals that draw it as one picture. Other terminals draw each of
  /// its emoji.
  var displayWidth: Int {
    if utf8.count == 1 { return 1 }
    return isEmojiSequence ? 2 : unicodeScalars.reduce(0) { $0 + $1.displayWidth }
  }
}

extension Escaped {
  /// The number of terminal columns that the text occupies.
  var displayWidth: Int {
    // An ASCII character has one byte and occupies one column.
    text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.reduce(0) { $0 + $1.displayWidth }
  }
}
