import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads valid events from lines whose tokens are known, without building anything in between.
///
/// It takes nearly all lines of a real log, and never one that is not a valid event: what it does not take (whatever the reason: a bad
/// line, an array, spaces in odd places) is for the ``EventDecoder``, which knows all of JSON and says what is wrong. So it may be plain, and fast.
/// Not to be shared between threads.
struct LineWalker {
  private let options: DecodingOptions
  private let rules: PrivacyRules?
  private let defaultApp: UnsafeRawBufferPointer?
  private let indexer: StructuralIndexer
  private let names = FieldNames()
  private let shapes = MemberShapes()
  private let contexts = ContextMemory()
  private let scratch: UnescapeScratch
  private var dates = DateMemory()

  // The batch of lines at hand.
  private var text: UnsafePointer<UInt8>
  private var tokens: UnsafePointer<UInt32>
  private var nextBackslash: Int = 0
  private var nextAt: Int = 0
  private var textCount: Int = 0
  /// The token behind the last of the line that was taken last.
  private(set) var nextToken = 0
  // The line at hand.
  private var hasBackslash = false
  private var hasAt = false

  init(options: DecodingOptions, defaultApp: UnsafeRawBufferPointer?) {
    self.options = options
    self.defaultApp = defaultApp
    rules = options.isTrusted ? nil : options.privacy
    indexer = StructuralIndexer()
    scratch = UnescapeScratch()
    text = UnsafePointer(scratch.base)
    tokens = UnsafePointer(bitPattern: 8)!
  }

  /// Begins a batch of whole lines. False where something in it is off, perhaps a single byte.
  mutating func begin(_ batch: UnsafeRawBufferPointer) -> Bool {
    guard let found = indexer.tokens(of: batch) else { return false }
    // A batch of blank lines has no tokens.
    guard let base = batch.baseAddress, let first = found.baseAddress else { return false }
    text = base.assumingMemoryBound(to: UInt8.self)
    tokens = first
    textCount = batch.count
    nextBackslash = -1
    nextAt = -1
    return true
  }

  /// The position of a token of the batch; the length of the batch behind the last.
  @inline(__always)
  func position(ofToken index: Int) -> Int { Int(tokens[index]) }

  /// Fills in the event of a line of the batch, good until the batch's bytes go.
  ///
  /// - Parameters:
  ///   - start: Where the line begins.
  ///   - end: Where it ends: its line break, or the end of the batch.
  ///   - first: Its first token.
  /// - Returns: false where the line is left to somebody else.
  mutating func walk(from start: Int, to end: Int, firstToken first: Int, into event: inout EventFields) -> Bool {
    let text = text
    let tokens = tokens
    noteMarks(from: start, to: end)
    scratch.clear()
    event.clear()
    var seen: UInt32 = 0
    var unknownCount = 0
    var place = 0
    var token = first
    guard text[Int(tokens[token])] == Byte.openBrace else { return false }
    token &+= 1
    while true {
      let key = Int(tokens[token])
      let colon = Int(tokens[token &+ 1])
      let value = Int(tokens[token &+ 2])
      // The last position first: the others are smaller.
      guard value < end, text[key] == Byte.quote, text[colon] == Byte.colon, text[colon &- 1] == Byte.quote else {
        return false
      }
      let keyStart = text + (key &+ 1)
      guard let field = names.field(keyStart, count: colon &- key &- 2, place: place) else {
        guard unknownCount < Self.unknownMax, text[value] != Byte.openBrace, text[value] != Byte.openBracket else {
          return false
        }
        scratch.unknownTokens[unknownCount] = token
        unknownCount &+= 1
        guard let next = skipDelimiter(token &+ 3, end: end) else { return false }
        token = next
        if text[Int(tokens[token &- 1])] == Byte.closeBrace { break }
        continue
      }
      place &+= 1
      guard seen & field.bit == 0 else { return false }
      seen |= field.bit
      switch field {
      case .props, .context:
        guard text[value] == Byte.openBrace else { return false }
        let closing =
          field == .props
          ? members(from: token &+ 3, end: end, into: &event.props)
          : context(from: token &+ 3, open: value, end: end, into: &event.context)
        guard let close = closing else { return false }
        guard let next = skipDelimiter(close &+ 1, end: end) else { return false }
        token = next
      default:
        guard let next = skipDelimiter(token &+ 3, end: end),
          take(field, from: value, to: Int(tokens[token &+ 3]), into: &event)
        else { return false }
        token = next
      }
      if text[Int(tokens[token &- 1])] == Byte.closeBrace { break }
    }
    guard Int(tokens[token]) >= end else { return false }
    nextToken = token
    guard seen & Self.required == Self.required else { return false }
    if seen & KnownField.app.bit == 0 {
      guard let defaultApp else { return false }
      event.app = defaultApp
    }
    if unknownCount > 0 {
      guard addUnknown(unknownCount, to: &event.props) else { return false }
    }
    event.correctClock(receivedAt: options.now)
    return options.isTrusted || event.isInRange(now: options.now)
  }

