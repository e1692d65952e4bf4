import FunnelModel

/// Finds the values that privacy rules refuse whatever their key is.
///
/// Nearly every value is accepted by a fast test of its bytes. The rules are in memory of their own, so that they are not copied for it.
final class PersonalValues {
  private let rules: PrivacyRules

  init(_ rules: PrivacyRules) { self.rules = rules }

  /// Returns whether a value, without its escapes, contains personal data. Padding must follow the value's bytes.
  @inline(__always)
  func contain(_ value: UnsafeRawBufferPointer) -> Bool { ByteWords.mayHoldPersonalData(value) && search(value) }

  /// Searches a value that did not pass the fast test.
  @inline(never)
  private func search(_ value: UnsafeRawBufferPointer) -> Bool { rules.personalPart(ofValue: value) != nil }
}
