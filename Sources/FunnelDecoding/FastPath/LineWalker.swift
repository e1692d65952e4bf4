import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Parses events directly from the token positions of a batch of lines, without an intermediate tree.
///
/// It is the fast path for nearly all lines of a real log. It declines lines that it can't parse (invalid lines,
/// arrays, unusual white space). ``EventDecoder`` decodes those: it supports all of JSON and reports errors. An
/// accepted event is valid, except that the caller must validate its names and the property schemas of its flows.
/// Not thread-safe: each worker owns one.
struct LineWalker {
  let options: DecodingOptions
  /// Recognizes keys that name personal data, or `nil` if the lines are trusted.
  let cleanKeys: CleanKeys?
  /// Recognizes values that contain personal data, or `nil` if the lines are trusted.
  let personalValues: PersonalValues?
  /// The times that an event may have.
  private let times: EventTimes
  /// The app of events that name none, or `nil` if every event must name one.
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

  /// The bytes of the batch, followed by ``LineParser/paddingBytes`` readable bytes.
  var text: UnsafePointer<UInt8>
  /// The offsets of the tokens in the batch.
  var tokens: UnsafePointer<UInt32>
  /// The offset of the next backslash at or after the current line, or the length of the batch if there is none.
  var nextBackslash: Int = 0
  /// The length of the batch, in bytes.
  var textCount: Int = 0
  var tokenCount: Int = 0
  /// The index of the token after the line that was accepted last.
  var nextToken = 0
  /// Whether the current line contains a backslash.
  var hasBackslash = false

  /// The value of ``nextBackslash`` before the first search in a batch: before every line.
  private static let unsearched = -1

  /// Creates a walker.
  ///
  /// - Parameter defaultApp: The app of events that name none. The bytes must outlive the walker.
  init(options: DecodingOptions, defaultApp: UnsafeRawBufferPointer?) {
    self.options = options
    self.defaultApp = defaultApp
    cleanKeys = options.isTrusted ? nil : CleanKeys(options.privacy)
    personalValues = options.isTrusted ? nil : PersonalValues(options.privacy)
    times = EventTimes(now: options.now)
    layouts = LineLayouts(noRun: runs.none)
    indexer = StructuralIndexer()
    scratch = UnescapeScratch()
    // Placeholders: `begin` replaces both before they are read.
    text = UnsafePointer(scratch.base)
    tokens = UnsafePointer(bitPattern: 8)!
  }

  /// Begins a batch of whole lines. Returns `false` if the batch contains invalid UTF-8 or an invalid string,
  /// or if all its lines are blank.
  mutating func begin(_ batch: UnsafeRawBufferPointer) -> Bool {
    guard let found = indexer.tokens(of: batch) else { return false }
    // A batch of blank lines has no tokens.
    guard let base = batch.baseAddress, let first = found.baseAddress else { return false }
    text = base.assumingMemoryBound(to: UInt8.self)
    tokens = first
    textCount = batch.count
    tokenCount = found.count
    nextBackslash = Self.unsearched
    return true
  }

  /// Returns the offset of a token of the batch, or the length of the batch for a token after the last one.
  @inline(__always)
  func position(ofToken index: Int) -> Int { Int(tokens[index]) }

  /// Parses the event of a line of the batch.
  ///
  /// - Parameters:
  ///   - start: The offset of the line.
  ///   - end: The offset of its line break, or of the end of the batch.
  ///   - first: The index of its first token.
  ///   - event: The result. It is valid until the next line is parsed, and its names are not validated.
  /// - Returns: `false` if the line is declined.
  mutating func walk(from start: Int, to end: Int, firstToken first: Int, into event: inout EventFields) -> Bool {
    noteBackslash(from: start, to: end)
    scratch.clear()
    event.clear()
    var line = Line(run: runs.none)
    // The index of the delimiter before the next field: an opening brace for the first field, a comma for the others.
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
    /// The last field prefix.
    var run: FieldPrefixes.Reference
    /// The field prefix that is being parsed because it is not cached.
    var new = NewPrefix()
    /// The number of fields that are not part of the envelope.
    var unknownCount = 0
    /// The number of tokens from the delimiter before the field, or before its prefix, to the field's value.
    var tokenCount = 0
    /// The number of field prefixes in the trace of the line (``LineLayouts/trace``).
    var segmentCount = 0
    /// Whether the trace is complete: every field belongs to a cached prefix.
    var isTraced = true
  }