  private static let required = KnownField.name.bit | KnownField.timestamp.bit | KnownField.subject.bit
  private static let unknownMax = 16

  /// The token behind a comma or a closing brace, nil where there is neither.
  @inline(__always)
  private func skipDelimiter(_ token: Int, end: Int) -> Int? {
    let position = Int(tokens[token])
    guard position < end, text[position] == Byte.comma || text[position] == Byte.closeBrace else { return nil }
    return token &+ 1
  }

  /// Finds out whether the line holds a backslash or an at sign. Few lines do, so the whole batch is searched in strides.
  @inline(__always)
  private mutating func noteMarks(from start: Int, to end: Int) {
    if nextBackslash < start { nextBackslash = find(Byte.backslash, from: start) }
    hasBackslash = nextBackslash < end
    if rules != nil, nextAt < start { nextAt = find(Byte.at, from: start) }
    hasAt = nextAt >= start && nextAt < end
  }

  private func find(_ byte: UInt8, from start: Int) -> Int {
    guard let found = memchr(text + start, Int32(byte), textCount - start) else { return textCount }
    return UnsafeRawPointer(found) - UnsafeRawPointer(text)
  }

  @inline(__always)
  private mutating func take(_ field: KnownField, from value: Int, to end: Int, into event: inout EventFields) -> Bool {
    switch field {
    case .name:
      guard let name = string(from: value, to: end) else { return false }
      event.name = name
    case .app:
      guard let app = string(from: value, to: end) else { return false }
      event.app = app
    case .flow:
      guard let flow = string(from: value, to: end) else { return false }
      event.flow = flow
    case .step:
      guard let step = string(from: value, to: end) else { return false }
      event.step = step
    case .subject:
      guard let subject = identifier(from: value, to: end), subject.count > 0, !subject.mayHoldControlCharacter else {
        return false
      }
      event.subject = subject
    case .attempt:
      guard let attempt = identifier(from: value, to: end) else { return false }
      event.attempt = attempt
    case .id:
      guard let id = identifier(from: value, to: end), id.count > 0 else { return false }
      event.id = id
    case .flowVersion:
      guard let version = wholeNumber(from: value, to: end), version >= 1 else { return false }
      event.flowVersion = version
    case .sequence:
      guard let sequence = wholeNumber(from: value, to: end), sequence >= 0 else { return false }
      event.sequence = sequence
    case .version:
      return wholeNumber(from: value, to: end) == 1
    case .timestamp:
      guard let timestamp = timestamp(from: value, to: end) else { return false }
      event.timestamp = timestamp
    case .sentAt:
      guard let timestamp = timestamp(from: value, to: end) else { return false }
      event.sentAt = timestamp
    case .receivedAt:
      guard let timestamp = timestamp(from: value, to: end) else { return false }
      event.receivedAt = timestamp
    case .deviceTimestamp:
      guard let timestamp = timestamp(from: value, to: end) else { return false }
      event.deviceTimestamp = timestamp
    case .props, .context:
      return false
    }
    return true
  }

  /// Collects the members of the context, which begins at a place: mostly it was there before, byte for byte.
  private mutating func context(from first: Int, open: Int, end: Int, into members: inout EventMembers) -> Int? {
    // Escapes are taken out elsewhere; what is kept has none.
    guard contexts.isUseful, !hasBackslash else { return self.members(from: first, end: end, into: &members) }
    var token = first
    while Int(tokens[token]) < end, text[Int(tokens[token])] != Byte.closeBrace { token &+= 1 }
    let close = Int(tokens[token])
    guard close < end else { return nil }
    let count = close &- open &+ 1
    let hash = ByteWords.hash(text + open, count: count, seed: 0)
    if let known = contexts.find(text + open, count: count, hash: hash) {
      contexts.noteFound()
      members.take(known)
      return token
    }
    guard self.members(from: first, end: end, into: &members) == token else { return nil }
    contexts.add(text + open, count: count, hash: hash, members: members)
    return token
  }

