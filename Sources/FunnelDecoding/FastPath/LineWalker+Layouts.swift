import FunnelModel

extension LineWalker {
  /// Parses the event of a line of the batch like ``walk(from:to:firstToken:into:)``, but only if the line's
  /// layout is cached.
  ///
  /// - Parameters:
  ///   - start: The offset of the line.
  ///   - first: The index of the first token at or after that offset.
  /// - Returns: The offset of the line's end (its line break, or the end of the batch), or `nil` if the line is
  ///   declined.
  mutating func walkKnown(from start: Int, firstToken first: Int, into event: inout EventFields) -> Int? {
    guard layouts.isUseful, Int(tokens[first]) == start else { return nil }
    let guesses = layouts.guesses(text, tokens, first: first, tokenCount: tokenCount)
    for index in 0..<LineLayouts.guessCount {
      let layout = guesses[index]
      guard let end = end(of: layout, firstToken: first) else { continue }
      noteBackslash(from: start, to: end)
      if !hasBackslash, walk(layout, firstToken: first, into: &event) {
        nextToken = first &+ layout.pointee.tokenCount
        return end
      }
    }
    return nil
  }

  /// Returns the offset of the line's end if the line may have the layout, or `nil` if it can't have it.
  @inline(__always)
  private func end(of layout: LineLayouts.Reference, firstToken first: Int) -> Int? {
    let last = first &+ layout.pointee.tokenCount &- 1
    guard last >= first, last < tokenCount, text[Int(tokens[last])] == Byte.closeBrace else { return nil }
    var end = Int(tokens[last]) &+ 1
    if text[end] == Byte.carriageReturn { end &+= 1 }
    return end == textCount || text[end] == Byte.lineFeed ? end : nil
  }

  /// Parses the event of a line that ends where its layout predicts and contains no backslash. Returns `false`
  /// if the line has another layout or is declined.
  @inline(__always)
  private mutating func walk(_ layout: LineLayouts.Reference, firstToken first: Int, into event: inout EventFields) -> Bool {
    // All checks require that the tokens are adjacent: without white space, the line contains no line break.
    let text = text
    let tokens = tokens + first
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
      // No white space may precede the value.
      guard Int(tokens[segment.pointee.value]) == value else { return false }
      switch segment.pointee.field {
      case .id:
        guard let id = plainIdentifier(from: value, to: end) else { return false }
        event.id = id
      case .attempt:
        guard let attempt = plainIdentifier(from: value, to: end) else { return false }
        event.attempt = attempt
      case .subject:
        guard let subject = plainIdentifier(from: value, to: end), ByteWords.arePlainASCII(subject) else { return false }
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

  /// Returns the string that fills the bytes between two offsets, or `nil` if it is empty, longer than an
  /// identifier, or personal data.
  @inline(__always)
  private func plainIdentifier(from value: Int, to end: Int) -> UnsafeRawBufferPointer? {
    let count = end &- value &- 2
    guard text[value] == Byte.quote, text[end &- 1] == Byte.quote, count > 0, count <= Limits.identifierBytesMax else {
      return nil
    }
    let identifier = UnsafeRawBufferPointer(start: text + (value &+ 1), count: count)
    return isPersonal(identifier) ? nil : identifier
  }

  /// Returns the time of a number, or of a string that fills the bytes between two offsets and has the form
  /// that ``DateCache`` parses. Returns `nil` for any other value.
  @inline(__always)
  private mutating func plainTimestamp(from value: Int, to end: Int) -> Timestamp? {
    guard text[value] == Byte.quote else { return timestamp(from: value, to: end) }
    // The two quotes enclose the text.
    guard text[end &- 1] == Byte.quote, end &- value == DateCache.textCount + 2 else { return nil }
    return dates.timestamp(UnsafeRawBufferPointer(start: text + (value &+ 1), count: DateCache.textCount))
  }

  /// Parses `props` or `ctx`, whose braces are expected at two tokens. Returns `false` if the line is declined.
  @inline(__always)
  private mutating func take(_ field: KnownField, first: Int, last: Int, into event: inout EventFields) -> Bool {
    let open = Int(tokens[first])
    let close = Int(tokens[last])
    guard text[open] == Byte.openBrace, text[close] == Byte.closeBrace, last > first else { return false }
    // The next token, a delimiter, must follow the brace immediately.
    guard Int(tokens[last &+ 1]) == close &+ 1 else { return false }
    if field == .context, contexts.isUseful { return takeContext(from: open, to: close, into: &event.context) }
    // Nearly all other objects are empty.
    if last == first &+ 1 { return close == open &+ 1 }
    guard !hasLineBreak(from: open, to: close) else { return false }
    return field == .props
      ? members(from: first &+ 1, end: textCount, into: &event.props) == last
      : members(from: first &+ 1, end: textCount, into: &event.context) == last
  }

  /// Sets the members of a context from the cache. Returns `false` if the context is not cached.
  @inline(__always)
  private func takeContext(from open: Int, to close: Int, into members: inout EventMembers) -> Bool {
    let count = close &- open &+ 1
    let hash = ByteWords.longHash(text + open, count: count)
    guard let known = contexts.find(text + open, count: count, hash: hash) else { return false }
    members.take(known)
    return true
  }

  /// Whether the object between two offsets contains a line break.
  @inline(__always)
  private func hasLineBreak(from open: Int, to close: Int) -> Bool {
    UnsafeRawBufferPointer(start: text + open, count: close &- open)[...].firstLineBreak != nil
  }
}
