import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

@Suite struct DecodedReaderTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read(_ name: String, chunk: Int, _ engine: Inflater.Engine) throws -> (bytes: [UInt8], reader: DecodedReader) {
    let fileSystem = LocalFileSystem()
    let reader = DecodedReader(
      try fileSystem.open(StoragePath(folder.path(name)), for: .read), fileSystem: fileSystem, engine: engine)
    var bytes: [UInt8] = []
    while case let piece = try reader.read(upTo: chunk), !piece.isEmpty { bytes += piece }
    return (bytes, reader)
  }

  @Test(arguments: Inflater.Engine.allCases, [1, 1000, 1 << 18])
  func plainAndGzipFilesReadAlike(_ engine: Inflater.Engine, _ chunk: Int) throws {
    for raw in [[], [10], [0x1F], Samples.lines(4000)] {
      try folder.write(raw, to: "plain")
      try folder.write(GzipMemberTests.encode(raw) + GzipMemberTests.encode(raw), to: "compressed")
      let plain = try read("plain", chunk: chunk, engine)
      #expect(plain.bytes == raw && !plain.reader.isCompressed && plain.reader.damage == nil)
      let compressed = try read("compressed", chunk: chunk, engine)
      #expect(compressed.bytes == raw + raw && compressed.reader.isCompressed && compressed.reader.damage == nil)
    }
  }

  @Test(arguments: Inflater.Engine.allCases)
  func damageIsKnownAtTheEnd(_ engine: Inflater.Engine) throws {
    let raw = Samples.lines(4000)
    try folder.write(GzipMemberTests.encode(raw) + Array(GzipMemberTests.encode(raw).dropLast(5)), to: "cut")
    let (bytes, reader) = try read("cut", chunk: 1000, engine)
    #expect(bytes == raw + raw && reader.damage?.kind == .truncated)
  }

  @Test(arguments: Inflater.Engine.allCases, [1, 12])
  func aBombIsInflatedInBoundedMemoryAndNotToItsEnd(_ engine: Inflater.Engine, _ members: Int) throws {
    let member = GzipMemberTests.encode([UInt8](repeating: 0, count: 16 << 20), .zlib(level: 9))
    try folder.write(Array([[UInt8]](repeating: member, count: members).joined()), to: "bomb")
    let fileSystem = LocalFileSystem()
    let reader = DecodedReader(try fileSystem.open(StoragePath(folder.path("bomb")), for: .read), engine: engine)
    let pieceBytesMax = 1 << 16
    var total = 0
    while case let count = try reader.read(upTo: pieceBytesMax).count, count > 0 {
      #expect(count <= pieceBytesMax)
      total += count
    }
    guard members > 1 else {
      #expect(total == members << 24 && reader.damage == nil)
      return
    }
    #expect(total > Limits.inflateBytesFree && total < Limits.inflateBytesFree + 1 << 20)
    #expect(reader.damage?.kind == .ratio)
    #expect(reader.damage?.reason == "the file inflates to more than 500 times its size")
  }
}
