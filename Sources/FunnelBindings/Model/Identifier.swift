/// Converts the names and values of a flow definition to identifiers of programming languages.
enum Identifier {
  /// Returns the words of a name in lowercase. The result is never empty.
  ///
  /// Words end at a character other than an ASCII letter or digit, and before a capital after a small letter:
  /// `textSomeone`, `text_someone` and `text-someone` have two words. A text without ASCII letters and digits
  /// gives the word `value`.
  static func words(_ text: String) -> [String] {
    var words: [String] = []
    var word = ""
    var previousIsSmall = false
    for scalar in text.unicodeScalars {
      let character = Character(scalar)
      guard scalar.isASCII, character.isLetter || character.isNumber else {
        if !word.isEmpty { words.append(word) }
        word = ""
        previousIsSmall = false
        continue
      }
      if character.isUppercase, previousIsSmall {
        words.append(word)
        word = ""
      }
      word += character.lowercased()
      previousIsSmall = !character.isUppercase
    }
    if !word.isEmpty { words.append(word) }
    return words.isEmpty ? ["value"] : words
  }

  /// Returns words in lower camel case, such as `textSomeone`. The words must not be empty.
  static func lowerCamel(_ words: [String]) -> String {
    precondition(!words.isEmpty, "an identifier has at least one word")
    return lettered(words[0] + words.dropFirst().map(capitalized).joined(), "v")
  }

  /// Returns words in upper camel case, such as `TextSomeone`.
  static func upperCamel(_ words: [String]) -> String { lettered(words.map(capitalized).joined(), "V") }

  /// Returns words in upper snake case, such as `TEXT_SOMEONE`.
  static func upperSnake(_ words: [String]) -> String { lettered(words.map { $0.uppercased() }.joined(separator: "_"), "V") }

  private static func capitalized(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }

  /// Returns a text with a prefix if it starts with a digit, because an identifier starts with a letter.
  private static func lettered(_ text: String, _ prefix: String) -> String {
    text.first?.isNumber == true ? prefix + text : text
  }
}