  /// Collects the members of an object whose first key, or closing brace, is at a token, sorted by key.
  ///
  /// - Returns: the token of the closing brace, nil where something is off.
  private mutating func members(from first: Int, end: Int, into members: inout EventMembers) -> Int? {
    let (text, tokens) = (text, tokens)
    members.removeAll()
    guard Int(tokens[first]) < end else { return nil }
    if text[Int(tokens[first])] == Byte.closeBrace { return first }
    let key = Int(tokens[first])
    let colon = Int(tokens[first &+ 1])
    guard colon < end, colon > key &+ 1 else { return nil }
    let slot = shapes.slot(ofFirstKey: text + (key &+ 1), count: colon &- key &- 2)
    var token = first
    var count = 0
    while true {
      let key = Int(tokens[token])
      let colon = Int(tokens[token &+ 1])
      let after = Int(tokens[token &+ 3])
      guard after < end, text[key] == Byte.quote, text[colon] == Byte.colon, text[colon &- 1] == Byte.quote else { return nil }
      let keyStart = text + (key &+ 1)
      let keyCount = colon &- key &- 2
      guard shapes.hasKey(keyStart, count: keyCount, at: count, slot: slot) else {
        return newMembers(from: first, end: end, slot: slot, into: &members)
      }
      guard let scalar = scalar(from: Int(tokens[token &+ 2]), to: after) else { return nil }
      members[shapes.sortedPlace(of: count, slot: slot)] = EventMember(
        key: UnsafeRawBufferPointer(start: keyStart, count: keyCount), value: scalar)
      count &+= 1
      token &+= 4
      if text[after] == Byte.comma { continue }
      guard text[after] == Byte.closeBrace else { return nil }
      break
    }
    guard shapes.hasCount(count, slot: slot) else { return newMembers(from: first, end: end, slot: slot, into: &members) }
    members.count = count
    return token &- 1
  }

  /// Collects the members of an object of a shape that is not remembered.
  private mutating func newMembers(from first: Int, end: Int, slot: Int, into members: inout EventMembers) -> Int? {
    members.removeAll()
    var token = first
    while true {
      let key = Int(tokens[token])
      let colon = Int(tokens[token &+ 1])
      let after = Int(tokens[token &+ 3])
      guard after < end, text[key] == Byte.quote, text[colon] == Byte.colon, text[colon &- 1] == Byte.quote,
        members.count < Limits.objectKeysMax
      else { return nil }
      let span = UnsafeRawBufferPointer(start: text + (key &+ 1), count: colon &- key &- 2)
      // Keys with escapes are left to others; so no remembered key has one.
      if hasBackslash, span.contains(Byte.backslash) { return nil }
      guard let scalar = scalar(from: Int(tokens[token &+ 2]), to: after) else { return nil }
      members.append(EventMember(key: span, value: scalar))
      token &+= 4
      if text[after] == Byte.comma { continue }
      guard text[after] == Byte.closeBrace, shapes.learn(members, slot: slot, rules: rules) else { return nil }
      return token &- 1
    }
  }

  /// Adds scalars the envelope does not know to the properties, as ``Envelope`` does.
  private mutating func addUnknown(_ count: Int, to props: inout EventMembers) -> Bool {
    let ofProps = props.count
    for index in 0..<count {
      let token = scratch.unknownTokens[index]
      let (key, colon) = (Int(tokens[token]), Int(tokens[token &+ 1]))
      let span = UnsafeRawBufferPointer(start: text + (key &+ 1), count: colon &- key &- 2)
      if hasBackslash, span.contains(Byte.backslash) { return false }
      if let rules, rules.isPersonal(key: span) { return false }
      guard let scalar = scalar(from: Int(tokens[token &+ 2]), to: Int(tokens[token &+ 3])) else { return false }
      for earlier in 0..<index {
        let other = scratch.unknownTokens[earlier]
        let otherKey = UnsafeRawBufferPointer(
          start: text + (Int(tokens[other]) &+ 1), count: Int(tokens[other &+ 1]) &- Int(tokens[other]) &- 2)
        if otherKey.elementsEqual(span) { return false }
      }
      let isTaken = props.prefix(ofProps).contains { $0.key.elementsEqual(span) }
      if !isTaken { props.append(EventMember(key: span, value: scalar)) }
    }
    guard props.count <= Limits.objectKeysMax else { return false }
    props.sort { $0.key.precedes($1.key) }
    return true
  }
}

extension LineWalker {
  /// A string, without its quotes and escapes.
  @inline(__always)
  mutating func string(from value: Int, to end: Int) -> UnsafeRawBufferPointer? {
    guard text[value] == Byte.quote else { return nil }
    var close = end &- 1
    // Between a string and the next token stands nothing but white space.
    while text[close] != Byte.quote { close &-= 1 }
    guard close > value else { return nil }
    let span = UnsafeRawBufferPointer(start: text + (value &+ 1), count: close &- value &- 1)
    guard hasBackslash, span.count > 0, memchr(span.baseAddress!, Int32(Byte.backslash), span.count) != nil else { return span }
    return unescaped(span)
  }

