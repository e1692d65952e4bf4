extension SubjectGate {
  /// What may be kept of a refused line; nil where it speaks of somebody who was forgotten.
  ///
  /// In a store of pseudonyms the line itself is not kept, nor a sentence that may quote it: where in a line that breaks all rules a raw id
  /// stands, nobody can tell.
  func screened(_ letter: DeadLetter) -> DeadLetter? {
    if !isNobodyForgotten {
      let texts = [letter.raw, Array(letter.file.utf8), Array(letter.message.utf8)]
      let speaksOfForgotten = texts.contains { text in
        text.withUnsafeBytes { line in
          TextReadings.contains(line) { text in SubjectWords.contain(text) { isForgotten($0) } }
        }
      }
      if speaksOfForgotten { return nil }
    }
    guard conceals else { return letter }
    var letter = letter
    letter.raw = []
    letter.isMasked = true
    if !letter.reason.hasMessageWithoutQuotes { letter.message = Self.concealedMessage }
    return letter
  }

  private static let concealedMessage = "the store holds pseudonyms, so nothing of the line is kept; look at it in its file"
}

extension RejectReason {
  /// Whether the sentences of this reason never repeat anything of the line.
  fileprivate var hasMessageWithoutQuotes: Bool {
    switch self {
    case .invalidUTF8, .notAnObject, .lineTooLong, .damagedGzip: true
    case .invalidJSON, .missingField, .invalidField, .unsupportedVersion, .timestampOutOfRange, .personalData, .forgotten: false
    }
  }
}
