import Foundation
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

@Suite struct MutatedFileTests {
  private static let raw = Samples.lines(40)

  @Test(arguments: Inflater.Engine.allCases)
  func noGzipFileDoesHarm(_ engine: Inflater.Engine) throws {
    // The samples: a member of ours, two of them in one file, a stored block, and a header with a name, a comment and a
    // checksum.
    let stored: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 0, 0xFD, 0xFF, 97, 98]
    let named: [UInt8] = [0x1F, 0x8B, 8, 0x1E, 0, 0, 0, 0, 0, 3, 2, 0, 9, 9, 97, 0, 98, 0, 1, 2, 3, 0]
    let ours = GzipMemberTests.encode(Self.raw)
    let folder = try TemporaryFolder()
    let complaints = try MutationSweep("gzip", samples: [ours, ours + ours, stored, named]).run { bytes in
      try folder.write(bytes, to: "mutant")
      let reader = DecodedReader(try LocalFileSystem().open(StoragePath(folder.path("mutant")), for: .read), engine: engine)
      var total = 0
      while case let count = try reader.read(upTo: 1 << 16).count, count > 0 { total += count }
      // Deflate expands a byte to at most 1032 bytes; bytes that are not gzip are returned unchanged.
      try require(total <= 1100 * max(bytes.count, 1))
    }
    #expect(complaints.isEmpty, "\(complaints)")
  }

  @Test(arguments: Inflater.Engine.allCases)
  func noMemberDoesHarm(_ engine: Inflater.Engine) throws {
    let sample = GzipMemberTests.encode(Self.raw)
    let complaints = try MutationSweep("members", samples: [sample, GzipMemberTests.encode([10])]).run { bytes in
      guard let header = try? GzipMember.header(of: bytes.span) else { return }
      try require(header.rawBytes <= Limits.memberRawBytesMax && header.memberBytes <= Limits.memberBytesMax)
      if let raw = try? GzipMember.decode(bytes.span, with: engine) { try require(raw.count == header.rawBytes) }
    }
    #expect(complaints.isEmpty, "\(complaints)")
  }

  @Test func noTimeZoneDoesHarm() throws {
    let system = TimeZoneDatabase(environmentFolder: nil)
    let paths = ["Europe/Berlin", "America/New_York", "UTC", "Asia/Kolkata"].map { "/usr/share/zoneinfo/\($0)" }
    let samples = paths.compactMap { try? [UInt8](Data(contentsOf: URL(filePath: $0))) }
    guard system.isPresent, !samples.isEmpty else { return }
    let folder = try TemporaryFolder()
    let complaints = try MutationSweep("zones", samples: samples).run { bytes in
      try folder.write(bytes, to: "Zone")
      guard let rules = try TimeZoneDatabase(environmentFolder: folder.path).rules(named: "Zone") else { return }
      for milliseconds in [Int64.min / 2, -62_167_219_200_000, 0, 1_795_168_800_000, 253_402_300_799_999] {
        _ = rules.offsetMilliseconds(at: milliseconds)
      }
      for moment: Int64 in [-62_167_219_200_000, 1_795_168_800_000, 253_402_300_799_999] {
        _ = rules.midnight(of: rules.day(at: moment))
      }
    }
    #expect(complaints.isEmpty, "\(complaints)")
  }

  private struct Unexpected: Error {}

  private func require(_ condition: Bool) throws {
    if !condition { throw Unexpected() }
  }
}
