import FunnelModel

/// The parsed fields of a line by their names, before validation.
///
/// The *envelope* is the set of fields that every event may have (``KnownField``). One value is reused for all
/// lines of a decoder, so a line needs no allocation.
struct Envelope {
  private(set) var fields = ParsedFields.none
  /// The index of each known field, by the raw value of its ``KnownField``, or ``absent``.
  private var indices = [Int32](repeating: absent, count: KnownField.allCases.count)
  /// The indices of the fields that are not part of the envelope.
  private(set) var unknown: [Int] = []
  private let defaultAppCopy: PaddedCopy?

  /// The index of a field that the line does not have.
  private static let absent: Int32 = -1

  /// Creates an envelope.
  ///
  /// - Parameter defaultApp: The app of events that name none, or `nil` if every event must name one.
  init(defaultApp: String?) {
    defaultAppCopy = defaultApp.map { PaddedCopy($0.utf8) }
  }

  /// The app of events that name none, or `nil` if every event must name one. The bytes are valid for the
  /// lifetime of the envelope.
  var defaultApp: UnsafeRawBufferPointer? { defaultAppCopy?.view }

  /// Replaces the fields by those of the next line.
  mutating func sort(_ fields: ParsedFields) {
    self.fields = fields
    for field in indices.indices { indices[field] = Self.absent }
    unknown.removeAll(keepingCapacity: true)
    var index = 0
    while index < fields.count {
      if let known = KnownField(fields.key(of: index)) {
        indices[known.rawValue] = Int32(truncatingIfNeeded: index)
      } else {
        unknown.append(index)
      }
      index += 1 + fields.childCount(of: index)
    }
  }

  /// Returns a field, or `nil` if the line does not have it.
  @inline(__always)
  subscript(known: KnownField) -> ParsedField? {
    let index = indices[known.rawValue]
    return index == Self.absent ? nil : fields[Int(index)]
  }

  /// Returns the indices in ``fields`` of an object's members. The range is empty if the line does not have the field.
  @inline(__always)
  func members(of known: KnownField) -> Range<Int> {
    guard indices[known.rawValue] != Self.absent else { return 0..<0 }
    let index = Int(indices[known.rawValue])
    return index + 1..<index + 1 + fields.childCount(of: index)
  }

  /// Throws if the envelope has a version other than 1.
  func refuseUnknownVersion() throws(Rejection) {
    guard let version = self[.version] else { return }
    guard case .integer(let number) = version.scalar else {
      throw Rejection(.invalidField, "v is \(version.kindName); it must be the number 1, or be left out")
    }
    guard number == 1 else {
      throw Rejection(.unsupportedVersion, "v is \(number); this version of funnel reads envelope version 1")
    }
  }
}

/// A field of the envelope.
enum KnownField: Int, CaseIterable {
  case name, timestamp, subject, app, flow, flowVersion, attempt, sequence, step, id
  case props, context, sentAt, receivedAt, deviceTimestamp, version

  /// The name in JSON.
  var text: StaticString {
    switch self {
    case .name: "name"
    case .timestamp: "ts"
    case .subject: "subject"
    case .app: "app"
    case .flow: "flow"
    case .flowVersion: "flow_version"
    case .attempt: "attempt"
    case .sequence: "seq"
    case .step: "step"
    case .id: "id"
    case .props: "props"
    case .context: "ctx"
    case .sentAt: "sent_at"
    case .receivedAt: "received_at"
    case .deviceTimestamp: "device_ts"
    case .version: "v"
    }
  }

  /// The set that contains only this field.
  @inline(__always)
  var bit: UInt32 { 1 << UInt32(truncatingIfNeeded: rawValue) }

  /// Creates the field with a given key, or returns `nil` if there is none.
  @inline(__always)
  init?(_ key: UnsafeRawBufferPointer) {
    // At most three names have the same length.
    let candidates: (KnownField, KnownField?, KnownField?)
    switch key.count {
    case 1: candidates = (.version, nil, nil)
    case 2: candidates = (.timestamp, .id, nil)
    case 3: candidates = (.app, .sequence, .context)
    case 4: candidates = (.name, .flow, .step)
    case 5: candidates = (.props, nil, nil)
    case 7: candidates = (.subject, .attempt, .sentAt)
    case 9: candidates = (.deviceTimestamp, nil, nil)
    case 11: candidates = (.receivedAt, nil, nil)
    case 12: candidates = (.flowVersion, nil, nil)
    default: return nil
    }
    if key.equals(candidates.0.text) {
      self = candidates.0
    } else if let second = candidates.1, key.equals(second.text) {
      self = second
    } else if let third = candidates.2, key.equals(third.text) {
      self = third
    } else {
      return nil
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes are those of a text.
  @inline(__always)
  func equals(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in 0..<count where self[index] != text.utf8Start[index] { return false }
    return true
  }

  /// The bytes as a string.
  var text: String { String(decoding: self, as: UTF8.self) }

  /// The bytes as a string for a message, truncated to 120 characters.
  var shown: String { text.cutForMessage(120) }

  /// Whether the bytes are a valid name: a lowercase letter, then lowercase letters, digits and underscores, at most
  /// ``Limits/nameBytesMax`` in total.
  var isName: Bool {
    guard let first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first), count <= Limits.nameBytesMax else { return false }
    return allSatisfy {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || $0 == UInt8(ascii: "_")
    }
  }

  /// Whether the UTF-8 text contains a control character: C0, DEL, or C1 (which UTF-8 encodes as C2 80 to C2 9F).
  var hasControlCharacter: Bool {
    for index in 0..<count {
      let byte = self[index]
      if byte < 0x20 || byte == 0x7F { return true }
      if byte == 0xC2, index + 1 < count, self[index + 1] < 0xA0 { return true }
    }
    return false
  }

  /// Whether the bytes may contain a control character: a fast test with false positives. At least seven bytes
  /// after them must be readable.
  @inline(__always)
  var mayHoldControlCharacter: Bool {
    guard let start = baseAddress else { return false }
    var offset = 0
    var found: UInt64 = 0
    while offset < count {
      let word = ByteWords.word(start + offset) | (offset &+ 8 > count ? ~ByteWords.mask(count &- offset) : 0)
      // Finds a byte below 0x20, DEL, or C2, the first byte of a C1 character in UTF-8 (Hacker's Delight, section 6-1).
      let ones: UInt64 = 0x0101_0101_0101_0101
      let del = word ^ (ones &* 0x7F)
      let c2 = word ^ (ones &* 0xC2)
      found |= (word &- ones &* 0x20) & ~word | (del &- ones) & ~del | (c2 &- ones) & ~c2
      offset &+= 8
    }
    return found & 0x8080_8080_8080_8080 != 0
  }
}
