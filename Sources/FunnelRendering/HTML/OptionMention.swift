/// An option of the command line that a sentence mentions, such as `--order any`.
package struct OptionMention: Hashable, Sendable {
  /// The name without dashes.
  package let name: String
  /// The value, or `nil` if the sentence gives none.
  package let value: String?

  package init(_ name: String, _ value: String? = nil) {
    precondition(!name.isEmpty, "an option has a name")
    self.name = name
    self.value = value
  }

  /// The option as on the command line.
  var text: String { value.map { "--\(name) \($0)" } ?? "--\(name)" }
}

/// The control of a served page that does what options of the command line do.
package struct OptionControl: Hashable, Sendable {
  /// The control in words, with the value to choose: `Order: any`.
  package let words: String
  /// The percent-encoded path of the same page with the options set, or `nil` for no link.
  package let target: String?

  package init(_ words: String, target: String? = nil) {
    self.words = words
    self.target = target
  }
}

/// Returns the control of a page for options that a sentence mentions together, or `nil` if the page has none.
package typealias OptionControlLookup = @Sendable ([OptionMention]) -> OptionControl?

/// A piece of a sentence that may mention the command line.
enum SentencePart: Hashable {
  case text(String)
  /// Options with only a space between them.
  case options([OptionMention])
  /// A whole command line. The sentence has it in single quotes.
  case command(String)

  /// Returns the pieces of a sentence, in order.
  static func parts(of sentence: String) -> [SentencePart] {
    var reader = SentenceReader(words: sentence.split(separator: " ", omittingEmptySubsequences: false)[...])
    return reader.parts()
  }
}

/// Splits a sentence into its pieces.
private struct SentenceReader {
  var words: ArraySlice<Substring>
  private var found: [SentencePart] = []
  private var text = ""

  init(words: ArraySlice<Substring>) {
    self.words = words
  }

  mutating func parts() -> [SentencePart] {
    while let word = words.popFirst() {
      if !readCommand(word), !readOption(word) { text += word }
      if !words.isEmpty { text += " " }
    }
    flush()
    return found
  }

  private mutating func flush() {
    if !text.isEmpty { found.append(.text(text)) }
    text = ""
  }

  /// Reads a command line in quotes, such as `'funnel schema list'`. Returns `false` if the word does not begin one.
  private mutating func readCommand(_ word: Substring) -> Bool {
    guard word == "'funnel", let last = words.firstIndex(where: { $0.contains("'") }),
      let quote = words[last].firstIndex(of: "'")
    else { return false }
    flush()
    found.append(.command((["funnel"] + words[..<last] + [words[last][..<quote]]).joined(separator: " ")))
    text += words[last][words[last].index(after: quote)...]
    words = words[(last + 1)...]
    return true
  }

  /// Reads an option with its value. Returns `false` if the word is none.
  private mutating func readOption(_ word: Substring) -> Bool {
    let start = word.first == "(" ? word.dropFirst() : word
    guard start.hasPrefix("--") else { return false }
    let name = start.dropFirst(2).prefix { $0 == "-" || ("a"..."z").contains($0) }
    guard let first = name.first, first != "-" else { return false }
    let after = start[name.endIndex...]
    var value: Substring = ""
    var rest = after
    if after.isEmpty, let next = words.first {
      value = Self.value(next)
      if !value.isEmpty {
        rest = next[value.endIndex...]
        words.removeFirst()
      }
    }
    let option = OptionMention(String(name), value.isEmpty ? nil : String(value))
    if text == " ", start.startIndex == word.startIndex, case .options(let others)? = found.last {
      found[found.count - 1] = .options(others + [option])
      text = ""
    } else {
      text += word[..<start.startIndex]
      flush()
      found.append(.options([option]))
    }
    text += rest
    return true
  }

  /// The values of options that are words.
  private static let wordValues: Set<Substring> = [
    "any", "ordered", "strict", "known", "first", "best", "person", "subject", "attempt", "entry", "day", "week", "month",
    "hour", "weekday", "version", "previous", "completed", "entered",
  ]

  /// Returns the start of a word that is the value of an option, or an empty text if the word is a part of the sentence.
  ///
  /// Other values than some words have a digit, a dot or a comma within them, such as `7d`, `ctx.variant` and `hour,weekday`.
  private static func value(_ word: Substring) -> Substring {
    let punctuation: Set<Character> = [",", ";", ":", ".", ")", "'"]
    var value = word
    while let last = value.last, punctuation.contains(last) { value = value.dropLast() }
    return wordValues.contains(value) || value.contains { $0.isNumber || $0 == "." || $0 == "," } ? value : ""
  }
}

extension HTMLRenderer {
  /// Returns a sentence in which the controls of a page stand for the options that it mentions.
  ///
  /// - Parameter control: Returns the control of the page for some options. Without one, options are written as on the command
  ///   line, as code.
  package static func words(of sentence: String, control: OptionControlLookup? = nil) -> HTMLText {
    SentencePart.parts(of: sentence).map { part in
      switch part {
      case .text(let text): .isolated(text)
      case .command(let command): HTMLElement("code") { .isolated(command) }.html
      case .options(let options): html(options, control: control?(options))
      }
    }.joined()
  }

  private static func html(_ options: [OptionMention], control: OptionControl?) -> HTMLText {
    guard let control else {
      return HTMLElement("code") { .isolated(options.map(\.text).joined(separator: " ")) }.html
    }
    guard let target = control.target else { return HTMLElement("strong") { .isolated(control.words) }.html }
    return HTMLElement("a", ["href": "\(target)"]) { .isolated(control.words) }.html
  }
}
