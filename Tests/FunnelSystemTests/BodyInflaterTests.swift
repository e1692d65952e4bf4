import FunnelModel
import FunnelSystem
import Testing

/// Content encodings of HTTP, in pieces of any size.
@Suite struct BodyInflaterTests {
  /// Inflates pieces of a body into small outputs. Returns `nil` if it is corrupt or incomplete.
  private static func inflate(_ body: [UInt8], _ encoding: BodyInflater.Encoding, pieceBytes: Int, roomBytes: Int) -> [UInt8]? {
    let inflater = BodyInflater(encoding)
    var inflated: [UInt8] = []
    for start in stride(from: 0, to: body.count, by: pieceBytes) {
      let piece = Array(body[start..<min(body.count, start + pieceBytes)])
      var offset = 0
      var status = BodyInflater.Status.outputFull
      while status == .outputFull {
        inflated.append(addingCapacity: roomBytes) { output in
          let step = inflater.inflate(piece.span.extracting(droppingFirst: offset), into: &output)
          offset += step.consumed
          status = step.status
        }
      }
      if status == .corrupt { return nil }
      #expect(offset == piece.count)
    }
    return inflater.isComplete ? inflated : nil
  }

  private static func gzip(_ raw: [UInt8]) -> [UInt8] {
    let time = Timestamp(milliseconds: 0)
    return GzipMember.encode(raw.span, lines: 1, timestamps: time...time, with: Deflater(.zlib(level: 9)))
  }

  private static func rawDeflate(_ raw: [UInt8]) -> [UInt8] {
    let trailerBytes = 8
    return Array(gzip(raw).dropFirst(GzipMember.headerBytes).dropLast(trailerBytes))
  }

  @Test(arguments: [0, 1, 2, 3, 10, 100, 10_000])
  func `a body inflates in pieces of any size, into room of any size`(count: Int) {
    let raw = (0..<count).map { UInt8(truncatingIfNeeded: $0 % 7 &* 31) }
    for size in [1, 2, 3, 1_000] {
      for room in [1, 2, 100_000] {
        #expect(Self.inflate(Self.gzip(raw), .gzip, pieceBytes: size, roomBytes: room) == raw)
        #expect(Self.inflate(Self.gzip(raw) + Self.gzip(raw), .gzip, pieceBytes: size, roomBytes: room) == raw + raw)
        #expect(Self.inflate(Self.rawDeflate(raw), .deflate, pieceBytes: size, roomBytes: room) == raw)
      }
    }
  }

  @Test func `a body that is cut or continued is not complete`() {
    let raw = [UInt8](repeating: 5, count: 1_000)
    for (body, encoding) in [(Self.gzip(raw), BodyInflater.Encoding.gzip), (Self.rawDeflate(raw), .deflate)] {
      for length in 0..<body.count {
        #expect(Self.inflate(Array(body.prefix(length)), encoding, pieceBytes: 3, roomBytes: 100) == nil)
      }
      for byte in [0, 1, 0x1F] as [UInt8] {
        #expect(Self.inflate(body + [byte], encoding, pieceBytes: 3, roomBytes: 100) == nil)
      }
    }
  }
}
