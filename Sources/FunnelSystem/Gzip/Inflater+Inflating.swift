extension Inflater {
  /// Inflates as much of the input as fits into the output.
  ///
  /// The caller passes the input that was not consumed yet, and repeats the call until the status is `needsInput`.
  /// At the end of the input it passes `endOfInput`, until the status is `finished` or `damaged`.
  ///
  /// - Precondition: The output has room for ``outputBytesMin`` bytes.
  public func inflate(
    _ input: UnsafeRawBufferPointer, endOfInput: Bool, into output: UnsafeMutableRawBufferPointer
  ) -> Step {
    precondition(output.count >= Self.outputBytesMin, "the output needs room for \(Self.outputBytesMin) bytes")
    let start = compressedOffset
    var input = input[...]
    var produced = 0
    while true {
      let status: Status?
      switch state {
      case .header(let parser): status = readHeader(parser, from: &input, endOfInput)
      case .body:
        if output.count - produced < Self.bodyRoomBytesMin {
          status = .outputFull
        } else {
          let room = UnsafeMutableRawBufferPointer(rebasing: output[produced...])
          status = inflateBody(from: &input, endOfInput, into: room, &produced)
        }
      case .trailer(let bytes): status = readTrailer(bytes, from: &input, endOfInput)
      case .between: status = readByteAfterMember(in: &input, endOfInput)
      case .padding: status = skipPadding(in: &input, endOfInput)
      case .done(let result): status = result
      }
      if let status { return Step(consumed: compressedOffset - start, produced: produced, status: status) }
    }
  }

  // Each of these methods handles one state. It returns the status to report, or `nil` if the next state is entered.

  private func readHeader(_ before: GzipHeaderParser, from input: inout Slice<UnsafeRawBufferPointer>, _ end: Bool) -> Status? {
    var parser = before
    while let byte = take(from: &input) {
      switch parser.feed(byte) {
      case .unfinished: continue
      case .complete:
        engine.reset()
        state = .body
        return nil
      case .invalid(let reason): return fail(.corrupt, reason)
      }
    }
    state = .header(parser)
    return end ? fail(.truncated, "the file ends inside a gzip header") : .needsInput
  }

  private func inflateBody(
    from input: inout Slice<UnsafeRawBufferPointer>, _ end: Bool, into room: UnsafeMutableRawBufferPointer,
    _ produced: inout Int
  ) -> Status? {
    let progress = engine.inflate(UnsafeRawBufferPointer(rebasing: input), into: room)
    input = input.dropFirst(progress.consumed)
    compressedOffset += progress.consumed
    produced += progress.produced
    switch progress.status {
    case .ended(let unread):
      state = .trailer(unread)
      return nil
    case .corrupt:
      return fail(.corrupt, "the compressed data is corrupt")
    case .going:
      if progress.produced == room.count { return .outputFull }
      if !input.isEmpty {
        // An engine that has both input and room must make progress; if it does not, no further call will help.
        let moved = progress.consumed > 0 || progress.produced > 0
        return moved ? nil : fail(.corrupt, "the compressed data is corrupt")
      }
      return end ? fail(.truncated, "the file ends inside a gzip member") : .needsInput
    }
  }

  private func readTrailer(_ before: [UInt8], from input: inout Slice<UnsafeRawBufferPointer>, _ end: Bool) -> Status? {
    var bytes = before
    while bytes.count < GzipMember.trailerBytes {
      guard let byte = take(from: &input) else {
        state = .trailer(bytes)
        return end ? fail(.truncated, "the file ends inside a gzip member") : .needsInput
      }
      bytes.append(byte)
    }
    func number(at offset: Int) -> UInt32 {
      bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
    guard number(at: 0) == engine.checksum else { return fail(.mismatch, "a gzip member's checksum does not match its data") }
    guard number(at: 4) == engine.producedBytes else {
      return fail(.mismatch, "a gzip member's length does not match its data")
    }
    state = .between
    return nil
  }

  private func readByteAfterMember(in input: inout Slice<UnsafeRawBufferPointer>, _ end: Bool) -> Status? {
    memberOffset = compressedOffset
    guard let byte = input.first else {
      if !end { return .needsInput }
      state = .done(.finished)
      return nil
    }
    if byte == 0 {
      state = .padding
    } else if byte == Self.magic[0] {
      state = .header(GzipHeaderParser(isFirst: false))
    } else {
      return fail(.trailingBytes, "the data after the last gzip member is not a gzip member")
    }
    return nil
  }

  private func skipPadding(in input: inout Slice<UnsafeRawBufferPointer>, _ end: Bool) -> Status? {
    while let byte = input.first {
      if byte != 0 {
        memberOffset = compressedOffset
        return fail(.trailingBytes, "the data after the last gzip member is not a gzip member")
      }
      _ = take(from: &input)
    }
    if !end { return .needsInput }
    state = .done(.finished)
    return nil
  }

  /// Consumes a byte of the input. Returns `nil` if the input is empty.
  private func take(from input: inout Slice<UnsafeRawBufferPointer>) -> UInt8? {
    guard let byte = input.popFirst() else { return nil }
    compressedOffset += 1
    return byte
  }

  /// Enters the final state of a damaged file.
  private func fail(_ kind: Damage.Kind, _ reason: String) -> Status? {
    let damage = Damage(kind: kind, memberOffset: memberOffset, offset: compressedOffset, reason: reason)
    state = .done(.damaged(damage))
    return .damaged(damage)
  }
}
