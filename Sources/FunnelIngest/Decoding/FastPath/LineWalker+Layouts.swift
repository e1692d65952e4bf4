import FunnelModel

extension LineWalker {
  /// Fills in the event of a line of the batch, as ``walk(from:to:firstToken:into:)`` does, if the line has a layout that was there before.
  ///
  /// Such a line is compact: there is no white space between its tokens, so no line break either.
  ///
  /// - Parameters:
  ///   - start: Where the line begins.
  ///   - first: The first token from there on.
  /// - Returns: where the line ends: its line break, or the end of the batch; nil where the line is left to others.
  mutating func walkKnown(from start: Int, firstToken first: Int, into event: inout EventFields) -> Int? {
    guard layouts.isUseful, Int(tokens[first]) == start else { return nil }
    let guesses = layouts.guesses(text, tokens, first: first, tokenCount: tokenCount)
    for index in 0..<LineLayouts.guessCount {
      let layout = guesses[index]
      guard let end = end(of: layout, firstToken: first) else { continue }
      noteMarks(from: start, to: end)
      if !hasBackslash, walk(layout, firstToken: first, into: &event) {
        nextToken = first &+ layout.pointee.tokenCount
        return end
      }
    }
    return nil
  }

  /// Where a line ends if it has a layout, nil where it can't have it.
  @inline(__always)
  private func end(of layout: LineLayouts.Reference, firstToken first: Int) -> Int? {
    let last = first &+ layout.pointee.tokenCount &- 1
    guard last >= first, last < tokenCount, text[Int(tokens[last])] == Byte.closeBrace else { return nil }
    var end = Int(tokens[last]) &+ 1
    if text[end] == Byte.carriageReturn { end &+= 1 }
    return end == textCount || text[end] == Byte.lineFeed ? end : nil
  }

  /// Fills in the event of a line without a backslash that ends where its layout says; false where it has another one after all.
  @inline(__always)
  private mutating func walk(_ layout: LineLayouts.Reference, firstToken first: Int, into event: inout EventFields) -> Bool {
    let (text, tokens) = (text, tokens + first)
    event.clear()
    var seen = layout.pointee.fields
    var typeKey = TypeKey()
    var segment = layout.pointee.segments
    let last = segment + layout.pointee.segmentCount
    while segment < last {
      let start = Int(tokens[segment.pointee.start])
      let value: Int
      if segment.pointee.isPlain {
        guard segment.pointee.stands(at: text + start) else { return false }
        value = start &+ segment.pointee.textCount
      } else {
        let run = segment.pointee.run(text, tokens + segment.pointee.start).pointee
        guard run.pointee.stands(at: text + start), seen & run.pointee.fields == 0 else { return false }
        seen |= run.pointee.fields
        if run.pointee.number != 0 {
          event.take(run)
          typeKey.append(run.pointee.number)
        }
        value = start &+ run.pointee.textCount
      }
      let end = Int(tokens[segment.pointee.end])
      // No white space in front of the value.
      guard Int(tokens[segment.pointee.value]) == value else { return false }
      switch segment.pointee.field {
      case .id:
        guard let id = plainIdentifier(from: value, to: end) else { return false }
        event.id = id
      case .attempt:
        guard let attempt = plainIdentifier(from: value, to: end) else { return false }
        event.attempt = attempt
      case .subject:
        guard let subject = plainIdentifier(from: value, to: end), subject.isPlainASCII else { return false }
        event.subject = subject
      case .timestamp:
        guard let timestamp = plainTimestamp(from: value, to: end) else { return false }
        event.timestamp = timestamp
      case .props, .context:
        guard
          take(
            segment.pointee.field, first: first &+ segment.pointee.value, last: first &+ segment.pointee.end &- 1, into: &event)
        else { return false }
      default:
        guard segment.pointee.end == segment.pointee.value &+ 1, text[end &- 1] > 0x20,
          take(segment.pointee.field, from: value, to: end, into: &event)
        else { return false }
      }
      segment += 1
    }
    return finish(&event, seen: seen, typeKey: typeKey)
  }

  /// A string that fills the place between two tokens, is neither empty nor too long to be an identifier, and holds no personal data.
  @inline(__always)
  private func plainIdentifier(from value: Int, to end: Int) -> UnsafeRawBufferPointer? {
    let count = end &- value &- 2
    guard text[value] == Byte.quote, text[end &- 1] == Byte.quote, count > 0, count <= Limits.identifierBytesMax else {
      return nil
    }
    let identifier = UnsafeRawBufferPointer(start: text + (value &+ 1), count: count)
    return isPersonal(identifier) ? nil : identifier
  }

  /// The moment a string says that fills the place between two tokens, in the form that ``DateMemory`` knows.
  @inline(__always)
  private mutating func plainTimestamp(from value: Int, to end: Int) -> Timestamp? {
    guard text[value] == Byte.quote, text[end &- 1] == Byte.quote, end &- value == 26 else { return nil }
    return dates.timestamp(UnsafeRawBufferPointer(start: text + (value &+ 1), count: 24))
  }

  /// Takes in an object whose braces should be at two tokens.
  @inline(__always)
  private mutating func take(_ field: KnownField, first: Int, last: Int, into event: inout EventFields) -> Bool {
    let (open, close) = (Int(tokens[first]), Int(tokens[last]))
    guard text[open] == Byte.openBrace, text[close] == Byte.closeBrace, last > first else { return false }
    // Behind the brace there is only the delimiter.
    guard Int(tokens[last &+ 1]) == close &+ 1 else { return false }
    if field == .context, contexts.isUseful { return takeContext(from: open, to: close, into: &event.context) }
    // An empty object, which nearly all are.
    if last == first &+ 1 { return close == open &+ 1 }
    guard !hasLineBreak(from: open, to: close) else { return false }
    return field == .props
      ? members(from: first &+ 1, end: textCount, into: &event.props) == last
      : members(from: first &+ 1, end: textCount, into: &event.context) == last
  }

  /// Takes in a context that was there before.
  @inline(__always)
  private func takeContext(from open: Int, to close: Int, into members: inout EventMembers) -> Bool {
    let count = close &- open &+ 1
    let hash = ByteWords.longHash(text + open, count: count)
    guard let known = contexts.find(text + open, count: count, hash: hash) else { return false }
    members.take(known)
    return true
  }

  @inline(__always)
  private func hasLineBreak(from open: Int, to close: Int) -> Bool {
    UnsafeRawBufferPointer(start: text + open, count: close &- open)[...].firstLineBreak != nil
  }
}
