import FunnelModel

extension ParsedField {
  // Each function returns the value of the field, or throws a rejection that names the field as the caller does.

  /// Returns the text of a string.
  private func string(_ name: StaticString) throws(Rejection) -> BorrowedText {
    guard case .string(let text) = scalar else {
      throw Rejection(.invalidField, "\(name) is \(kindName); it must be a string")
    }
    return text
  }

  /// Returns a valid name.
  func name(_ name: StaticString) throws(Rejection) -> BorrowedText {
    let text = try string(name)
    guard text.span.isName else {
      throw Rejection(
        .invalidField,
        "\(name) must be a lower-case letter and then up to \(Limits.nameBytesMax - 1) lower-case letters, digits and underscores"
      )
    }
    return text
  }

  /// Returns a text that is short enough for an identifier, and may be empty.
  func identifierOrEmpty(_ name: StaticString) throws(Rejection) -> BorrowedText {
    let text = try string(name)
    guard text.count <= Limits.identifierBytesMax else {
      throw Rejection(.invalidField, "\(name) has \(text.count) bytes; \(Limits.identifierBytesMax) are allowed")
    }
    return text
  }

  /// Returns a text that is short enough for an identifier, and not empty.
  func identifier(_ name: StaticString) throws(Rejection) -> BorrowedText {
    let text = try identifierOrEmpty(name)
    guard !text.isEmpty else { throw Rejection(.invalidField, "\(name) is empty") }
    return text
  }

  /// Returns a text that is short enough for an identifier, not empty, and without control characters.
  func personID(_ name: StaticString) throws(Rejection) -> BorrowedText {
    let text = try identifier(name)
    guard !text.span.hasControlCharacter else {
      throw Rejection(.invalidField, "\(name) contains a control character")
    }
    return text
  }

  /// Returns a whole number of at least `minimum`.
  func integer(_ name: StaticString, atLeast minimum: Int64) throws(Rejection) -> Int64 {
    guard case .integer(let number) = scalar, number >= minimum else {
      throw Rejection(.invalidField, "\(name) must be a whole number, \(minimum) or more")
    }
    return number
  }

  /// Returns a time that can be written in RFC 3339.
  ///
  /// - Parameter reason: The reason for rejecting a time outside of the years 0000 to 9999.
  func timestamp(_ name: StaticString, outOfRange reason: RejectionReason = .invalidField) throws(Rejection) -> Timestamp {
    let timestamp: Timestamp
    switch scalar {
    case .string(let text):
      guard let parsed = Timestamp(rfc3339: text.span) else {
        throw Rejection(
          .invalidField, "\(name) is not an RFC 3339 date and time with an offset, such as 2026-11-20T10:15:30.123Z")
      }
      timestamp = parsed
    case .integer(let milliseconds): timestamp = Timestamp(milliseconds: milliseconds)
    // A whole number that is parsed as a double is beyond 2^53, which is out of range as a time.
    case .double(let number) where number.rounded() == number:
      timestamp = Timestamp(milliseconds: number < 0 ? .min : .max)
    default:
      throw Rejection(
        .invalidField, "\(name) is \(kindName); it must be an RFC 3339 date and time, or whole milliseconds since 1970")
    }
    guard Timestamp.writable.contains(timestamp) else {
      let hint = TimeUnitMistake.hint(about: timestamp.milliseconds)
      throw Rejection(reason, "\(name) is not within the years 0000 to 9999\(hint)")
    }
    return timestamp
  }
}
