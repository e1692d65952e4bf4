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
    let rest = scalars[(start + 1)...]
    // Digits, # and * count as emoji only in keycaps.
    guard scalars[start].value >= 0x80 else { return rest.starts(with: [pictureSelector, keycap]) ? 3 : 0 }
    if scalars[start] == blackFlag, let tags = regionTags.first(where: { rest.starts(with: $0) }) { return 1 + tags.count }
    guard let next = rest.first else { return 1 }
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
