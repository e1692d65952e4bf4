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
    guard layouts.isUseful, batch.offset(ofToken: first) == start else { return nil }
    let guesses = layouts.guesses(in: batch, at: first)
    for index in 0..<LineLayouts.guessCount {
      let layout = guesses[index]
      guard let end = end(of: layout, firstToken: first) else { continue }
      noteBackslash(from: start, to: end)
      if !hasBackslash, walk(layout, firstToken: first, into: &event) {
        nextToken = first &+ layout.value.tokenCount
        return end
      }
    }
    return nil
  }

  /// Returns the offset of the line's end if the line may have the layout, or `nil` if it can't have it.
  @inline(__always)
  private func end(of layout: Reference<LineLayouts.Layout>, firstToken first: Int) -> Int? {
    let last = first &+ layout.value.tokenCount &- 1
    guard last >= first, last < batch.tokenCount, batch.byte(ofToken: last) == Byte.closeBrace else { return nil }
    var end = batch.offset(ofToken: last) &+ 1
    if text[end] == Byte.carriageReturn { end &+= 1 }
    return end == text.count || text[end] == Byte.lineFeed ? end : nil
  }

  /// Parses the event of a line that ends where its layout predicts and contains no backslash. Returns `false`
  /// if the line has another layout or is declined.
  @inline(__always)
  private mutating func walk(
    _ layout: Reference<LineLayouts.Layout>, firstToken first: Int, into event: inout EventFields
  ) -> Bool {
    // All checks require that the tokens are adjacent: without white space, the line contains no line break.
    let batch = batch
    event.clear()
    var seen = layout.value.fields
    var typeKey = TypeKey()
    let segments = layout.value.segments
    for index in 0..<segments.count {
      let segment = segments.reference(to: index)
      let prefixToken = first &+ segment.value.start
      let start = batch.offset(ofToken: prefixToken)
      let value: Int
      if segment.value.isPlain {
        guard segment.value.matches(batch.text, at: start) else { return false }
        value = start &+ segment.value.textCount
      } else {
        let prefix = segment.value.prefix(in: batch, at: prefixToken)
        guard prefix.value.matches(batch.text, at: start), seen & prefix.value.fields == 0 else { return false }
        seen |= prefix.value.fields
        if prefix.value.number != 0 {
          event.take(prefix.value)
          typeKey.append(prefix.value.number)
        }
        value = start &+ prefix.value.textCount
      }
      let valueToken = first &+ segment.value.value
      let endToken = first &+ segment.value.end
      let end = batch.offset(ofToken: endToken)
      // No white space may precede the value.
      guard batch.offset(ofToken: valueToken) == value else { return false }
      switch segment.value.field {
      case .id:
        guard let id = plainIdentifier(from: value, to: end) else { return false }
        event.id = id.borrowed
      case .attempt:
        guard let attempt = plainIdentifier(from: value, to: end) else { return false }
        event.attempt = attempt.borrowed
      case .subject:
        guard let subject = plainIdentifier(from: value, to: end), ByteWords.arePlainASCII(subject) else { return false }
        event.subject = subject.borrowed
      case .user:
        guard let user = plainIdentifier(from: value, to: end), ByteWords.arePlainASCII(user) else { return false }
        event.setUser(user.borrowed)
      case .timestamp:
        guard let timestamp = plainTimestamp(from: value, to: end) else { return false }
        event.timestamp = timestamp
      case .props, .context:
        guard take(segment.value.field, first: valueToken, last: endToken &- 1, into: &event) else { return false }
      default:
        guard endToken == valueToken &+ 1, text[end &- 1] > Byte.space,
          take(segment.value.field, from: value, to: end, into: &event)
        else { return false }
      }
    }
    return finish(&event, seen: seen, typeKey: typeKey)
  }

  /// Returns the string that fills the bytes between two offsets, or `nil` if it is empty, longer than an
  /// identifier, or personal data.
  @inline(__always)
  private func plainIdentifier(from value: Int, to end: Int) -> PaddedText? {
    let count = end &- value &- 2
    guard text[value] == Byte.quote, text[end &- 1] == Byte.quote, count > 0, count <= Limits.identifierBytesMax else {
      return nil
    }
    let identifier = text.text(at: value &+ 1, count: count)
    return isPersonal(identifier) ? nil : identifier
  }

  /// Returns the time of a number, or of a string that fills the bytes between two offsets and has the form
  /// that ``DateCache`` parses. Returns `nil` for any other value.
  @inline(__always)
  private mutating func plainTimestamp(from value: Int, to end: Int) -> Timestamp? {
    guard text[value] == Byte.quote else { return timestamp(from: value, to: end) }
    // The two quotes enclose the text.
    guard text[end &- 1] == Byte.quote, end &- value == DateCache.textCount + 2 else { return nil }
    return dates.timestamp(text.text(at: value &+ 1, count: DateCache.textCount))
  }

  /// Parses `props` or `ctx`, whose braces are expected at two tokens. Returns `false` if the line is declined.
  @inline(__always)
  private mutating func take(_ field: KnownField, first: Int, last: Int, into event: inout EventFields) -> Bool {
    let open = batch.offset(ofToken: first)
    let close = batch.offset(ofToken: last)
    guard text[open] == Byte.openBrace, text[close] == Byte.closeBrace, last > first else { return false }
    // The next token, a delimiter, must follow the brace immediately.
    guard batch.offset(ofToken: last &+ 1) == close &+ 1 else { return false }
    if field == .context, contexts.isUseful { return takeContext(from: open, to: close, into: &event.context) }
    // Nearly all other objects are empty.
    if last == first &+ 1 { return close == open &+ 1 }
    guard text.firstOffset(of: Byte.lineFeed, in: open..<close) == nil else { return false }
    return field == .props
      ? members(from: first &+ 1, end: text.count, into: &event.props) == last
      : members(from: first &+ 1, end: text.count, into: &event.context) == last
  }

  /// Sets the members of a context from the cache. Returns `false` if the context is not cached.
  @inline(__always)
  private func takeContext(from open: Int, to close: Int, into members: inout EventMembers) -> Bool {
    let context = text.text(at: open, count: close &- open &+ 1)
    guard let known = contexts.find(context, hash: ByteWords.longHash(context)) else { return false }
    members.take(known)
    return true
  }
}
