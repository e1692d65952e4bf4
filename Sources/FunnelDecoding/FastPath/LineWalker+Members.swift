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
    let token = closingBrace(ofContextFrom: first, end: end)
    let close = batch.offset(ofToken: token)
    guard close < end else { return nil }
    let context = text.text(at: open, count: close &- open &+ 1)
    let hash = ByteWords.longHash(context)
    if let known = contexts.find(context, hash: hash) {
      members.take(known)
      return token
    }
    guard self.members(from: first, end: end, into: &members) == token else { return nil }
    contexts.add(context, hash: hash, members: members)
    return token
  }

  /// Returns the first closing brace at or after a token, or a token after the line if there is none.
  @inline(__always)
  private func closingBrace(ofContextFrom first: Int, end: Int) -> Int {
    // The context is mostly the last field and has as many tokens as the previous context. Then one check finds
    // its closing brace.
    let guess = first &+ contexts.lastTokenCount
    if guess < batch.tokenCount, batch.offset(ofToken: guess) &+ 2 == end, batch.byte(ofToken: guess) == Byte.closeBrace {
      return guess
    }
    var token = first
    while batch.offset(ofToken: token) < end, batch.byte(ofToken: token) != Byte.closeBrace { token &+= 1 }
    contexts.lastTokenCount = token &- first
    return token
  }

  /// Parses the members of an object and sorts them by key.
  ///
  /// - Parameters:
  ///   - first: The token of the first key, or of the closing brace if the object is empty.
  ///   - end: The end offset of the line.
  /// - Returns: The token of the closing brace, or `nil` if the line is declined.
  mutating func members(from first: Int, end: Int, into members: inout EventMembers) -> Int? {
    let batch = batch
    members.removeAll()
    guard batch.offset(ofToken: first) < end else { return nil }
    if batch.byte(ofToken: first) == Byte.closeBrace { return first }
    let slot = shapes.slot(ofFirstKey: batch.key(atToken: first))
    var token = first
    var count = 0
    while true {
      guard let key = key(at: token, end: end) else { return nil }
      guard shapes.hasKey(key, at: count, slot: slot) else {
        return newMembers(from: first, end: end, slot: slot, into: &members)
      }
      let after = batch.offset(ofToken: token &+ 3)
      guard let scalar = scalar(from: batch.offset(ofToken: token &+ 2), to: after) else { return nil }
      members[shapes.sortedIndex(of: count, slot: slot)] = EventMember(key: key.borrowed, value: scalar)
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

  /// Returns the key at a token, if a colon, a value and another token follow it in the line. Returns `nil` otherwise.
  @inline(__always)
  private func key(at token: Int, end: Int) -> PaddedText? {
    let colon = batch.offset(ofToken: token &+ 1)
    guard batch.offset(ofToken: token &+ 3) < end, batch.byte(ofToken: token) == Byte.quote, text[colon] == Byte.colon,
      text[colon &- 1] == Byte.quote
    else { return nil }
    return batch.key(atToken: token)
  }

  /// Parses the members of an object whose shape is not cached, and caches the shape.
  private mutating func newMembers(from first: Int, end: Int, slot: Int, into members: inout EventMembers) -> Int? {
    members.removeAll()
    var token = first
    while true {
      guard let key = key(at: token, end: end)?.borrowed, members.count < Limits.objectKeysMax else { return nil }
      // ``EventDecoder`` decodes keys with escapes, so no cached key has one.
      if hasBackslash, key.contains(Byte.backslash) { return nil }
      let after = batch.offset(ofToken: token &+ 3)
      guard let scalar = scalar(from: batch.offset(ofToken: token &+ 2), to: after) else { return nil }
      members.append(EventMember(key: key, value: scalar))
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
      let key = batch.key(atToken: token).borrowed
      if hasBackslash, key.contains(Byte.backslash) { return false }
      guard let scalar = scalar(from: batch.offset(ofToken: token &+ 2), to: batch.offset(ofToken: token &+ 3)) else {
        return false
      }
      if let cleanKeys, !scalar.isNull, cleanKeys.isPersonal(key.span) { return false }
      for earlier in 0..<index
      where batch.key(atToken: scratch.unknownTokens[earlier]).borrowed.elementsEqual(key) { return false }
      // A property of the same key has priority.
      let isTaken = props.prefix(propsCount).contains { $0.key.elementsEqual(key) }
      if !isTaken { props.append(EventMember(key: key, value: scalar)) }
    }
    guard props.count <= Limits.objectKeysMax else { return false }
    props.sort { $0.key.precedes($1.key) }
    return true
  }
}
