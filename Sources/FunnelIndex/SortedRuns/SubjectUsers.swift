internal import FunnelDecoding
internal import FunnelModel

/// An encoder for the users that the events of a partition's subjects name (``SubjectUsers``).
///
/// It writes two sections: the column `userNumbers` with the number of each event's user among those of its subject,
/// from 1, or 0 for an event without a user, and the section `users` with the users themselves. Both are empty if no
/// event of the partition has a user.
struct SubjectUsersEncoder: ~Copyable {
  private var numbers = SubjectColumnEncoder()
  private var hasUsers = false
  /// The index of the subject of each encoded user.
  private var subjects = UniqueArray<UInt32>()
  /// The two words of the hash of each encoded user.
  private var keys = UniqueArray<UInt64>()
  /// The end of the text of each encoded user, with its form in the low two bits.
  private var ends = UniqueArray<UInt64>()
  private var texts = UniqueBytes()
  /// The users of the current subject, in the order of their first events.
  private var current = UniqueArray<PackedID>()
  /// The number of each user of the current subject, if it has too many to be searched one by one.
  private var numberOfUser: [[UInt8]: Int] = [:]

  private static let searchedMax = 16

  init() {}

  /// Appends the user of an event of the current subject. Its bytes must stay valid until ``endSubject(_:)``.
  ///
  /// - Parameters:
  ///   - subject: The number of finished subjects.
  ///   - event: The number of earlier events of the current subject.
  @inline(__always)
  mutating func append(_ user: PackedID?, subject: Int, event: Int) {
    guard user != nil || hasUsers else { return }
    appendNumber(of: user, subject: subject, event: event)
  }

  private mutating func appendNumber(of user: PackedID?, subject: Int, event: Int) {
    if !hasUsers {
      hasUsers = true
      numbers.appendZeros(subjects: subject, events: event)
    }
    numbers.append(user.map { UInt64(number(of: $0)) } ?? 0)
  }

  /// Returns the number of a user of the current subject, from 1.
  private mutating func number(of user: PackedID) -> Int {
    if current.count > 0, current[current.count - 1].isEqual(to: user) { return current.count }
    if current.count > Self.searchedMax {
      if let known = numberOfUser[user.key] { return known }
    } else {
      for index in 0..<current.count where current[index].isEqual(to: user) { return index + 1 }
    }
    current.append(user)
    if current.count == Self.searchedMax + 1 {
      for index in 0..<current.count { numberOfUser[current[index].key] = index + 1 }
    } else if current.count > Self.searchedMax {
      numberOfUser[user.key] = current.count
    }
    return current.count
  }

  /// Finishes the current subject, which has an index.
  @inline(__always)
  mutating func endSubject(_ subject: Int) {
    guard hasUsers else { return }
    numbers.endSubject()
    if current.count > 0 { encodeUsers(of: subject) }
  }

  private mutating func encodeUsers(of subject: Int) {
    for index in 0..<current.count {
      let user = current[index]
      let key = user.hash
      subjects.append(UInt32(truncatingIfNeeded: subject))
      keys.append(key.high)
      keys.append(key.low)
      texts.append(user.bytes)
      ends.append(UInt64(texts.count) << SubjectUsers.formBits | UInt64(user.form.rawValue))
    }
    current.removeAll()
    if !numberOfUser.isEmpty { numberOfUser = [:] }
  }

  /// Appends the column of the events' user numbers.
  func writeNumbers(to bytes: inout UniqueBytes) {
    if hasUsers { numbers.write(to: &bytes) }
  }

  /// Appends the users.
  func writeUsers(to bytes: inout UniqueBytes) {
    assert(current.count == 0, "the last subject is finished")
    guard subjects.count > 0 else { return }
    bytes.append(number: UInt64(subjects.count))
    bytes.append(numbers: keys.elements)
    bytes.append(numbers: ends.elements)
    bytes.append(numbers: subjects.elements)
    bytes.append(texts.bytes)
  }
}

