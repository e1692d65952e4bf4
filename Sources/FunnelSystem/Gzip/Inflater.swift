/// Inflates gzip files from any source (RFC 1952): any number of consecutive members, in pieces of any size. Not thread-safe.
///
/// The caller passes the bytes it has read and receives the inflated bytes. Memory is bounded at any compression
/// ratio, because no more is inflated than fits into the output buffer. Damage is reported only after everything
/// before it that could be inflated has been returned.
///
/// A member's checksum follows its data: bytes that were already returned may turn out to be wrong.
///
/// Zero bytes after the last member are padding, as in `gzip`. Other bytes there are damage.
package final class Inflater {
  /// The library that inflates. All engines produce the same bytes and detect the same damage.
  package enum Engine: Hashable, Sendable, CaseIterable {
    case zlib
    #if FUNNEL_ISAL
      case isal
    #endif

    /// The fastest engine available.
    package static var fastest: Engine {
      #if FUNNEL_ISAL
        .isal
      #else
        .zlib
      #endif
    }
  }

  /// The damage of a gzip file, and its location.
  package struct Damage: Error, Hashable, Sendable {
    /// The kind of damage.
    package enum Kind: Hashable, Sendable {
      /// The file ends inside a member.
      case truncated
      /// A header or a deflate stream violates the format.
      case corrupt
      /// A member inflates, but its data does not match its checksum or length.
      case mismatch
      /// The bytes after the last member are not a member.
      case trailingBytes
      /// The file inflates by more than ``Limits/inflateRatioMax``.
      case ratio
    }

    package var kind: Kind
    /// The offset in the compressed file at which the damaged member, or the data that is not a member, begins.
    package var memberOffset: Int
    /// The offset in the compressed file at which the damage was detected.
    package var offset: Int
    /// The problem, as the end of a sentence: "the file ends inside a gzip member".
    package var reason: String
  }

  /// The result of one call.
  package struct Step: Sendable {
    /// The number of input bytes that were consumed.
    package var consumed: Int
    /// The number of output bytes that were written.
    package var produced: Int
    package var status: Status
  }

  /// The status after a call, which determines the next one.
  package enum Status: Hashable, Sendable {
    /// All input has been consumed; more is needed.
    case needsInput
    /// There may be more output for this input: call again with room for it.
    case outputFull
    /// The file ended correctly.
    case finished
    /// The file is damaged; there is no further output.
    case damaged(Damage)
  }

  /// The minimum size of the output buffer of a call, in bytes.
  package static let outputBytesMin = 1 << 17
  /// The minimum output buffer passed to an engine, in bytes. It exceeds ISA-L's internal buffer of 65 824.
  static let bodyRoomBytesMin = 70_000

  /// The first bytes of every gzip member.
  static let magic: [UInt8] = [0x1F, 0x8B]

  /// Returns whether a file that begins with these bytes is a gzip file.
  package static func isGzip(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.starts(with: magic)
  }

  /// The element of the format that the next input byte belongs to.
  enum State {
    /// A member's header.
    case header(GzipHeaderParser)
    /// A member's deflate stream.
    case body
    /// A member's trailer, with the bytes of it that were read so far.
    case trailer([UInt8])
    /// The first byte after a member: another member, padding, or the end.
    case between
    /// Zero bytes after the last member.
    case padding
    /// No element: the file has ended, or is damaged.
    case done(Status)
  }

  let engine: any InflateEngine
  var state = State.header(GzipHeaderParser())
  /// The number of input bytes consumed so far.
  var compressedOffset = 0
  /// The offset at which the current member begins.
  var memberOffset = 0

  /// Creates an inflater for one file.
  package init(_ engine: Engine = .fastest) { self.engine = engine.make() }
}

