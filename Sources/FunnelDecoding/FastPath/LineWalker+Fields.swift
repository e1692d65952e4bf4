import FunnelModel

extension LineWalker {
  /// The state of a line that is being parsed field by field.
  struct Line {
    /// The fields that were parsed, as a set of ``KnownField/bit``.
    fileprivate(set) var seen: UInt32 = 0
    fileprivate(set) var typeKey = TypeKey()
    /// The last field prefix.
    fileprivate var prefix: Reference<FieldPrefix>
    /// The field prefix that is being parsed because it is not cached, or `nil` if there is none.
    fileprivate var newPrefix: NewPrefix?
    /// The number of fields that are not part of the envelope.
    fileprivate(set) var unknownCount = 0
    /// The number of tokens from the delimiter before the field, or before its prefix, to the field's value.
    fileprivate(set) var tokenCount = 0
    /// The number of field prefixes in the trace of the line (``LineLayouts/trace``).
    fileprivate(set) var segmentCount = 0
    /// Whether the trace is complete: every field belongs to a cached prefix.
    fileprivate(set) var isTraced = true

    /// Creates the state before the first field. The prefix is one that matches no text.
    init(after prefix: Reference<FieldPrefix>) { self.prefix = prefix }
  }

  /// A field prefix that is not cached yet, as far as it has been parsed.
  fileprivate struct NewPrefix {
    /// Its first token, a delimiter.
    let start: Int
    /// The fields that were parsed, as a set of ``KnownField/bit``.
    var fields: UInt32 = 0
  }

  /// The result of parsing the key of a field.
  enum NextField {
    /// The field is part of the envelope.
    case known(KnownField)
    /// The field is not part of the envelope.
    case unknown
    /// The line is declined.
    case declined
  }

  /// Returns the field whose value comes next, either from a cached prefix at a delimiter or from the key after it.
  mutating func nextField(at token: Int, end: Int, _ line: inout Line, _ event: inout EventFields) -> NextField {
    let guess = line.prefix.value.successor
    if line.newPrefix == nil, guess.value.matches(batch.text, at: batch.offset(ofToken: token)) {
      return take(guess, at: token, &line, &event)
    }
    let key = batch.offset(ofToken: token &+ 1)
    let colon = batch.offset(ofToken: token &+ 2)
    let value = batch.offset(ofToken: token &+ 3)
    // Checking the last offset is enough: the others are smaller.
    guard value < end, text[key] == Byte.quote, text[colon] == Byte.colon, text[colon &- 1] == Byte.quote else {
      return .declined
    }
    line.tokenCount = 3
    guard let field = names.field(batch.key(atToken: token &+ 1)) else { return takeUnknown(at: token, value, &line) }
    if let newPrefix = line.newPrefix {
      if !FieldPrefixes.canHold(field, in: batch, at: token) {
        line.prefix = learn(newPrefix, upTo: token, next: field, of: event)
        line.newPrefix = nil
      }
    } else if let known = prefixes.find(in: batch, at: token, field, names) {
      line.prefix.value.successor = known
      return take(known, at: token, &line, &event)
    } else {
      line.prefix = prefixes.elsewhere
      if FieldPrefixes.canBegin(with: field) {
        line.newPrefix = NewPrefix(start: token)
        line.typeKey.spoil()
      }
    }
    line.isTraced = false
    guard line.seen & field.bit == 0 else { return .declined }
    line.seen |= field.bit
    line.newPrefix?.fields |= field.bit
    return .known(field)
  }

  /// Notes a field that is not part of the envelope, unless there are too many of them or its value is no scalar.
  ///
  /// - Parameters:
  ///   - token: The delimiter before the field.
  ///   - value: The offset of the field's value.
  private mutating func takeUnknown(at token: Int, _ value: Int, _ line: inout Line) -> NextField {
    guard line.unknownCount < UnescapeScratch.unknownMax, text[value] != Byte.openBrace, text[value] != Byte.openBracket else {
      return .declined
    }
    scratch.unknownTokens[line.unknownCount] = token &+ 1
    line.unknownCount &+= 1
    line.isTraced = false
    line.prefix = prefixes.elsewhere
    line.newPrefix = nil
    return .unknown
  }

  /// Sets the values of a cached prefix at a token, and returns the field that follows it. The line is declined if a
  /// field occurs twice.
  private mutating func take(
    _ prefix: Reference<FieldPrefix>, at token: Int, _ line: inout Line, _ event: inout EventFields
  ) -> NextField {
    let fields = prefix.value.fields
    let field = prefix.value.next
    guard line.seen & fields == 0, (line.seen | fields) & field.bit == 0 else { return .declined }
    line.seen |= fields | field.bit
    if prefix.value.number != 0 {
      event.take(prefix.value)
      line.typeKey.append(prefix.value.number)
    }
    layouts.trace[line.segmentCount] = LineLayouts.Trace(start: token, prefix: prefix)
    line.segmentCount &+= 1
    line.prefix = prefix
    line.tokenCount = prefix.value.tokenCount
    return .known(field)
  }

  /// Caches a new prefix that ends with the key of the field after the delimiter at a token. Returns the cached
  /// prefix, or ``FieldPrefixes/elsewhere`` if it is not cached.
  private func learn(
    _ prefix: NewPrefix, upTo token: Int, next: KnownField, of event: borrowing EventFields
  ) -> Reference<FieldPrefix> {
    // Unescaped strings are in the scratch memory, but the values of a cached prefix must point into its text.
    guard !hasBackslash else { return prefixes.elsewhere }
    return prefixes.add(batch, prefix.start..<token &+ 3, fields: prefix.fields, next: next, of: event, names)
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
      event.name = name.borrowed
    case .app:
      guard let app = string(from: value, to: end) else { return false }
      event.app = app.borrowed
    case .flow:
      guard let flow = string(from: value, to: end) else { return false }
      event.flow = flow.borrowed
    case .step:
      guard let step = string(from: value, to: end) else { return false }
      event.step = step.borrowed
    case .subject:
      guard let subject = identifier(from: value, to: end), !subject.isEmpty, !subject.span.mayContainControlCharacter
      else { return false }
      event.subject = subject.borrowed
    case .user:
      guard let user = identifier(from: value, to: end), !user.isEmpty, !user.span.mayContainControlCharacter
      else { return false }
      event.setUser(user.borrowed)
    case .attempt:
      guard let attempt = identifier(from: value, to: end) else { return false }
      event.attempt = attempt.borrowed
    case .id:
      guard let id = identifier(from: value, to: end), !id.isEmpty else { return false }
      event.id = id.borrowed
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
