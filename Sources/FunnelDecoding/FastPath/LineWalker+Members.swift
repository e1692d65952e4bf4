import FunnelModel

extension LineWalker {
  /// Parses the members of the context, which is mostly cached.
  ///
  /// - Parameters:
  ///   - first: The token after the opening brace.
  ///   - open: The offset of the opening brace.
  ///   - end: The end offset of the line.
  /// - Returns: The token of the closing brace, or `nil` if the line is declined.
  mutating func context(from first: Int, open: Int, end: Int, into members: inout EventMembers) -> Int? {
    // Unescaped strings are in the scratch memory, but the strings of a cached context must point into its text.
    guard contexts.isUseful, !hasBackslash else { return self.members(from: first, end: end, into: &members) }
    // The context is mostly the last field and has as many tokens as the previous context. Then one check finds
    // its closing brace.
    var token = first &+ contexts.lastTokenCount
    if token >= tokenCount || Int(tokens[token]) &+ 2 != end || text[Int(tokens[token])] != Byte.closeBrace {
      token = first
      while Int(tokens[token]) < end, text[Int(tokens[token])] != Byte.closeBrace { token &+= 1 }
      contexts.lastTokenCount = token &- first
    }
    let close = Int(tokens[token])
    guard close < end else { return nil }
    let count = close &- open &+ 1
    let hash = ByteWords.longHash(text + open, count: count)
    if let known = contexts.find(text + open, count: count, hash: hash) {
      members.take(known)
      return token
    }
    guard self.members(from: first, end: end, into: &members) == token else { return nil }
    contexts.add(text + open, count: count, hash: hash, members: members)
    return token
  }

  /// Parses the members of an object and sorts them by key.
  ///
  /// - Parameters:
  ///   - first: The token of the first key, or of the closing brace if the object is empty.
  ///   - end: The end offset of the line.
  /// - Returns: The token of the closing brace, or `nil` if the line is declined.
  mutating func members(from first: Int, end: Int, into members: inout EventMembers) -> Int? {
    let text = text
    let tokens = tokens
    members.removeAll()
    guard Int(tokens[first]) < end else { return nil }
    if text[Int(tokens[first])] == Byte.closeBrace { return first }
    let key = Int(tokens[first])
    let colon = Int(tokens[first &+ 1])
    guard colon < end, colon > key &+ 1 else { return nil }
    let slot = shapes.slot(ofFirstKey: text + (key &+ 1), count: colon &- key &- 2)
    var token = first
    var count = 0
    while true {
      let key = Int(tokens[token])
      let colon = Int(tokens[token &+ 1])
      let after = Int(tokens[token &+ 3])
      guard after < end, text[key] == Byte.quote, text[colon] == Byte.colon, text[colon &- 1] == Byte.quote else { return nil }
      let keyStart = text + (key &+ 1)
      let keyCount = colon &- key &- 2
      guard shapes.hasKey(keyStart, count: keyCount, at: count, slot: slot) else {
        return newMembers(from: first, end: end, slot: slot, into: &members)
      }
      guard let scalar = scalar(from: Int(tokens[token &+ 2]), to: after) else { return nil }
      members[shapes.sortedPlace(of: count, slot: slot)] = EventMember(
        key: UnsafeRawBufferPointer(start: keyStart, count: keyCount), value: scalar)
      count &+= 1
      token &+= 4
      if text[after] == Byte.comma { continue }
      guard text[after] == Byte.closeBrace else { return nil }
      break
    }
    guard shapes.hasCount(count, slot: slot) else { return newMembers(from: first, end: end, slot: slot, into: &members) }
    members.count = count
    return token &- 1
  }

  /// Parses the members of an object whose shape is not cached, and caches the shape.
  private mutating func newMembers(from first: Int, end: Int, slot: Int, into members: inout EventMembers) -> Int? {
    members.removeAll()
    var token = first
    while true {
      let key = Int(tokens[token])
      let colon = Int(tokens[token &+ 1])
      let after = Int(tokens[token &+ 3])
      guard after < end, text[key] == Byte.quote, text[colon] == Byte.colon, text[colon &- 1] == Byte.quote,
        members.count < Limits.objectKeysMax
      else { return nil }
      let span = UnsafeRawBufferPointer(start: text + (key &+ 1), count: colon &- key &- 2)
      // ``EventDecoder`` decodes keys with escapes, so no cached key has one.
      if hasBackslash, span.contains(Byte.backslash) { return nil }
      guard let scalar = scalar(from: Int(tokens[token &+ 2]), to: after) else { return nil }
      members.append(EventMember(key: span, value: scalar))
      token &+= 4
      if text[after] == Byte.comma { continue }
      guard text[after] == Byte.closeBrace, shapes.learn(members, slot: slot, keys: cleanKeys) else { return nil }
      return token &- 1
    }
  }

  /// Adds the fields that are not part of the envelope to the properties, as ``Envelope`` does. Returns `false`
  /// if the line is declined.
  ///
  /// - Parameter count: The number of these fields, whose key tokens are in ``UnescapeScratch/unknownTokens``.
  mutating func addUnknown(_ count: Int, to props: inout EventMembers) -> Bool {
    let propsCount = props.count
    for index in 0..<count {
      let token = scratch.unknownTokens[index]
      let key = Int(tokens[token])
      let colon = Int(tokens[token &+ 1])
      let span = UnsafeRawBufferPointer(start: text + (key &+ 1), count: colon &- key &- 2)
      if hasBackslash, span.contains(Byte.backslash) { return false }
      guard let scalar = scalar(from: Int(tokens[token &+ 2]), to: Int(tokens[token &+ 3])) else { return false }
      if let cleanKeys, !scalar.isNull, cleanKeys.isPersonal(span) { return false }
      for earlier in 0..<index {
        let other = scratch.unknownTokens[earlier]
        let otherKey = UnsafeRawBufferPointer(
          start: text + (Int(tokens[other]) &+ 1), count: Int(tokens[other &+ 1]) &- Int(tokens[other]) &- 2)
        if otherKey.elementsEqual(span) { return false }
      }
      // A property of the same key has priority.
      let isTaken = props.prefix(propsCount).contains { $0.key.elementsEqual(span) }
      if !isTaken { props.append(EventMember(key: span, value: scalar)) }
    }
    guard props.count <= Limits.objectKeysMax else { return false }
    props.sort { $0.key.precedes($1.key) }
    return true
  }
}
