extension SubjectPolicy {
  /// Returns the information of a rejected line that may be stored, or `nil` if the line contains a forgotten subject.
  ///
  /// In a store with pseudonyms, neither the line nor a message that may quote it is stored.
  package func screened(_ letter: DeadLetter) -> DeadLetter? {
    if !isNobodyForgotten {
      let texts = [letter.raw, Array(letter.file.utf8), Array(letter.message.utf8)]
      let mentionsForgotten = texts.contains { text in
        TextReadings.contains(text.span) { reading in SubjectWords.contain(reading) { isForgotten($0) } }
      }
      if mentionsForgotten { return nil }
    }
    guard conceals else { return letter }
    // Raw subjects can't be located in a malformed line, so the whole line is removed.
    var letter = letter
    letter.raw = []
    letter.header = nil
    letter.isMasked = true
    letter.isLeftOutMasked = false
    if !letter.reason.hasMessageWithoutQuotes { letter.message = Self.concealedMessage }
    return letter
  }

  /// The message that replaces one that may quote the line.
  private static let concealedMessage = "the store holds pseudonyms, so the line itself is not kept; see it in its file"
}

extension RejectionReason {
  /// Whether the messages of this reason never quote the line.
  fileprivate var hasMessageWithoutQuotes: Bool {
    switch self {
    case .invalidUTF8, .notAnObject, .lineTooLong, .damagedGzip: true
    case .invalidJSON, .missingField, .invalidField, .unsupportedVersion, .timestampOutOfRange, .personalData, .damagedZip,
      .forgotten:
      false
    }
  }
}
