import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads valid events from lines whose tokens are known, without building an intermediate tree.
///
/// It accepts nearly all lines of a real log, and never an invalid event. A line it declines, whatever the reason (an invalid line, an
/// array, unusual white space), is left to the ``EventDecoder``, which handles all of JSON and reports the error. So the walker can be
/// simple and fast. Not to be shared between threads.
struct LineWalker {
  let options: DecodingOptions
  /// The screens of keys and values for personal data; nil if the lines are trusted.
  let cleanKeys: CleanKeys?
  let personalValues: PersonalValues?
  /// The times that an event may have.
  private let times: EventTimes
  private let defaultApp: UnsafeRawBufferPointer?
  let indexer: StructuralIndexer
  let names = FieldNames()
  let shapes = MemberShapes()
  let contexts = ContextCache()
  let runs = FieldPrefixes()
  let layouts: LineLayouts
  let scratch: UnescapeScratch
  var dates = DateCache()

  // The current batch of lines.
  var text: UnsafePointer<UInt8>
  var tokens: UnsafePointer<UInt32>
  var nextBackslash: Int = 0
  var textCount: Int = 0
  var tokenCount: Int = 0
  /// The index of the token behind the line that was accepted last.
  var nextToken = 0
  // The current line.
  var hasBackslash = false

  init(options: DecodingOptions, defaultApp: UnsafeRawBufferPointer?) {
    self.options = options
    self.defaultApp = defaultApp
    cleanKeys = options.isTrusted ? nil : CleanKeys(options.privacy)
    personalValues = options.isTrusted ? nil : PersonalValues(options.privacy)
    times = EventTimes(now: options.now)
    layouts = LineLayouts(noRun: runs.none)
    indexer = StructuralIndexer()
    scratch = UnescapeScratch()
    text = UnsafePointer(scratch.base)
    tokens = UnsafePointer(bitPattern: 8)!
  }

  /// Begins a batch of whole lines. Returns false if a byte of it is invalid, or if all its lines are blank.
  mutating func begin(_ batch: UnsafeRawBufferPointer) -> Bool {
    guard let found = indexer.tokens(of: batch) else { return false }
    // A batch of blank lines has no tokens.
    guard let base = batch.baseAddress, let first = found.baseAddress else { return false }
    text = base.assumingMemoryBound(to: UInt8.self)
    tokens = first
    textCount = batch.count
    tokenCount = found.count
    nextBackslash = -1
    return true
  }

  /// Returns the position of a token of the batch, or the length of the batch for a token behind the last.
  @inline(__always)
  func position(ofToken index: Int) -> Int { Int(tokens[index]) }

