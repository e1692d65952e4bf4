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

/// Emoji that consist of several scalars (UTS #51, ED-13 to ED-17): families, skin tones, keycaps and regional
/// flags.
///
/// The connecting scalars U+200D and U+FE0F are invisible outside of such a sequence, where they could hide
/// text. Escaping therefore preserves them only inside a sequence.
enum EmojiSequence {
  static let joiner: Unicode.Scalar = "\u{200D}"
  /// Selects the picture presentation of the preceding emoji instead of its text presentation.
  static let pictureSelector: Unicode.Scalar = "\u{FE0F}"
  private static let keycap: Unicode.Scalar = "\u{20E3}"
  private static let blackFlag: Unicode.Scalar = "\u{1F3F4}"

  /// The maximum number of joined emoji: the longest sequence that Unicode recommends (two people who kiss) has four.
  private static let joinedMax = 4

  /// The tag sequences of the subdivision flags that Unicode recommends: England, Scotland and Wales. Tag
  /// characters are invisible, and any other sequence of them could carry a hidden message.
  private static let regionTags: [[Unicode.Scalar]] = ["gbeng", "gbsct", "gbwls"].map { (region: String) in
    region.unicodeScalars.compactMap { Unicode.Scalar(0xE0000 + $0.value) } + ["\u{E007F}"]
  }

  /// Returns the number of scalars of the emoji that begins at an index, or 0 if none begins there.
  static func length(in scalars: [Unicode.Scalar], at start: Int) -> Int {
    assert(scalars.indices.contains(start), "an emoji begins in the text")
    var length = elementLength(in: scalars, at: start)
    guard length > 0 else { return 0 }
    for _ in 1..<joinedMax {
      let next = start + length
      guard next < scalars.count, scalars[next] == joiner else { break }
      let added = elementLength(in: scalars, at: next + 1)
      guard added > 0 else { break }
      length += 1 + added
    }
    return length
  }

  /// Returns the number of scalars of an emoji without joiners: one scalar, optionally with a selector, a skin
  /// tone, a keycap or a region.
  private static func elementLength(in scalars: [Unicode.Scalar], at start: Int) -> Int {
    guard start < scalars.count, scalars[start].properties.isEmoji, !scalars[start].isHalfOfFlag else { return 0 }
    let following = scalars[(start + 1)...]
    // Digits, # and * count as emoji only in keycaps.
    guard scalars[start].value >= 0x80 else { return following.starts(with: [pictureSelector, keycap]) ? 3 : 0 }
    if scalars[start] == blackFlag, let tags = regionTags.first(where: { following.starts(with: $0) }) { return 1 + tags.count }
    guard let next = following.first else { return 1 }
    let isToned = next.properties.isEmojiModifier && scalars[start].properties.isEmojiModifierBase
    return next == pictureSelector || isToned ? 2 : 1
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is a regional indicator, one half of a country's flag. Terminals draw a pair of them in
  /// two columns.
  var isHalfOfFlag: Bool { (0x1F1E6...0x1F1FF).contains(value) }
}

extension Character {
  /// Whether the character is an emoji of several scalars that a terminal draws as one picture.
  var isEmojiSequence: Bool {
    guard unicodeScalars.count > 1, let first = unicodeScalars.first, first.properties.isEmoji else { return false }
    return unicodeScalars.dropFirst().contains {
      $0 == EmojiSequence.joiner || $0 == EmojiSequence.pictureSelector || $0.properties.isEmojiModifier
        || (0xE0020...0xE007F).contains($0.value)
    }
  }
}
