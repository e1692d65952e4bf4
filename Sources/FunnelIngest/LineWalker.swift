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
  let options: DecodingOptions
  let rules: PrivacyRules?
  private let defaultApp: UnsafeRawBufferPointer?
  let indexer: StructuralIndexer
  let names = FieldNames()
  let shapes = MemberShapes()
  let contexts = ContextMemory()
  let runs = FieldRuns()
  let scratch: UnescapeScratch
  var dates = DateMemory()

  // The batch of lines at hand.
  var text: UnsafePointer<UInt8>
  var tokens: UnsafePointer<UInt32>
  var nextBackslash: Int = 0
  var nextAt: Int = 0
  var textCount: Int = 0
  var tokenCount: Int = 0
  /// The token behind the last of the line that was taken last.
  private(set) var nextToken = 0
  // The line at hand.
  var hasBackslash = false
  var hasAt = false

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
    tokenCount = found.count
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
    var run = NewRun()
    var typeKey = TypeKey()
    guard text[Int(tokens[token])] == Byte.openBrace else { return false }
    token &+= 1
    while true {
      let key = Int(tokens[token])
      let colon = Int(tokens[token &+ 1])
      var value = Int(tokens[token &+ 2])
      // The last position first: the others are smaller.
      guard value < end, text[key] == Byte.quote, text[colon] == Byte.colon, text[colon &- 1] == Byte.quote else {
        return false
      }
      let keyStart = text + (key &+ 1)
      guard var field = names.field(keyStart, count: colon &- key &- 2, place: place) else {
        run.start = -1
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
      if FieldRuns.hasFewValues(field) {
        if run.start < 0, field != .version {
          let hash = FieldRuns.hash(text, tokens + token, names)
          if let known = runs.isUseful ? runs.find(text + key, hash: hash) : nil {
            guard seen & known.pointee.fields == 0 else { return false }
            seen |= known.pointee.fields
            event.take(known)
            typeKey.append(known.pointee.number)
            token &+= known.pointee.tokenCount &- 2
            field = known.pointee.next
            value = Int(tokens[token &+ 2])
            guard value < end else { return false }
          } else {
            run = NewRun(start: token, hash: hash)
            typeKey.spoil()
          }
        }
      } else if run.start >= 0, !isEmptyObject(field, token) {
        learn(run, upTo: token, next: field, of: event)
        run.start = -1
      }
      guard seen & field.bit == 0 else { return false }
      seen |= field.bit
      run.fields |= field.bit
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
    event.typeKey = typeKey.value
    event.correctClock(receivedAt: options.now)
    return options.isTrusted || event.isInRange(now: options.now)
  }

  private static let required = KnownField.name.bit | KnownField.timestamp.bit | KnownField.subject.bit
  private static let unknownMax = 16

  /// A run of fields that is not known yet.
  private struct NewRun {
    /// Its first token; -1 where there is none.
    var start = -1
    var hash: UInt64 = 0
    /// The fields so far.
    var fields: UInt32 = 0
  }

  /// Keeps a run that ends where a field begins.
  private func learn(_ run: NewRun, upTo token: Int, next: KnownField, of event: borrowing EventFields) {
    // Escapes are taken out elsewhere; what is kept has none.
    guard !hasBackslash else { return }
    let first = Int(tokens[run.start])
    runs.add(
      text + first, count: Int(tokens[token &+ 1]) &+ 1 &- first, hash: run.hash, tokenCount: token &+ 2 &- run.start,
      fields: run.fields, next: next, of: event)
  }

  /// Whether the field whose key is at a token is an object without members.
  @inline(__always)
  private func isEmptyObject(_ field: KnownField, _ token: Int) -> Bool {
    (field == .props || field == .context) && text[Int(tokens[token &+ 2])] == Byte.openBrace
      && text[Int(tokens[token &+ 3])] == Byte.closeBrace
  }

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
}
