/// Values that are personal whatever their key.
extension PrivacyRules {
  /// The personal part of a value.
  public struct PersonalPart: Hashable, Sendable {
    public var kind: ValueKind
    /// Its bytes in the value.
    public var range: Range<Int>
  }

  /// Returns the first e-mail address or phone number that a value is or holds, or nil if there is none.
  ///
  /// An e-mail address has an at sign; a phone number is told by its plus sign, or by the colon of `tel:` or `sms:` in front of it. So a value without
  /// any of these three bytes holds neither, and whoever knows that need not ask.
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
  /// Whether the byte is a digit of ASCII.
  @inline(__always)
  var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  /// Whether the byte is a letter of ASCII.
  @inline(__always)
  var isASCIILetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

  /// Whether the byte is a letter of ASCII, or of any other letter: those are not told apart further.
  @inline(__always)
  var isLetter: Bool { isASCIILetter || self >= 0x80 }
}
