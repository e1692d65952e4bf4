/// The reason why an imported record is not an event.
package enum ImportRejection: Error, Hashable, Sendable {
  /// A required value is missing.
  case missing(String)
  /// A value is invalid.
  case invalid(String)
  /// The time of the record can't be right.
  case outOfRange(String)

  /// A human-readable sentence.
  package var message: String {
    switch self {
    case .missing(let message), .invalid(let message), .outOfRange(let message): message
    }
  }
}
