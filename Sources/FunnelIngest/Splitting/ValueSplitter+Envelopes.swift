import FunnelDecoding
import FunnelModel

// Objects around an array of records.
extension ValueSplitter {
  /// The kind of object that begins at a brace.
  enum Beginning {
    /// An envelope, whose first record follows.
    case begun
    case isRecord
    case needsMore
  }

  /// Starts an envelope at `position`, if one begins there.
  mutating func beginEnvelope(_ bytes: Span<UInt8>) -> Beginning {
    guard let envelopes else { return .isRecord }
    switch RecordEnvelopeHead.find(in: bytes.extracting(droppingFirst: position), path: envelopes.path) {
    case .none: return .isRecord
    case .undecided: return isFinished || bytes.count - position > Limits.lineBytesMax ? .isRecord : .needsMore
    case .found(let head):
      envelope = RecordEnvelope(head, keepsMembers: envelopes.keepsMembers)
      for index in position..<position + head.end where bytes[index] == Byte.lineFeed { line += 1 }
      position += head.end
      isInArray = true
      return .begun
    }
  }

  /// Skips the remainder of an envelope after its array.
  mutating func skipAfterArray(_ bytes: Span<UInt8>) {
    while position < bytes.count, let open = envelope, !open.isClosed {
      if bytes[position] == Byte.lineFeed { line += 1 }
      envelope?.skip(bytes[position])
      position += 1
    }
    if envelope?.isClosed == true { envelope = nil }
  }
}
