import FunnelModel

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
  private var times: EventTimeRange
  /// The receipt of the request that contains the lines, or `nil` if no server received them.
  private var receipt: BatchReceipt?
  /// The app of events that name none, or `nil` if every event must name one.
  private let defaultApp: PaddedText?
  let indexer = StructuralIndexer()
  let names = FieldNames()
  let shapes = MemberShapes()
  let contexts = ContextCache()
  let prefixes = FieldPrefixes()
  let layouts: LineLayouts
  let scratch = UnescapeScratch()
  var dates = DateCache()

  /// The current batch of lines.
  private(set) var batch = LineBatch.empty
  /// The offset of the next backslash at or after the current line, or the length of the batch if there is none. Before
  /// the first search in a batch, it is ``unsearched``.
  private var nextBackslash = unsearched
  /// The index of the token after the line that was accepted last.
  var nextToken = 0
  /// Whether the current line contains a backslash.
  private(set) var hasBackslash = false

  /// An offset before every line.
  private static let unsearched = -1

  /// Creates a walker.
  ///
  /// - Parameter defaultApp: The app of events that name none. The bytes must outlive the walker.
  init(options: DecodingOptions, defaultApp: PaddedText?) {
    self.options = options
    self.defaultApp = defaultApp
    cleanKeys = options.isTrusted ? nil : CleanKeys(options.privacy)
    personalValues = options.isTrusted ? nil : PersonalValues(options.privacy)
    times = EventTimeRange(now: options.now)
    layouts = LineLayouts(noPrefix: prefixes.none)
  }

  /// The text of the batch.
  @inline(__always)
  var text: BlockText { batch.text }

  /// Sets the receipt of the request that contains the next lines.
  mutating func receive(_ receipt: BatchReceipt) {
    self.receipt = receipt
    times = EventTimeRange(now: receipt.receivedAt)
  }

  /// Begins a batch of whole lines. Returns `false` if the batch contains invalid UTF-8 or an invalid string,
  /// or if all its lines are blank.
  mutating func begin(_ lines: BlockText) -> Bool {
    guard let batch = indexer.batch(of: lines) else { return false }
    self.batch = batch
    nextBackslash = Self.unsearched
    return true
  }

  /// Returns the index of the first token at or after an offset, searching from another token.
  @inline(__always)
  func firstToken(atOrAfter offset: Int, from token: Int) -> Int {
    var token = token
    while batch.offset(ofToken: token) < offset { token &+= 1 }
    return token
  }

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
    var line = Line(after: prefixes.none)
    // The index of the delimiter before the next field: an opening brace for the first field, a comma for the others.
    var token = first
    guard batch.byte(ofToken: token) == Byte.openBrace else { return false }
    var isLast = false
    while !isLast {
      let field: KnownField?
      switch nextField(at: token, end: end, &line, &event) {
      case .known(let known): field = known
      case .unknown: field = nil
      case .declined: return false
      }
      token &+= line.tokenCount
      let value = batch.offset(ofToken: token)
      guard value < end, let next = self.token(afterValueAt: token, of: field, end: end, into: &event) else { return false }
      token = next
      guard let delimiter = delimiter(at: token, end: end) else { return false }
      if let field, field != .props, field != .context {
        guard take(field, from: value, to: batch.offset(ofToken: token), into: &event) else { return false }
      }
      isLast = delimiter == .closeBrace
    }
    token &+= 1
    guard batch.offset(ofToken: token) >= end else { return false }
    nextToken = token
    if line.unknownCount > 0 {
      guard addUnknown(line.unknownCount, to: &event.props) else { return false }
    }
    guard finish(&event, seen: line.seen, typeKey: line.typeKey) else { return false }
    if line.isTraced, layouts.isUseful, !hasBackslash {
      layouts.learn(batch, first..<token, segmentCount: line.segmentCount)
    }
    return true
  }

  /// Returns the token after a value, and parses the value if it is an object of the envelope. Returns `nil` if the line is
  /// declined.
  ///
  /// - Parameter field: The field of the value, or `nil` if it is not part of the envelope.
  @inline(__always)
  private mutating func token(
    afterValueAt token: Int, of field: KnownField?, end: Int, into event: inout EventFields
  ) -> Int? {
    guard field == .props || field == .context else { return token &+ 1 }
    guard batch.byte(ofToken: token) == Byte.openBrace else { return nil }
    let close =
      field == .props
      ? members(from: token &+ 1, end: end, into: &event.props)
      : context(from: token &+ 1, open: batch.offset(ofToken: token), end: end, into: &event.context)
    return close.map { $0 &+ 1 }
  }

  /// A token after the value of a field.
  private enum Delimiter {
    case comma, closeBrace
  }

  /// Returns the delimiter at a token, or `nil` if the token is no delimiter of the line.
  @inline(__always)
  private func delimiter(at token: Int, end: Int) -> Delimiter? {
    let offset = batch.offset(ofToken: token)
    guard offset < end else { return nil }
    switch text[offset] {
    case Byte.comma: return .comma
    case Byte.closeBrace: return .closeBrace
    default: return nil
    }
  }

  /// Completes an event: sets the default app and the type key, and corrects the device's clock.
  ///
  /// - Parameter seen: The fields of the line, as a set of ``KnownField/bit``.
  /// - Returns: `false` if a required field is missing or the time is out of range.
  @inline(__always)
  func finish(_ event: inout EventFields, seen: UInt32, typeKey: TypeKey) -> Bool {
    guard seen & Self.required == Self.required else { return false }
    event.typeKey = typeKey.value
    if let receipt {
      event.receive(receipt)
    } else {
      if seen & KnownField.app.bit == 0 {
        guard let defaultApp else { return false }
        event.app = defaultApp.borrowed
      }
      event.correctClock(receivedAt: options.now)
    }
    return options.isTrusted || times.contains(event)
  }

  private static let required = KnownField.name.bit | KnownField.timestamp.bit | KnownField.subject.bit

  /// Sets ``hasBackslash`` for a line.
  @inline(__always)
  mutating func noteBackslash(from start: Int, to end: Int) {
    // Few lines contain one, so each search continues to the next backslash of the batch.
    if nextBackslash < start { nextBackslash = text.firstOffset(of: Byte.backslash, in: start..<text.count) ?? text.count }
    hasBackslash = nextBackslash < end
  }
}
