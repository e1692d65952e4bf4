import FunnelModel
import FunnelStorage

/// A gzip member that is to be appended.
struct EncodedMember: Sendable {
  var bytes: [UInt8]
  var rawBytes: Int
  var records: Int
}

/// Cuts a batch into members and compresses them on several threads, a bounded number of them at a time.
struct MemberEncoder {
  /// Members that one compressor makes in a row.
  private static let membersPerRun = 8

  private struct Piece: Sendable {
    var area: PartName.Area
    var day: CivilDate
    var lines: Range<Int>
  }

  private let batch: CommitBatch
  private let options: StoreWriter.Options
  private let pieces: [Piece]

  init(batch: CommitBatch, options: StoreWriter.Options) {
    self.batch = batch
    self.options = options
    func pieces(_ area: PartName.Area, _ records: [CivilDate: RecordBatch]) -> [Piece] {
      records.sorted { $0.key < $1.key }.flatMap { day, records in
        records.split(rawBytesTarget: options.memberRawBytesTarget).map { Piece(area: area, day: day, lines: $0) }
      }
    }
    self.pieces = pieces(.log, batch.events) + pieces(.rejected, batch.deadLetters)
  }

  /// Hands out the members in order, events before dead letters, each area by day.
  func encode(
    _ body: (EncodedMember, PartName.Area, CivilDate) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    let waveLength = max(options.threads, 1) * Self.membersPerRun
    for start in stride(from: 0, to: pieces.count, by: waveLength) {
      let wave = pieces[start..<min(start + waveLength, pieces.count)]
      // A short wave is spread over all threads as well.
      let runLength = (wave.count + max(options.threads, 1) - 1) / max(options.threads, 1)
      let runs = stride(from: wave.startIndex, to: wave.endIndex, by: runLength).map {
        wave[$0..<min($0 + runLength, wave.endIndex)]
      }
      let encoded = try Parallel.map(count: runs.count, threads: options.threads) { (index) throws(FunnelError) in
        let deflater = Deflater(options.compression)
        return runs[index].map { encode($0, with: deflater) }
      }
      for (piece, member) in zip(wave, encoded.joined()) { try body(member, piece.area, piece.day) }
    }
  }

  private func encode(_ piece: Piece, with deflater: Deflater) -> EncodedMember {
    let records = (piece.area == .log ? batch.events : batch.deadLetters)[piece.day]!
    let range = records.byteRange(of: piece.lines)
    let timestamps = records.timestamps(of: piece.lines)
    precondition(
      piece.area == .rejected || (timestamps.lowerBound.day == piece.day && timestamps.upperBound.day == piece.day),
      "events are filed under the day of their timestamp")
    let bytes = records.bytes.withUnsafeBytes { bytes in
      GzipMember.encode(
        UnsafeRawBufferPointer(rebasing: bytes[range]), lines: piece.lines.count, timestamps: timestamps, with: deflater)
    }
    return EncodedMember(bytes: bytes, rawBytes: range.count, records: piece.lines.count)
  }
}