  /// Returns the field whose value comes next, either from a cached prefix at the token or from the key there.
  ///
  /// - Returns: `.none` if the line is declined, `.some(nil)` if the field is not part of the envelope.
  private mutating func nextField(
    at token: Int, end: Int, _ line: inout Line, _ event: inout EventFields
  ) -> KnownField?? {
    let guess = line.run.pointee.successor
    if !line.new.isOpen, guess.pointee.stands(at: text + Int(tokens[token])) { return take(guess, at: token, &line, &event) }
    let key = Int(tokens[token &+ 1])
    let colon = Int(tokens[token &+ 2])
    let value = Int(tokens[token &+ 3])
    // Checking the last offset is enough: the others are smaller.
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

  /// Sets the values of a cached prefix at a token, and returns the field that follows it, or `.none` if a
  /// field occurs twice.
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

  /// Completes an event: sets the default app and the type key, and corrects the device's clock.
  ///
  /// - Parameter seen: The fields of the line, as a set of ``KnownField/bit``.
  /// - Returns: `false` if a required field is missing or the time is out of range.
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
  /// The maximum number of fields outside the envelope: the capacity of ``UnescapeScratch/unknownTokens``.
  private static let unknownMax = 16

  /// A field prefix that is not cached yet, as far as it has been parsed.
  private struct NewPrefix {
    /// The index of its first token, a delimiter, or ``closed`` if no prefix is being parsed.
    var start = closed
    /// The fields that were parsed, as a set of ``KnownField/bit``.
    var fields: UInt32 = 0

    /// The start of no prefix, which is no index.
    private static let closed = -1

    @inline(__always)
    var isOpen: Bool { start >= 0 }
  }

  /// Caches a new prefix that ends with the key of the field after the delimiter at a token. Returns the cached
  /// prefix, or ``FieldPrefixes/elsewhere`` if it is not cached.
  private func learn(
    _ run: NewPrefix, upTo token: Int, next: KnownField, of event: borrowing EventFields
  ) -> FieldPrefixes.Reference {
    // Unescaped strings are in the scratch memory, but the values of a cached prefix must point into its text.
    guard !hasBackslash else { return runs.elsewhere }
    return runs.add(
      text, tokens + run.start, tokenCount: token &+ 3 &- run.start, fields: run.fields, next: next, of: event, names)
  }

  /// Whether the delimiter at a token is a closing brace, or `nil` if it is neither a closing brace nor a comma.
  @inline(__always)
  private func isLast(_ token: Int, end: Int) -> Bool? {
    let position = Int(tokens[token])
    guard position < end else { return nil }
    if text[position] == Byte.comma { return false }
    return text[position] == Byte.closeBrace ? true : nil
  }

  /// Sets ``hasBackslash`` for a line.
  @inline(__always)
  mutating func noteBackslash(from start: Int, to end: Int) {
    // Few lines contain one, so each search continues to the next backslash of the batch.
    if nextBackslash < start { nextBackslash = backslash(from: start) }
    hasBackslash = nextBackslash < end
  }

  /// Returns the offset of the next backslash, or the length of the batch if there is none.
  private func backslash(from start: Int) -> Int {
    guard let found = memchr(text + start, Int32(Byte.backslash), textCount - start) else { return textCount }
    return UnsafeRawPointer(found) - UnsafeRawPointer(text)
  }

  /// Parses the value of a field other than `props` and `ctx`. Returns `false` if the value is declined.
  ///
  /// - Parameters:
  ///   - value: The offset of the value.
  ///   - end: The offset of the delimiter after it.
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
