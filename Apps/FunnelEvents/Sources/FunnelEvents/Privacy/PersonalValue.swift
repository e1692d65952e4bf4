/// The search for e-mail addresses and phone numbers in values.
enum PersonalValue {
  /// Returns a clause such as `contains a phone number`, or `nil` if a value has neither.
  static func finding(in text: String) -> String? {
    let value = Array(text.utf8)
    for index in value.indices {
      if value[index] == UInt8(ascii: "@"), let range = EmailAddress.range(around: index, in: value) {
        return "\(verb(range, value)) an e-mail address"
      }
      if let range = phoneNumber(at: index, of: value) { return "\(verb(range, value)) a phone number" }
    }
    return nil
  }

  private static func phoneNumber(at index: Int, of value: [UInt8]) -> Range<Int>? {
    switch value[index] {
    case UInt8(ascii: "+"): PhoneNumber.range(fromPlus: index, in: value)
    case UInt8(ascii: ":"): PhoneNumber.range(aroundColon: index, in: value)
    default: nil
    }
  }

  private static func verb(_ range: Range<Int>, _ value: [UInt8]) -> String { range == value.indices ? "is" : "contains" }
}
