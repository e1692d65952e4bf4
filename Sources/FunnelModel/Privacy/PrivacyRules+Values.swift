/// The search for e-mail addresses and phone numbers in values.
extension PrivacyRules {
  /// An e-mail address or phone number in a value.
  public struct PersonalPart: Hashable, Sendable {
    /// The kind of personal data.
    public var kind: ValueKind
    /// The range of its bytes within the value.
    public var range: Range<Int>
  }

  /// Returns the first e-mail address or phone number in a value, or `nil` if there is none.
  ///
  /// A value without any of the bytes `@`, `+` and `:` has neither, so callers may skip the call for it.
  public func personalPart(ofValue value: UnsafeRawBufferPointer) -> PersonalPart? {
    for index in 0..<value.count {
      switch value[index] {
      case UInt8(ascii: "@") where refusesEmailAddresses:
        if let range = EmailAddress.range(around: index, in: value) { return PersonalPart(kind: .emailAddress, range: range) }
      case UInt8(ascii: "+") where refusesPhoneNumbers:
        if let range = PhoneNumber.range(fromPlus: index, in: value) { return PersonalPart(kind: .phoneNumber, range: range) }
      case UInt8(ascii: ":") where refusesPhoneNumbers:
        if let range = PhoneNumber.range(behindColon: index, in: value) {
          return PersonalPart(kind: .phoneNumber, range: range)
        }
      default: break
      }
    }
    return nil
  }
}

extension UInt8 {
  /// Whether the byte is an ASCII digit.
  @inline(__always)
  var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  /// Whether the byte is an ASCII letter.
  @inline(__always)
  var isASCIILetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

  /// Whether the byte is an ASCII letter or part of a non-ASCII character; all of the latter count as letters.
  @inline(__always)
  var isLetter: Bool { isASCIILetter || self >= 0x80 }
}
