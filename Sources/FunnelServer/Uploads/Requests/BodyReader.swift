import FunnelSystem
import NIOCore

/// Reads the body of one request as it arrives: removes its framing, inflates it, and checks the limits.
final class BodyReader {
  private enum Framing {
    /// The number of bytes that are still to come.
    case length(Int)
    case chunked(ChunkDecoder)
  }

  private enum Decoder {
    case none
    case inflate(BodyInflater)
    /// The whole body is inflated at its end.
    case zstd
  }

  private let limits: UploadLimits
  private let reservation: MemoryReservation
  private var framing: Framing
  private let decoder: Decoder
  /// The body so far, without its encoding, but for zstd.
  private var body = BodyBuffer()
  /// The number of bytes of the body so far, as sent.
  private var receivedBytes = 0

  /// - Throws: `bodyTooLarge` if the announced length exceeds the limit, and `overload`.
  init(
    _ framing: RequestHead.Framing, encoding: UploadEncoding?, limits: UploadLimits, reservation: MemoryReservation
  ) throws(UploadRefusal) {
    self.limits = limits
    self.reservation = reservation
    switch framing {
    case .none: self.framing = .length(0)
    case .length(let bytes):
      guard bytes <= limits.bodyBytes else { throw .bodyTooLarge }
      self.framing = .length(bytes)
    case .chunked: self.framing = .chunked(ChunkDecoder(limits))
    }
    switch encoding {
    case _ where framing == .none: decoder = .none
    case nil: decoder = .none
    case .zstd: decoder = .zstd
    case .gzip:
      try reservation.add(BodyInflater.memoryBytes)
      decoder = .inflate(BodyInflater(.gzip))
    case .deflate:
      try reservation.add(BodyInflater.memoryBytes)
      decoder = .inflate(BodyInflater(.deflate))
    }
  }

  /// Reads the bytes of the body from the beginning of a buffer and removes them. Returns whether the body is complete.
  func read(_ input: inout ByteBuffer) throws(UploadRefusal) -> Bool {
    switch framing {
    case .length(let remaining):
      let bytes = min(remaining, input.readableBytes)
      if let piece = input.readSlice(length: bytes), bytes > 0 { try append(piece, sizeMax: receivedBytes + remaining) }
      framing = .length(remaining - bytes)
      return bytes == remaining
    case .chunked(var decoder):
      while true {
        switch try decoder.next(&input) {
        case .needsInput:
          framing = .chunked(decoder)
          return false
        case .payload(let piece): try append(piece, sizeMax: limits.bodyBytes)
        case .end: return true
        }
      }
    }
  }

  /// Returns the request with its complete body.
  func request(_ head: RequestHead) throws(UploadRefusal) -> UploadRequest {
    switch decoder {
    case .none: break
    case .inflate(let inflater):
      // An empty body has no encoding that could be broken.
      guard inflater.isComplete || receivedBytes == 0 else { throw .corruptBody }
    case .zstd:
      if receivedBytes > 0 { try inflateZstd() }
    }
    return UploadRequest(
      head: head.upload, body: body.bytes, receivedBytes: receivedBytes, receivedAt: head.receivedAt, reservation: reservation)
  }

  /// Appends bytes of the body as sent.
  ///
  /// - Parameter sizeMax: The largest size that the body as sent can get.
  private func append(_ piece: ByteBuffer, sizeMax: Int) throws(UploadRefusal) {
    receivedBytes += piece.readableBytes
    try piece.withSpan { (span) throws(UploadRefusal) in
      switch decoder {
      case .none, .zstd:
        try body.makeRoom(for: span.count, bytesMax: sizeMax, reservation)
        body.bytes.append(span)
      case .inflate(let inflater): try inflate(span, with: inflater)
      }
    }
  }

  private func inflate(_ compressed: Span<UInt8>, with inflater: BodyInflater) throws(UploadRefusal) {
    var offset = 0
    while true {
      try body.makeRoom(for: 1, bytesMax: limits.inflatedBytes + 1, reservation)
      let (consumed, status) = body.appendToCapacity { output in
        inflater.inflate(compressed.extracting(droppingFirst: offset), into: &output)
      }
      offset += consumed
      try checkInflation(of: receivedBytes - compressed.count + offset)
      switch status {
      case .needsInput: return
      case .outputFull: continue
      case .corrupt: throw .corruptBody
      }
    }
  }

  private func inflateZstd() throws(UploadRefusal) {
    let compressed = body.bytes
    body = BodyBuffer()
    guard let inflater = ZstdInflater(compressed) else { throw .corruptBody }
    try reservation.add(inflater.memoryBytes)
    while true {
      try body.makeRoom(for: 1, bytesMax: limits.inflatedBytes + 1, reservation)
      let status = body.appendToCapacity { output in inflater.inflate(into: &output) }
      try checkInflation(of: receivedBytes)
      switch status {
      case .outputFull: continue
      case .finished: return
      case .corrupt: throw .corruptBody
      }
    }
  }

  /// - Throws: `bodyTooLarge` if the body so far is too long, or too long for the compressed bytes that it was made of.
  private func checkInflation(of compressedBytes: Int) throws(UploadRefusal) {
    let inflated = body.bytes.count
    guard inflated <= limits.inflatedBytes,
      inflated <= limits.inflationRatioFromBytes || inflated <= limits.inflationRatio * compressedBytes
    else { throw .bodyTooLarge }
  }
}

extension ByteBuffer {
  /// Calls a closure with the readable bytes.
  func withSpan<Result>(_ body: (Span<UInt8>) throws(UploadRefusal) -> Result) throws(UploadRefusal) -> Result {
    let result = withUnsafeReadableBytes { bytes in
      bytes.withMemoryRebound(to: UInt8.self) { bytes in
        Swift.Result { () throws(UploadRefusal) in try body(bytes.span) }
      }
    }
    return try result.get()
  }
}
