/// The check for values that are personal regardless of their key.
extension PrivacyRules {
  /// The personal part of a value.
  public struct PersonalPart: Hashable, Sendable {
    public var kind: ValueKind
    /// The range of its bytes within the value.
    public var range: Range<Int>
  }

  /// Returns the first e-mail address or phone number in a value, or nil if there is none.
  ///
  /// An e-mail address requires an at sign; a phone number requires a plus sign, or the colon of `tel:` or `sms:` before it. A value
  /// without any of these three bytes contains neither, so callers that know this need not call.
  public func personalPart(ofValue value: UnsafeRawBufferPointer) -> PersonalPart? {
    for place in 0..<value.count {
      switch value[place] {
      case UInt8(ascii: "@") where refusesEmailAddresses:
        if let range = EmailAddress.range(around: place, in: value) { return PersonalPart(kind: .emailAddress, range: range) }
      case UInt8(ascii: "+") where refusesPhoneNumbers:
        if let range = PhoneNumber.range(fromPlus: place, in: value) { return PersonalPart(kind: .phoneNumber, range: range) }
      case UInt8(ascii: ":") where refusesPhoneNumbers:
        if let range = PhoneNumber.range(behindColon: place, in: value) {
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
