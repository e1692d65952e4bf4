import FunnelModel
internal import FunnelStore

extension SubjectPolicy {
  /// The minimum length in bytes of a subject that is searched for inside longer texts. A shorter one occurs by chance.
  private static let subjectInsideBytesMin = 4

  /// Replaces all other texts of an event that contain the raw subject by pseudonyms.
  func conceal(_ subject: BorrowedText, in event: inout EventFields) {
    // Apps often derive other IDs from that of the subject.
    if let id = event.id, Self.contains(id, subject) || privacy.personalPart(ofValue: id.span) != nil {
      event.id = pseudonym(of: id)
    }
    if let attempt = event.attempt, Self.contains(attempt, subject) { event.attempt = pseudonym(of: attempt) }
    conceal(subject, in: &event.props)
    conceal(subject, in: &event.context)
  }

  private func conceal(_ subject: BorrowedText, in members: inout EventMembers) {
    guard members.contains(where: { reveals($0, subject) }) else { return }
    // The memory of the members may be shared with other events of the same context, so it is not modified in place.
    let copies = Array(members)
    members.removeAll()
    for member in copies { members.append(reveals(member, subject) ? concealed(member, subject) : member) }
    members.sort { $0.key.precedes($1.key) }
  }

  /// Returns whether the key or the value of a member contains the subject.
  private func reveals(_ member: EventMember, _ subject: BorrowedText) -> Bool {
    if reveals(member.key, subject) { return true }
    switch member.value {
    case .string(let text): return reveals(text, subject)
    // A numeric subject may occur among the properties as a number.
    case .integer(let number): return isSubject(number, subject)
    // An integer that does not fit in 64 bits is read as the nearest double.
    case .double(let number): return isSubject(number, subject)
    case .bool, .null: return false
    }
  }

  /// Returns whether a text equals the subject, or contains it if the subject is long enough.
  private func reveals(_ text: BorrowedText, _ subject: BorrowedText) -> Bool {
    guard text.count == subject.count || subject.count >= Self.subjectInsideBytesMin else { return false }
    return Self.contains(text, subject)
  }

  /// Returns whether a text contains a subject of any length.
  private static func contains(_ text: BorrowedText, _ subject: BorrowedText) -> Bool {
    text.span.offset(of: subject.span) != nil
  }

  /// Returns whether an integer in decimal equals the subject.
  private func isSubject(_ number: Int64, _ subject: BorrowedText) -> Bool {
    guard subject.count >= Self.subjectInsideBytesMin, subject[0] <= UInt8(ascii: "9") else { return false }
    return subject.span.isEqual(to: String(number))
  }

  /// Returns whether a double equals the subject, read as a number.
  private func isSubject(_ number: Double, _ subject: BorrowedText) -> Bool {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard subject.count >= Self.subjectInsideBytesMin, subject.allSatisfy(digits.contains) else { return false }
    return Double(subject.text) == number
  }

  /// Returns a member with pseudonyms in place of the texts that contain the subject.
  private func concealed(_ member: EventMember, _ subject: BorrowedText) -> EventMember {
    var member = member
    if reveals(member.key, subject) { member.key = pseudonym(of: member.key) }
    switch member.value {
    case .string(let text) where reveals(text, subject): member.value = .string(pseudonym(of: text))
    case .integer(let number) where isSubject(number, subject): member.value = .string(pseudonym(of: subject))
    case .double(let number) where isSubject(number, subject): member.value = .string(pseudonym(of: subject))
    case .string, .integer, .double, .bool, .null: break
    }
    return member
  }

  /// Returns the pseudonym of a text, valid until the next event.
  private func pseudonym(of text: BorrowedText) -> BorrowedText {
    guard let key else { preconditionFailure("only a store with pseudonyms conceals texts") }
    let copy = PaddedCopy(key.pseudonym(of: text))
    concealed.append(copy)
    return copy.view
  }
}
