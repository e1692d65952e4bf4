// Overloads for callers whose bytes are not in an array, such as a mapped file or a buffer of a C library.
//
// Each one only wraps its argument in a span. The memory must stay valid and unchanged during the call, which returns
// nothing that refers to it.

extension UnsafeRawBufferPointer {
  fileprivate var utf8: UnsafeBufferPointer<UInt8> { assumingMemoryBound(to: UInt8.self) }
}

extension Timestamp {
  /// Parses an RFC 3339 date-time (``init(rfc3339:)``).
  package init?(rfc3339 text: UnsafeRawBufferPointer) { self.init(rfc3339: text.utf8.span) }
}

extension PrivacyRules {
  /// Returns whether a key contains the words of a listed key.
  package func isPersonal(key: UnsafeRawBufferPointer) -> Bool { isPersonal(key: key.utf8.span) }

  /// Returns the listed key whose words a key contains, or `nil` if the key is not personal.
  package func listedKey(heldBy key: UnsafeRawBufferPointer) -> Key? { listedKey(heldBy: key.utf8.span) }

  /// Returns the first e-mail address or phone number in a value, or `nil` if there is none.
  package func personalPart(ofValue value: UnsafeRawBufferPointer) -> PersonalPart? {
    personalPart(ofValue: value.utf8.span)
  }

  /// Returns a clause about a personal key, or `nil` if the key is not personal.
  package func finding(inKey key: UnsafeRawBufferPointer) -> String? { finding(inKey: key.utf8.span) }

  /// Returns a clause about a personal value, or `nil` if the value is not personal.
  package func finding(inValue value: UnsafeRawBufferPointer) -> String? { finding(inValue: value.utf8.span) }
}