  /// Fills in the event of a line of the batch. The event is valid as long as the batch's bytes are.
  ///
  /// - Parameters:
  ///   - start: The offset of the line.
  ///   - end: The offset of its end: its line break, or the end of the batch.
  ///   - first: The index of its first token.
  /// - Returns: `false` if the line is left to the ``EventDecoder``.
  mutating func walk(from start: Int, to end: Int, firstToken first: Int, into event: inout EventFields) -> Bool {
    noteBackslash(from: start, to: end)
    scratch.clear()
    event.clear()
    var line = Line(run: runs.none)
    // The delimiter in front of the next field: an opening brace for the first, a comma for the others.
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

  /// The state of a line that is being read.
  private struct Line {
    /// The fields that were read, as a set of ``KnownField/bit``.
    var seen: UInt32 = 0
    var typeKey = TypeKey()
    /// The last run, and the run that is being read for the first time.
    var run: FieldPrefixes.Reference
    var new = NewPrefix()
    /// The number of fields that the envelope does not know.
    var unknownCount = 0
    /// The number of tokens from the delimiter in front of the next field, or of its run, to the field's value.
    var tokenCount = 0
    /// The number of runs in the line's trace, and whether the trace is complete.
    var segmentCount = 0
    var isTraced = true
  }

  /// Returns the field whose value comes next, named by a known run at the token or by the key there. Returns nil if the line is declined,
  /// and an inner nil if the envelope does not know the field.
  private mutating func nextField(
    at token: Int, end: Int, _ line: inout Line, _ event: inout EventFields
  ) -> KnownField?? {
    let guess = line.run.pointee.successor
    if !line.new.isOpen, guess.pointee.stands(at: text + Int(tokens[token])) { return take(guess, at: token, &line, &event) }
    let (key, colon, value) = (Int(tokens[token &+ 1]), Int(tokens[token &+ 2]), Int(tokens[token &+ 3]))
    // Checking the last position is enough: the others are smaller.
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
      line.new = NewPrefix()
      return .some(nil)
    }
    if line.new.isOpen {
      if !FieldPrefixes.canHold(field, text, tokens + token) {
        line.run = learn(line.new, upTo: token, next: field, of: event)
        line.new = NewPrefix()
      }
    } else if let known = runs.find(text, tokens + token, field, names) {
      line.run.pointee.successor = known
      return take(known, at: token, &line, &event)
    } else {
      line.run = runs.elsewhere
      if FieldPrefixes.canBegin(with: field) {
        line.new = NewPrefix(start: token)
        line.typeKey.spoil()
      }
    }
    line.isTraced = false
    guard line.seen & field.bit == 0 else { return nil }
    line.seen |= field.bit
    line.new.fields |= field.bit
    return field
  }

  /// Takes over the values of a run that was found at a token.
  private mutating func take(
    _ run: FieldPrefixes.Reference, at token: Int, _ line: inout Line, _ event: inout EventFields
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

  /// Checks the required fields, sets the default app, and corrects the clock. Returns false if a field is missing or the time is out of
  /// range.
  @inline(__always)
  func finish(_ event: inout EventFields, seen: UInt32, typeKey: TypeKey) -> Bool {
    guard seen & Self.required == Self.required else { return false }
    if seen & KnownField.app.bit == 0 {
      guard let defaultApp else { return false }
      event.app = defaultApp
    }
    event.typeKey = typeKey.value
    event.correctClock(receivedAt: options.now)
    return options.isTrusted || times.contain(event.timestamp)
  }

  private static let required = KnownField.name.bit | KnownField.timestamp.bit | KnownField.subject.bit
  private static let unknownMax = 16

  /// A run of fields that is being read for the first time.
  private struct NewPrefix {
    /// The index of its first token, the delimiter in front of it; -1 if there is no such run.
    var start = -1
    /// The fields that were read.
    var fields: UInt32 = 0

    @inline(__always)
    var isOpen: Bool { start >= 0 }
  }

  /// Caches a run that ends with the key of the field behind the delimiter at a token.
  private func learn(
    _ run: NewPrefix, upTo token: Int, next: KnownField, of event: borrowing EventFields
  ) -> FieldPrefixes.Reference {
    // Unescaped strings are in the scratch memory, but the values of a cached run must be within its text.
    guard !hasBackslash else { return runs.elsewhere }
    return runs.add(
      text, tokens + run.start, tokenCount: token &+ 3 &- run.start, fields: run.fields, next: next, of: event, names)
  }

  /// Returns whether the delimiter at a token is a closing brace, or nil if it is neither that nor a comma.
  @inline(__always)
  private func isLast(_ token: Int, end: Int) -> Bool? {
    let position = Int(tokens[token])
    guard position < end else { return nil }
    if text[position] == Byte.comma { return false }
    return text[position] == Byte.closeBrace ? true : nil
  }

  /// Finds out whether the line contains a backslash. Few lines do, so the search runs through the batch to the next one.
  @inline(__always)
  mutating func noteBackslash(from start: Int, to end: Int) {
    if nextBackslash < start { nextBackslash = backslash(from: start) }
    hasBackslash = nextBackslash < end
  }

  private func backslash(from start: Int) -> Int {
    guard let found = memchr(text + start, Int32(Byte.backslash), textCount - start) else { return textCount }
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
