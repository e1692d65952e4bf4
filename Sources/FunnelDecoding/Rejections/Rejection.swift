/// The reason for rejecting a line (specification section 1).
package enum RejectionReason: String, Hashable, Sendable, CaseIterable {
  case invalidJSON = "invalid_json"
  case invalidUTF8 = "invalid_utf8"
  case notAnObject = "not_an_object"
  case lineTooLong = "line_too_long"
  case missingField = "missing_field"
  case invalidField = "invalid_field"
  case unsupportedVersion = "unsupported_version"
  case timestampOutOfRange = "timestamp_out_of_range"
  case personalData = "personal_data"
  case damagedGzip = "damaged_gzip"
  case damagedZip = "damaged_zip"
  /// An event of a forgotten subject, or a rejected line that mentions one. It is counted, but its text is not stored.
  case forgotten

  /// Whether the input is damaged. The rejected text is then the incomplete record before the damage, which may
  /// be empty.
  package var isDamage: Bool { self == .damagedGzip || self == .damagedZip }
}

/// The rejection of one line.
package struct Rejection: Error, Hashable, Sendable {
  package var reason: RejectionReason
  /// A message in English for the person who sends the events.
  package var message: String

  package init(_ reason: RejectionReason, _ message: String) {
    self.reason = reason
    self.message = message
  }
}
