import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

/// Memory-mapped files, and their checksums.
@Suite struct MappedFileTests {
  @Test func `a checksum is the CRC-32 of gzip`() {
    // The check value of CRC-32/ISO-HDLC in the catalogue of parametrised CRC algorithms (Greg Cook).
    let digits = Array("123456789".utf8)
    #expect(Checksum.crc32(digits.span) == 0xCBF4_3926)
    let nothing: [UInt8] = []
    #expect(Checksum.crc32(nothing.span) == 0)
  }

  @Test func `a mapped file has the file's bytes, and keeps them when another takes its name`() throws {
    let folder = try TemporaryFolder()
    for bytes in [[], [7], Array(repeating: 9, count: 10_000)] as [[UInt8]] {
      try folder.write(bytes, to: "a")
      let file = try #require(try MappedFile.open(StoragePath(folder.path).inside("a")))
      try folder.write([1, 2], to: "b")
      try LocalFileSystem().rename(StoragePath(folder.path).inside("b"), to: StoragePath(folder.path).inside("a"))
      #expect(Array(file.memory) == bytes)
    }
  }

  @Test func `what is missing or no regular file is not mapped`() throws {
    let folder = try TemporaryFolder()
    #expect(try MappedFile.open(StoragePath(folder.path).inside("missing")) == nil)
    #expect(try MappedFile.open(StoragePath(folder.path)) == nil)
  }
}