  private func unescaped(_ span: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard let room = scratch.room(for: span.count) else { return nil }
    guard let count = indexer.unescape(span.baseAddress!.assumingMemoryBound(to: UInt8.self), into: room) else { return nil }
    scratch.take(count)
    return UnsafeRawBufferPointer(start: room, count: count)
  }

  /// A string of an identifier's length that is no personal data.
  @inline(__always)
  private mutating func identifier(from value: Int, to end: Int) -> UnsafeRawBufferPointer? {
    guard let text = string(from: value, to: end), text.count <= Limits.identifierBytesMax, !isPersonal(text) else {
      return nil
    }
    return text
  }

  /// Whether a value is personal data. An address has an at sign, and few lines have one; a phone number begins with a plus.
  @inline(__always)
  private func isPersonal(_ value: UnsafeRawBufferPointer) -> Bool {
    guard let rules, value.count > 0 else { return false }
    // An escape may stand for an at sign.
    return (hasAt || hasBackslash || value[0] == Byte.plus) && rules.personalKind(ofValue: value) != nil
  }

  /// A scalar that is no personal data, nil for anything else.
  @inline(__always)
  private mutating func scalar(from value: Int, to end: Int) -> Scalar? {
    let first = text[value]
    if first == Byte.quote {
      guard let text = string(from: value, to: end), !isPersonal(text) else { return nil }
      return .string(text)
    }
    let count = trimmedCount(from: value, to: end)
    switch first {
    case UInt8(ascii: "t"): return isText("true", at: value, count: count) ? .bool(true) : nil
    case UInt8(ascii: "f"): return isText("false", at: value, count: count) ? .bool(false) : nil
    case UInt8(ascii: "n"): return isText("null", at: value, count: count) ? .null : nil
    default: return NumberText(start: text + value, count: count).scalar
    }
  }

  /// A number without fraction, exponent and superfluous zeros, of up to 18 digits.
  @inline(__always)
  private func wholeNumber(from value: Int, to end: Int) -> Int64? {
    NumberText(start: text + value, count: trimmedCount(from: value, to: end)).integer
  }

  @inline(__always)
  private mutating func timestamp(from value: Int, to end: Int) -> Timestamp? {
    guard text[value] == Byte.quote else {
      guard let milliseconds = wholeNumber(from: value, to: end) else { return nil }
      let timestamp = Timestamp(milliseconds: milliseconds)
      return Timestamp.writable.contains(timestamp) ? timestamp : nil
    }
    guard let text = string(from: value, to: end) else { return nil }
    if let timestamp = dates.timestamp(text) { return timestamp }
    guard let timestamp = Timestamp(rfc3339: text), Timestamp.writable.contains(timestamp) else { return nil }
    return timestamp
  }

  /// The length of what stands between two tokens, without the white space at its end.
  @inline(__always)
  private func trimmedCount(from value: Int, to end: Int) -> Int {
    var end = end
    while text[end &- 1] == 0x20 || text[end &- 1] == 0x09 || text[end &- 1] == 0x0D { end &-= 1 }
    return end &- value
  }

  @inline(__always)
  private func isText(_ expected: StaticString, at value: Int, count: Int) -> Bool {
    count == expected.utf8CodeUnitCount && ByteWords.areEqual(text + value, expected.utf8Start, count: count)
  }
}

/// Bytes JSON is made of.
enum Byte {
  static let quote = UInt8(ascii: "\"")
  static let backslash = UInt8(ascii: "\\")
  static let colon = UInt8(ascii: ":")
  static let comma = UInt8(ascii: ",")
  static let openBrace = UInt8(ascii: "{")
  static let closeBrace = UInt8(ascii: "}")
  static let openBracket = UInt8(ascii: "[")
  static let at = UInt8(ascii: "@")
  static let plus = UInt8(ascii: "+")
}

/// Room for the strings of one line whose escapes were taken out, and for what else a line needs for a moment.
private final class UnescapeScratch {
  private static let capacity = 1 << 17

  let base = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
  let unknownTokens = UnsafeMutablePointer<Int>.allocate(capacity: 16)
  private var used = 0

  deinit {
    base.deallocate()
    unknownTokens.deallocate()
  }

  @inline(__always)
  func clear() { used = 0 }

  /// Room for the result of a string of so many bytes; nil where the line has too much of it.
  func room(for count: Int) -> UnsafeMutablePointer<UInt8>? {
    used + count + 2 * LineParser.paddingBytes <= Self.capacity ? base + used : nil
  }

  /// Keeps what was put there, and padding behind it.
  func take(_ count: Int) { used += count + LineParser.paddingBytes }
}
