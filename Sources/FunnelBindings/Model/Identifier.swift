/// Makes identifiers of the names and values of a definition.
enum Identifier {
  /// Returns the words of a name, in lower case: `textSomeone`, `text_someone` and `text-someone` have two. A text without any letter or
  /// digit of ASCII is the word `value`.
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

  /// Returns `textSomeone`. An identifier begins with a letter.
  static func lowerCamel(_ words: [String]) -> String {
    lettered(words[0] + words.dropFirst().map(capitalized).joined(), "v")
  }

  /// Returns `TextSomeone`.
  static func upperCamel(_ words: [String]) -> String { lettered(words.map(capitalized).joined(), "V") }

  /// Returns `TEXT_SOMEONE`.
  static func upperSnake(_ words: [String]) -> String { lettered(words.map { $0.uppercased() }.joined(separator: "_"), "V") }

  private static func capitalized(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }

  private static func lettered(_ text: String, _ prefix: String) -> String {
    text.first?.isNumber == true ? prefix + text : text
  }
}

/// Gives out identifiers of one scope, each once.
struct Namer {
  private var taken: Set<String>

  /// - Parameter reserved: Identifiers that mean something else in the scope.
  init(reserved: Set<String> = []) { taken = reserved }

  /// Returns an identifier, or the same with a number behind it if it is taken.
  mutating func unique(_ identifier: String) -> String {
    var name = identifier
    var number = 2
    while !taken.insert(name).inserted {
      name = "\(identifier)\(number)"
      number += 1
    }
    return name
  }
}
