internal import FunnelStore

extension SubjectPolicy {
  /// The minimum length in bytes of a subject that is searched for inside longer texts. A shorter one occurs by chance.
  private static let subjectInsideBytesMin = 4

  /// Replaces all other texts of an event that contain the raw subject by pseudonyms.
  func conceal(_ subject: UnsafeRawBufferPointer, in event: UnsafeMutablePointer<EventFields>) {
    // Apps often derive other IDs from that of the subject.
    if let id = event.pointee.id, Self.contains(id, subject) { event.pointee.id = pseudonym(of: id) }
    if let attempt = event.pointee.attempt, Self.contains(attempt, subject) { event.pointee.attempt = pseudonym(of: attempt) }
    conceal(subject, in: &event.pointee.props)
    conceal(subject, in: &event.pointee.context)
  }

  private func conceal(_ subject: UnsafeRawBufferPointer, in members: inout EventMembers) {
    guard members.contains(where: { holds($0, subject) }) else { return }
    // The memory of the members may be shared with other events of the same context, so it is not modified in place.
    let copies = Array(members)
    members.removeAll()
    for member in copies { members.append(holds(member, subject) ? concealed(member, subject) : member) }
    members.sort { $0.key.precedes($1.key) }
  }

  /// Whether the key or the value of a member contains the subject.
  private func holds(_ member: EventMember, _ subject: UnsafeRawBufferPointer) -> Bool {
    if holds(member.key, subject) { return true }
    switch member.value {
    case .string(let text): return holds(text, subject)
    // A numeric subject may occur among the properties as a number.
    case .integer(let number): return isSubject(number, subject)
    // An integer that does not fit in 64 bits is read as the nearest double.
    case .double(let number): return isSubject(number, subject)
    case .bool, .null: return false
    }
  }

  /// Whether a text equals the subject, or contains it if the subject is long enough.
  private func holds(_ text: UnsafeRawBufferPointer, _ subject: UnsafeRawBufferPointer) -> Bool {
    guard text.count == subject.count || subject.count >= Self.subjectInsideBytesMin else { return false }
    return Self.contains(text, subject)
  }

  /// Whether an integer in decimal equals the subject.
  private func isSubject(_ number: Int64, _ subject: UnsafeRawBufferPointer) -> Bool {
    guard subject.count >= Self.subjectInsideBytesMin, let first = subject.first, first <= UInt8(ascii: "9") else {
      return false
    }
    return String(number).utf8.elementsEqual(subject)
  }

  /// Whether a double equals the subject, read as a number.
  private func isSubject(_ number: Double, _ subject: UnsafeRawBufferPointer) -> Bool {
    guard subject.count >= Self.subjectInsideBytesMin, subject.allSatisfy({ $0.isLetterOrDigit && $0 <= UInt8(ascii: "9") })
    else {
      return false
    }
    return Double(String(decoding: subject, as: UTF8.self)) == number
  }

  /// Returns a member with pseudonyms in place of the texts that contain the subject.
  private func concealed(_ member: EventMember, _ subject: UnsafeRawBufferPointer) -> EventMember {
    var member = member
    if holds(member.key, subject) { member.key = pseudonym(of: member.key) }
    switch member.value {
    case .string(let text) where holds(text, subject): member.value = .string(pseudonym(of: text))
    case .integer(let number) where isSubject(number, subject): member.value = .string(pseudonym(of: subject))
    case .double(let number) where isSubject(number, subject): member.value = .string(pseudonym(of: subject))
    case .string, .integer, .double, .bool, .null: break
    }
    return member
  }

  /// Returns the pseudonym of a text, valid until the next event.
  private func pseudonym(of text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let copy = PaddedCopy(key?.pseudonym(of: text) ?? [])
    concealed.append(copy)
    return copy.view
  }
}