/// The section `users` of a partition: the users that the events of its subjects name (specification section 13).
///
/// The encoding is: the number of users, 8 bytes; the hash of each, 16 bytes; the end of its text, with the form in the low
/// two bits (``PackedID``), 8 bytes; the index of its subject, 4 bytes; the texts. Users are in the order of their subjects,
/// then of their first events. A user that several subjects have in common is encoded for each of them.
struct SubjectUsers: BitwiseCopyable {
  /// The number of users.
  let count: Int
  private let keys: BorrowedColumn<UInt64>
  private let ends: BorrowedColumn<UInt64>
  private let subjects: BorrowedColumn<UInt32>
  private let texts: BorrowedBytes

  static let formBits: UInt64 = 2
  private static let formMask: UInt64 = 1 << formBits - 1
  private static let wordBytes = MemoryLayout<UInt64>.size
  private static let fixedBytes = 3 * wordBytes + MemoryLayout<UInt32>.size

  /// Opens the section of a partition.
  ///
  /// - Throws: `inputOutput` if the section is too short.
  init(_ section: BorrowedBytes) throws(FunnelError) {
    guard !section.isEmpty else {
      count = 0
      keys = .empty
      ends = .empty
      subjects = .empty
      texts = .empty
      return
    }
    guard section.count >= Self.wordBytes else { throw FunnelError.damagedIndex }
    let stored = section.load(at: 0, as: UInt64.self)
    guard stored <= UInt64(section.count / Self.fixedBytes) else { throw FunnelError.damagedIndex }
    count = Int(stored)
    let endStart = Self.wordBytes + 2 * Self.wordBytes * count
    let subjectStart = endStart + Self.wordBytes * count
    let textStart = subjectStart + MemoryLayout<UInt32>.size * count
    guard textStart <= section.count else { throw FunnelError.damagedIndex }
    keys = section.column(of: UInt64.self, at: Self.wordBytes, count: 2 * count)
    ends = section.column(of: UInt64.self, at: endStart, count: count)
    subjects = section.column(of: UInt32.self, at: subjectStart, count: count)
    texts = section.dropFirst(textStart)
  }

  /// Returns the index of the subject of a user.
  @inline(__always)
  func subject(of user: Int) -> Int { Int(subjects[user]) }

  /// Returns the hash of a user, which equals that of a subject with the same text.
  @inline(__always)
  func key(of user: Int) -> Hash128 { Hash128(high: keys[2 &* user], low: keys[2 &* user &+ 1]) }

  /// Returns a user, packed like an ID. It is valid as long as the run.
  ///
  /// - Throws: `inputOutput` if the section is damaged.
  func name(of user: Int) throws(FunnelError) -> PackedID {
    let start = user == 0 ? 0 : ends[user - 1] >> Self.formBits
    let end = ends[user] >> Self.formBits
    guard start <= end, end <= UInt64(texts.count), let form = PackedID.Form(rawValue: UInt8(ends[user] & Self.formMask)),
      form == .text || end - start == UInt64(PackedID.hexadecimalBytes)
    else { throw FunnelError.damagedIndex }
    return PackedID(form: form, bytes: texts[Int(start)..<Int(end)])
  }

  /// Returns the users of a subject, in the order of their numbers.
  func users(ofSubject subject: Int) -> Range<Int> {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if Int(subjects[middle]) < subject { low = middle + 1 } else { high = middle }
    }
    var end = low
    while end < count, Int(subjects[end]) == subject { end += 1 }
    return low..<end
  }
}

extension PackedID {
  /// The hash of the text, which is also the key of a subject with this text.
  var hash: Hash128 { Hash128(of: textBytes.span) }

  /// The form and the bytes, as the key of a dictionary.
  fileprivate var key: [UInt8] { [form.rawValue] + bytes.array }
}
