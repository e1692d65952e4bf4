import FunnelModel

/// Detects values that privacy rules reject regardless of their key.
///
/// A fast test of the bytes accepts nearly every value.
final class PersonalValues {
  // A class, so that passing it copies a reference and not the rules.

  private let rules: PrivacyRules

  /// Creates a detector for some rules.
  init(_ rules: PrivacyRules) { self.rules = rules }

  /// Whether a value contains personal data. Padding must follow the value, whose escapes are decoded.
  @inline(__always)
  func contain(_ value: UnsafeRawBufferPointer) -> Bool { ByteWords.mayHoldPersonalData(value) && search(value) }

  /// Searches a value that the fast test does not accept.
  @inline(never)
  private func search(_ value: UnsafeRawBufferPointer) -> Bool { rules.personalPart(ofValue: value) != nil }
}
