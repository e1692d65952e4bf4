import FunnelModel
internal import FunnelStore

/// The raw subject and the raw user of an event, which other texts of the event may contain.
struct PersonIDs {
  let subject: BorrowedText
  let user: BorrowedText?

  /// The minimum length in bytes of an ID that is searched for inside longer texts. A shorter one occurs by chance.
  private static let insideBytesMin = 4

  /// Returns whether a text contains one of the IDs, of any length.
  func occur(in text: BorrowedText) -> Bool { first { text.span.offset(of: $0.span) != nil } != nil }

  /// Returns whether a text equals one of the IDs, or contains one that is long enough.
  func areRevealed(by text: BorrowedText) -> Bool {
    let found = first { id in
      (text.count == id.count || id.count >= Self.insideBytesMin) && text.span.offset(of: id.span) != nil
    }
    return found != nil
  }

  /// Returns the ID that an integer in decimal equals, or `nil` if there is none.
  func id(equalTo number: Int64) -> BorrowedText? {
    first { id in
      id.count >= Self.insideBytesMin && id[0] <= UInt8(ascii: "9") && id.span.isEqual(to: String(number))
    }
  }

  /// Returns the ID that equals a double if it is read as a number, or `nil` if there is none.
  func id(equalTo number: Double) -> BorrowedText? {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    return first { id in
      id.count >= Self.insideBytesMin && id.allSatisfy(digits.contains) && Double(id.text) == number
    }
  }

  private func first(where matches: (BorrowedText) -> Bool) -> BorrowedText? {
    if matches(subject) { return subject }
    guard let user, matches(user) else { return nil }
    return user
  }
}

extension SubjectPolicy {
  /// Replaces all other texts of an event that contain the raw subject or the raw user by pseudonyms.
  func conceal(_ ids: PersonIDs, in event: inout EventFields) {
    // Apps often derive other IDs from that of the subject.
    if let id = event.id, ids.occur(in: id) || privacy.personalPart(ofValue: id.span) != nil {
      event.id = pseudonym(of: id)
    }
    if let attempt = event.attempt, ids.occur(in: attempt) { event.attempt = pseudonym(of: attempt) }
    conceal(ids, in: &event.props)
    conceal(ids, in: &event.context)
  }

  private func conceal(_ ids: PersonIDs, in members: inout EventMembers) {
    guard members.contains(where: { reveals($0, ids) }) else { return }
    // The memory of the members may be shared with other events of the same context, so it is not modified in place.
    let copies = Array(members)
    members.removeAll()
    for member in copies { members.append(reveals(member, ids) ? concealed(member, ids) : member) }
    members.sort { $0.key.precedes($1.key) }
  }

  /// Returns whether the key or the value of a member contains one of the IDs.
  private func reveals(_ member: EventMember, _ ids: PersonIDs) -> Bool {
    if ids.areRevealed(by: member.key) { return true }
    switch member.value {
    case .string(let text): return ids.areRevealed(by: text)
    // A numeric ID may occur among the properties as a number.
    case .integer(let number): return ids.id(equalTo: number) != nil
    // An integer that does not fit in 64 bits is read as the nearest double.
    case .double(let number): return ids.id(equalTo: number) != nil
    case .bool, .null: return false
    }
  }

  /// Returns a member in which each text that contains one of the IDs is replaced by a pseudonym.
  private func concealed(_ member: EventMember, _ ids: PersonIDs) -> EventMember {
    var member = member
    if ids.areRevealed(by: member.key) { member.key = pseudonym(of: member.key) }
    let id: BorrowedText?
    switch member.value {
    case .string(let text): id = ids.areRevealed(by: text) ? text : nil
    case .integer(let number): id = ids.id(equalTo: number)
    case .double(let number): id = ids.id(equalTo: number)
    case .bool, .null: id = nil
    }
    if let id { member.value = .string(pseudonym(of: id)) }
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
