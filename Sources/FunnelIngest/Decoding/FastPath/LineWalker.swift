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
  let cleanKeys: CleanKeys?
  private let defaultApp: UnsafeRawBufferPointer?
  let indexer: StructuralIndexer
  let names = FieldNames()
  let shapes = MemberShapes()
  let contexts = ContextMemory()
  let runs = FieldRuns()
  let layouts: LineLayouts
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
  var nextToken = 0
  // The line at hand.
  var hasBackslash = false
  var hasAt = false

  init(options: DecodingOptions, defaultApp: UnsafeRawBufferPointer?) {
    self.options = options
    self.defaultApp = defaultApp
    rules = options.isTrusted ? nil : options.privacy
    cleanKeys = rules.map(CleanKeys.init)
    layouts = LineLayouts(noRun: runs.none)
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
    noteMarks(from: start, to: end)
    scratch.clear()
    event.clear()
    var line = Line(run: runs.none)
    // The delimiter in front of the next field: the opening brace, and then commas.
    var token = first
    guard text[Int(tokens[token])] == Byte.openBrace else { return false }
    while true {
      guard let field = nextField(at: token, end: end, &line, &event) else { return false }
      token &+= line.tokenCount
      let value = Int(tokens[token])
      guard value < end else { return false }
      switch field {
      case nil: token &+= 1
      case .props, .context:
        guard text[value] == Byte.openBrace else { return false }
        let closing =
          field == .props
          ? members(from: token &+ 1, end: end, into: &event.props)
          : context(from: token &+ 1, open: value, end: end, into: &event.context)
        guard let close = closing else { return false }
        token = close &+ 1
      default: token &+= 1
      }
      guard let isLast = isLast(token, end: end) else { return false }
      if let field, field != .props, field != .context {
        guard take(field, from: value, to: Int(tokens[token]), into: &event) else { return false }
      }
      if isLast { break }
    }
    token &+= 1
    guard Int(tokens[token]) >= end else { return false }
    nextToken = token
    if line.unknownCount > 0 {
      guard addUnknown(line.unknownCount, to: &event.props) else { return false }
    }
    guard finish(&event, seen: line.seen, typeKey: line.typeKey) else { return false }
    if line.isTraced, layouts.isUseful, !hasBackslash {
      layouts.learn(
        text, tokens, segmentCount: line.segmentCount, first: first, lineTokenCount: token &- first, tokenCount: tokenCount)
    }
    return true
  }

  /// What is known of a line while it is read.
  private struct Line {
    /// The fields there were.
    var seen: UInt32 = 0
    var typeKey = TypeKey()
    /// The last run, and the one that is being read for the first time.
    var run: FieldRuns.Reference
    var new = NewRun()
    /// How many fields the envelope does not know.
    var unknownCount = 0
    /// Tokens from the delimiter in front of the next field, or of its run, to its value.
    var tokenCount = 0
    /// How many runs are in the trace of the line, and whether it has all.
    var segmentCount = 0
    var isTraced = true
  }

  /// The field whose value comes next, behind what is said by a run at a token, or the key there. Nil where something is off; nil in it where
  /// the envelope does not know the field.
  private mutating func nextField(
    at token: Int, end: Int, _ line: inout Line, _ event: inout EventFields
  ) -> KnownField?? {
    let guess = line.run.pointee.successor
    if !line.new.isOpen, guess.pointee.stands(at: text + Int(tokens[token])) { return take(guess, at: token, &line, &event) }
    let (key, colon, value) = (Int(tokens[token &+ 1]), Int(tokens[token &+ 2]), Int(tokens[token &+ 3]))
    // The last position first: the others are smaller.
    guard value < end, text[key] == Byte.quote, text[colon] == Byte.colon, text[colon &- 1] == Byte.quote else { return nil }
    line.tokenCount = 3
    guard let field = names.field(text + (key &+ 1), count: colon &- key &- 2) else {
      guard line.unknownCount < Self.unknownMax, text[value] != Byte.openBrace, text[value] != Byte.openBracket else {
        return nil
      }
      scratch.unknownTokens[line.unknownCount] = token &+ 1
      line.unknownCount &+= 1
      line.isTraced = false
      line.run = runs.elsewhere
      line.new = NewRun()
      return .some(nil)
    }
    if line.new.isOpen {
      if !FieldRuns.canHold(field, text, tokens + token) {
        line.run = learn(line.new, upTo: token, next: field, of: event)
        line.new = NewRun()
      }
    } else if let known = runs.find(text, tokens + token, field, names) {
      line.run.pointee.successor = known
      return take(known, at: token, &line, &event)
    } else {
      line.run = runs.elsewhere
      if FieldRuns.canBegin(with: field) {
        line.new = NewRun(start: token)
        line.typeKey.spoil()
      }
    }
    line.isTraced = false
    guard line.seen & field.bit == 0 else { return nil }
    line.seen |= field.bit
    line.new.fields |= field.bit
    return field
  }

  /// Takes what a run says that stands at a token.
  private mutating func take(
    _ run: FieldRuns.Reference, at token: Int, _ line: inout Line, _ event: inout EventFields
  ) -> KnownField?? {
    let fields = run.pointee.fields
    let field = run.pointee.next
    guard line.seen & fields == 0, (line.seen | fields) & field.bit == 0 else { return nil }
    line.seen |= fields | field.bit
    if run.pointee.number != 0 {
      event.take(run)
      line.typeKey.append(run.pointee.number)
    }
    layouts.trace[line.segmentCount] = LineLayouts.Trace(start: token, run: run)
    line.segmentCount &+= 1
    line.run = run
    line.tokenCount = run.pointee.tokenCount
    return field
  }

  /// Sees to what all events need; false where one has it not.
  @inline(__always)
  func finish(_ event: inout EventFields, seen: UInt32, typeKey: TypeKey) -> Bool {
    guard seen & Self.required == Self.required else { return false }
    if seen & KnownField.app.bit == 0 {
      guard let defaultApp else { return false }
      event.app = defaultApp
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
  mutating func noteMarks(from start: Int, to end: Int) {
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
  mutating func take(_ field: KnownField, from value: Int, to end: Int, into event: inout EventFields) -> Bool {
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
