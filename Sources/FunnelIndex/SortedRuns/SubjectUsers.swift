internal import FunnelDecoding
internal import FunnelModel

/// An encoder for the users that the events of a partition's subjects name (``SubjectUsers``).
///
/// It writes three sections: the column `userNumbers` with the number of each event's user among those of its subject,
/// from 1, or 0 for an event without a user, and the sections `users` and `userNames` with the users themselves. All are empty
/// if no event of the partition has a user.
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
      ends.append(UInt64(texts.count) << UserNames.formBits | UInt64(user.form.rawValue))
    }
    current.removeAll()
    if !numberOfUser.isEmpty { numberOfUser = [:] }
  }

  /// Appends the column of the events' user numbers.
  func writeNumbers(to bytes: inout UniqueBytes) {
    if hasUsers { numbers.write(to: &bytes) }
  }

  /// Appends the section `users`.
  func writeUsers(to bytes: inout UniqueBytes) {
    assert(current.count == 0, "the last subject is finished")
    bytes.append(numbers: keys.elements)
    bytes.append(numbers: subjects.elements)
  }

  /// Appends the section `userNames`.
  func writeNames(to bytes: inout UniqueBytes) {
    bytes.append(numbers: ends.elements)
    bytes.append(texts.bytes)
  }
}

/// The section `users` of a partition: the users that the events of its subjects name (specification section 13).
///
/// The encoding is: the hash of each user, 16 bytes; the index of its subject, 4 bytes. Users are in the order of their
/// subjects, then of their first events. A user that several subjects have in common is encoded for each of them.
struct SubjectUsers: BitwiseCopyable {
  /// The number of users.
  let count: Int
  private let keys: BorrowedColumn<UInt64>
  private let subjects: BorrowedColumn<UInt32>

  /// The length of an encoded user.
  static let userBytes = 2 * MemoryLayout<UInt64>.size + MemoryLayout<UInt32>.size

  /// Opens the section of a partition.
  ///
  /// - Throws: `inputOutput` if the section has an impossible length.
  init(_ section: BorrowedBytes) throws(FunnelError) {
    guard section.count % Self.userBytes == 0 else { throw FunnelError.damagedIndex }
    count = section.count / Self.userBytes
    keys = section.column(of: UInt64.self, at: 0, count: 2 * count)
    subjects = section.column(of: UInt32.self, at: 2 * MemoryLayout<UInt64>.size * count, count: count)
  }

  /// Returns the index of the subject of a user.
  @inline(__always)
  func subject(of user: Int) -> Int { Int(subjects[user]) }

  /// Returns the hash of a user, which equals that of a subject with the same text.
  @inline(__always)
  func key(of user: Int) -> Hash128 { Hash128(high: keys[2 &* user], low: keys[2 &* user &+ 1]) }

  /// Returns the users of a subject, in the order of their numbers.
  ///
  /// - Parameter first: A number of users that earlier subjects have. The search is short if they have few more.
  func users(ofSubject subject: Int, from first: Int = 0) -> Range<Int> {
    let start = (first..<count).firstNearStart { Int(subjects[$0]) >= subject }
    var end = start
    while end < count, Int(subjects[end]) == subject { end += 1 }
    return start..<end
  }
}

/// The section `userNames` of a partition: the texts of its users (``SubjectUsers``).
///
/// The encoding is: the end of each text, with its form in the low two bits (``PackedID``), 8 bytes; the texts.
struct UserNames: BitwiseCopyable {
  private let ends: BorrowedColumn<UInt64>
  /// The bytes of ``ends``.
  private let endBytes: BorrowedBytes
  private let texts: BorrowedBytes

  static let formBits: UInt64 = 2
  private static let formMask: UInt64 = 1 << formBits - 1
  private static let wordBytes = MemoryLayout<UInt64>.size

  /// Opens the section of a partition with `count` users. The caller must check the pages of a user's bytes before they are
  /// read.
  ///
  /// - Throws: `inputOutput` if the section is too short.
  init(_ section: BorrowedBytes, count: Int) throws(FunnelError) {
    guard section.count >= count * Self.wordBytes else { throw FunnelError.damagedIndex }
    endBytes = section[0..<count * Self.wordBytes]
    ends = section.column(of: UInt64.self, at: 0, count: count)
    texts = section.dropFirst(count * Self.wordBytes)
  }

  /// Returns the bytes that contain the end of a user and that of the user before it. They are not read.
  ///
  /// - Throws: `inputOutput` if there is no such user.
  func endBytes(of user: Int) throws(FunnelError) -> BorrowedBytes {
    guard user < ends.count else { throw FunnelError.damagedIndex }
    return endBytes[max(user - 1, 0) * Self.wordBytes..<(user + 1) * Self.wordBytes]
  }

  /// Returns the bytes of a user. Requires checked ``endBytes(of:)``.
  ///
  /// - Throws: `inputOutput` if the ends are damaged.
  func bytes(of user: Int) throws(FunnelError) -> BorrowedBytes {
    let start = user == 0 ? 0 : ends[user - 1] >> Self.formBits
    let end = ends[user] >> Self.formBits
    guard start <= end, end <= UInt64(texts.count) else { throw FunnelError.damagedIndex }
    return texts[Int(start)..<Int(end)]
  }

  /// Returns a user, packed like an ID. Requires checked ``bytes(of:)``. It is valid as long as the run.
  ///
  /// - Throws: `inputOutput` if the section is damaged.
  subscript(user: Int) -> PackedID {
    get throws(FunnelError) {
      let bytes = try bytes(of: user)
      guard let form = PackedID.Form(rawValue: UInt8(ends[user] & Self.formMask)),
        form == .text || bytes.count == PackedID.hexadecimalBytes
      else { throw FunnelError.damagedIndex }
      return PackedID(form: form, bytes: bytes)
    }
  }
}

extension Range<Int> {
  /// Returns the first index for which a condition holds, like ``firstSorted(where:)``, in a time that grows with the logarithm
  /// of its distance from the start.
  func firstNearStart(where holds: (Int) -> Bool) -> Int {
    var low = lowerBound
    var high = lowerBound
    var step = 1
    while high < upperBound, !holds(high) {
      low = high + 1
      high += step
      step *= 2
    }
    return (low..<Swift.min(high, upperBound)).firstSorted(where: holds)
  }

  /// Returns the first index for which a condition holds, or the end if there is none. Requires a condition that holds for
  /// every index after one for which it holds.
  func firstSorted(where holds: (Int) -> Bool) -> Int {
    var low = lowerBound
    var high = upperBound
    while low < high {
      let middle = low + (high - low) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension PackedID {
  /// The hash of the text, which is also the key of a subject with this text.
  var hash: Hash128 { Hash128(of: textBytes.span) }

  /// The form and the bytes, as the key of a dictionary.
  fileprivate var key: [UInt8] { [form.rawValue] + bytes.array }
}
