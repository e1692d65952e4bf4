/// The reason for rejecting a line (specification section 1).
public enum RejectionReason: String, Hashable, Sendable, CaseIterable {
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
  /// An event of a forgotten subject, or a rejected line that refers to one: it is counted, and nothing of it is kept.
  case forgotten

  /// Whether a file could not be read further: the rejected text is what was left of it, perhaps nothing.
  var isDamage: Bool { self == .damagedGzip || self == .damagedZip }
}

/// The rejection of one line: the reason, and a message for people.
public struct Rejection: Error, Hashable, Sendable {
  public var reason: RejectionReason
  public var message: String

  public init(_ reason: RejectionReason, _ message: String) {
    self.reason = reason
    self.message = message
  }
}
