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
    var typeKey = TypeKey()
    var run = runs.none
    var new = NewRun()
    // The delimiter in front of the next field: the opening brace, and then commas.
    var token = first
    guard text[Int(tokens[token])] == Byte.openBrace else { return false }
    while true {
      var field: KnownField
      var isKnown = true
      let guess = run.pointee.successor
      if !new.isOpen, guess.pointee.stands(at: text + Int(tokens[token])) {
        run = guess
        field = guess.pointee.next
      } else {
        let (key, colon, value) = (Int(tokens[token &+ 1]), Int(tokens[token &+ 2]), Int(tokens[token &+ 3]))
        // The last position first: the others are smaller.
        guard value < end, text[key] == Byte.quote, text[colon] == Byte.colon, text[colon &- 1] == Byte.quote else {
          return false
        }
        guard let named = names.field(text + (key &+ 1), count: colon &- key &- 2) else {
          guard unknownCount < Self.unknownMax, text[value] != Byte.openBrace, text[value] != Byte.openBracket else {
            return false
          }
          scratch.unknownTokens[unknownCount] = token &+ 1
          unknownCount &+= 1
          run = runs.elsewhere
          new = NewRun()
          token &+= 4
          guard let isLast = isLast(token, end: end) else { return false }
          if isLast { break }
          continue
        }
        field = named
        if new.isOpen {
          isKnown = false
          if !FieldRuns.canHold(field, text, tokens + token) {
            run = learn(new, upTo: token, next: field, of: event)
            new = NewRun()
          }
        } else if let known = runs.find(text, tokens + token, field, names) {
          run.pointee.successor = known
          run = known
          field = known.pointee.next
        } else {
          isKnown = false
          run = runs.elsewhere
          if FieldRuns.canBegin(with: field) {
            new = NewRun(start: token)
            typeKey.spoil()
          }
        }
      }
      if isKnown {
        guard seen & run.pointee.fields == 0 else { return false }
        seen |= run.pointee.fields
        if run.pointee.number != 0 {
          event.take(run)
          typeKey.append(run.pointee.number)
        }
        token &+= run.pointee.tokenCount
      } else {
        token &+= 3
      }
      guard seen & field.bit == 0 else { return false }
      seen |= field.bit
      new.fields |= field.bit
      let value = Int(tokens[token])
      guard value < end else { return false }
      if field == .props || field == .context {
        guard text[value] == Byte.openBrace else { return false }
        let closing =
          field == .props
          ? members(from: token &+ 1, end: end, into: &event.props)
          : context(from: token &+ 1, open: value, end: end, into: &event.context)
        guard let close = closing else { return false }
        token = close &+ 1
      } else {
        token &+= 1
      }
      guard let isLast = isLast(token, end: end) else { return false }
      if field != .props, field != .context {
        guard take(field, from: value, to: Int(tokens[token]), into: &event) else { return false }
      }
      if isLast { break }
    }
    token &+= 1
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

  /// A run of fields that is being read for the first time.
  private struct NewRun {
    /// Its first token, the delimiter in front of it; -1 where there is none.
    var start = -1
    /// The fields so far.
    var fields: UInt32 = 0

    @inline(__always)
    var isOpen: Bool { start >= 0 }
  }

  /// Keeps a run that ends where a field begins, behind the delimiter at a token.
  private func learn(
    _ run: NewRun, upTo token: Int, next: KnownField, of event: borrowing EventFields
  ) -> FieldRuns.Reference {
    // Escapes are taken out elsewhere; what is kept has none.
    guard !hasBackslash else { return runs.elsewhere }
    return runs.add(
      text, tokens + run.start, tokenCount: token &+ 3 &- run.start, fields: run.fields, next: next, of: event, names)
  }

  /// Whether the delimiter at a token is a closing brace; nil where it is neither that nor a comma.
  @inline(__always)
  private func isLast(_ token: Int, end: Int) -> Bool? {
    let position = Int(tokens[token])
    guard position < end else { return nil }
    if text[position] == Byte.comma { return false }
    return text[position] == Byte.closeBrace ? true : nil
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
