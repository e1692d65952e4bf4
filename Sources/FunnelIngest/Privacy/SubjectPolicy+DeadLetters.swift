extension SubjectPolicy {
  /// Returns the part of a rejected line that may be stored, or nil if the line mentions a forgotten subject.
  ///
  /// In a store of pseudonyms neither the line itself nor a message that may quote it is kept: in a malformed line there is no way to tell
  /// where a raw id is.
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
    letter.header = nil
    letter.isMasked = true
    letter.isLeftOutMasked = false
    if !letter.reason.hasMessageWithoutQuotes { letter.message = Self.concealedMessage }
    return letter
  }

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