extension Inflater {
  /// Inflates as much of the input as fits into the output, and appends it.
  ///
  /// The caller passes the input that was not consumed yet, and repeats the call until the status is `needsInput`.
  /// At the end of the input it passes `endOfInput`, until the status is `finished` or `damaged`.
  ///
  /// - Precondition: The output has room for ``outputBytesMin`` bytes.
  package func inflate(_ input: Span<UInt8>, endOfInput: Bool, into output: inout OutputSpan<UInt8>) -> Step {
    precondition(output.freeCapacity >= Self.outputBytesMin, "the output needs room for \(Self.outputBytesMin) bytes")
    let start = compressedOffset
    let produced = output.count
    var input = Input(unread: input, isLast: endOfInput)
    while true {
      let status: Status?
      switch state {
      case .header(let parser): status = readHeader(parser, from: &input)
      case .body:
        status = output.freeCapacity < Self.bodyRoomBytesMin ? .outputFull : inflateBody(from: &input, into: &output)
      case .trailer(let bytes): status = readTrailer(bytes, from: &input)
      case .between: status = readByteAfterMember(in: &input)
      case .padding: status = skipPadding(in: &input)
      case .done(let result): status = result
      }
      if let status { return Step(consumed: compressedOffset - start, produced: output.count - produced, status: status) }
    }
  }

  /// The input of one call.
  private struct Input: ~Escapable {
    /// The bytes that were not consumed yet.
    var unread: Span<UInt8>
    /// Whether the file ends after the input.
    let isLast: Bool

    @_lifetime(copy unread)
    init(unread: Span<UInt8>, isLast: Bool) {
      self.unread = unread
      self.isLast = isLast
    }

    /// The next byte, or `nil` if all were consumed.
    var first: UInt8? { unread.isEmpty ? nil : unread[0] }
  }

  // Each of these methods handles one state. It returns the status to report, or `nil` if the next state is entered.

  private func readHeader(_ before: GzipHeaderParser, from input: inout Input) -> Status? {
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
    return input.isLast ? fail(.truncated, "the file ends inside a gzip header") : .needsInput
  }

  private func inflateBody(
    from input: inout Input, into output: inout OutputSpan<UInt8>
  ) -> Status? {
    let progress = engine.inflate(input.unread, into: &output)
    take(progress.consumed, from: &input)
    switch progress.status {
    case .ended(let unread):
      state = .trailer(unread)
      return nil
    case .corrupt:
      return fail(.corrupt, "the compressed data is corrupt")
    case .going:
      if output.isFull { return .outputFull }
      if !input.unread.isEmpty {
        // An engine that has both input and room must make progress; if it does not, no further call will help.
        let moved = progress.consumed > 0 || progress.produced > 0
        return moved ? nil : fail(.corrupt, "the compressed data is corrupt")
      }
      return input.isLast ? fail(.truncated, "the file ends inside a gzip member") : .needsInput
    }
  }

  private func readTrailer(_ before: [UInt8], from input: inout Input) -> Status? {
    var bytes = before
    while bytes.count < GzipMember.trailerBytes {
      guard let byte = take(from: &input) else {
        state = .trailer(bytes)
        return input.isLast ? fail(.truncated, "the file ends inside a gzip member") : .needsInput
      }
      bytes.append(byte)
    }
    guard bytes.span.integer(at: 0, as: UInt32.self) == engine.checksum else {
      return fail(.mismatch, "a gzip member's checksum does not match its data")
    }
    guard bytes.span.integer(at: 4, as: UInt32.self) == engine.producedBytes else {
      return fail(.mismatch, "a gzip member's length does not match its data")
    }
    state = .between
    return nil
  }

  private func readByteAfterMember(in input: inout Input) -> Status? {
    memberOffset = compressedOffset
    guard let byte = input.first else {
      if !input.isLast { return .needsInput }
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

  private func skipPadding(in input: inout Input) -> Status? {
    while let byte = input.first {
      if byte != 0 {
        memberOffset = compressedOffset
        return fail(.trailingBytes, "the data after the last gzip member is not a gzip member")
      }
      _ = take(from: &input)
    }
    if !input.isLast { return .needsInput }
    state = .done(.finished)
    return nil
  }

  /// Consumes a byte of the input. Returns `nil` if there is none.
  private func take(from input: inout Input) -> UInt8? {
    guard let byte = input.first else { return nil }
    take(1, from: &input)
    return byte
  }

  /// Consumes bytes of the input.
  private func take(_ count: Int, from input: inout Input) {
    precondition((0...input.unread.count).contains(count), "only existing bytes can be consumed")
    input.unread = input.unread.extracting(droppingFirst: count)
    compressedOffset += count
  }

  /// Enters the final state of a damaged file.
  private func fail(_ kind: Damage.Kind, _ reason: String) -> Status? {
    let damage = Damage(kind: kind, memberOffset: memberOffset, offset: compressedOffset, reason: reason)
    state = .done(.damaged(damage))
    return .damaged(damage)
  }
}
