import Foundation

/// The person that events are about.
struct Identity: Sendable, Hashable {
  /// The pseudonymous ID of the install.
  var subject: String
  /// The pseudonymous ID of the account that is signed in, or `nil` if none is.
  var user: String?

  /// Returns a random subject, not derived from the person or the device.
  static func randomSubject() -> String { UUID().uuidString.lowercased() }
}
