import Foundation
import FunnelSystem
import FunnelTestSupport
import Testing

/// Both libraries must pass the same tests.
@Suite struct InflaterTests {
  static let engines = Inflater.Engine.allCases

  /// Inflates a file in chunks of the given lengths, used in turn, and returns the output.
  static func inflate(_ file: [UInt8], _ engine: Inflater.Engine, pieces: [Int] = [1 << 16]) -> (
    bytes: [UInt8], damage: Inflater.Damage?
  ) {
    let inflater = Inflater(engine)
    var (result, position, turn): ([UInt8], Int, Int) = ([], 0, 0)
    while true {
      let end = min(position + pieces[turn % pieces.count], file.count)
      turn += 1
      while true {
        var status = Inflater.Status.finished
        result.append(addingCapacity: Inflater.outputBytesMin) { output in
          let step = inflater.inflate(file.span.extracting(position..<end), endOfInput: end == file.count, into: &output)
          position += step.consumed
          status = step.status
        }
        switch status {
        case .outputFull: continue
        case .finished: return (result, nil)
        case .damaged(let damage): return (result, damage)
        case .needsInput: precondition(position == end && end < file.count, "all input is used before more is asked for")
        }
        break
      }
    }
  }

  static let members = Samples.all.map { GzipMemberTests.encode($0, .zlib(level: 6)) }
  static let file = Array(members.joined())
  static let raw = Array(Samples.all.joined())

  @Test(arguments: engines, [[1 << 20], [1], [7, 1, 100_000], [4096]])
  func membersThatFollowEachOtherAreOneText(_ engine: Inflater.Engine, _ pieces: [Int]) {
    let (bytes, damage) = Self.inflate(Self.file, engine, pieces: pieces)
    #expect(damage == nil)
    #expect(bytes == Self.raw)
  }

  @Test(arguments: engines)
  func everyFieldOfAHeaderIsPassedOver(_ engine: Inflater.Engine) {
    let member = GzipMemberTests.encode(Array("hello\n".utf8))
    let body = member[48...]
    let name = Array("name.ndjson".utf8) + [0]
    let comment = Array("a comment".utf8) + [0]
    let extra: [UInt8] = [3, 0, 9, 9, 9]
    for flags in 0..<32 where flags & 2 == 0 {
      let header: [UInt8] = [0x1F, 0x8B, 8, UInt8(flags), 1, 2, 3, 4, 0, 3]
      let fields = (flags & 4 != 0 ? extra : []) + (flags & 8 != 0 ? name : []) + (flags & 16 != 0 ? comment : [])
      for pieces in [[1], [1000]] {
        let (bytes, damage) = Self.inflate(header + fields + body, engine, pieces: pieces)
        #expect(bytes == Array("hello\n".utf8) && damage == nil, "flags \(flags)")
      }
    }
    // FHCRC: CRC-32 of 1f 8b 08 02 00 00 00 00 00 03 is 0xca1c9a3d.
    let header: [UInt8] = [0x1F, 0x8B, 8, 2, 0, 0, 0, 0, 0, 3]
    #expect(Self.inflate(header + Self.headerChecksum(header) + body, engine).damage == nil)
    let (bytes, damage) = Self.inflate(header + [0, 0] + body, engine)
    #expect(bytes.isEmpty && damage?.reason == "a gzip header's checksum does not match")
  }

  /// Returns the CRC-16 of a gzip header: the low half of its CRC-32, computed bit by bit.
  private static func headerChecksum(_ bytes: [UInt8]) -> [UInt8] {
    var crc: UInt32 = .max
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return [UInt8(truncatingIfNeeded: ~crc), UInt8(truncatingIfNeeded: ~crc >> 8)]
  }

  @Test(arguments: engines)
  func zerosAfterTheLastMemberArePadding(_ engine: Inflater.Engine) {
    let (bytes, damage) = Self.inflate(Self.file + [UInt8](repeating: 0, count: 1000), engine, pieces: [999])
    #expect(damage == nil && bytes == Self.raw)
  }

  @Test(arguments: engines)
  func whatFollowsTheLastMemberIsDamageAfterAllWasHandedOut(_ engine: Inflater.Engine) {
    for (tail, offset) in [(Array("rubbish".utf8), 0), ([0, 0, 0, 7], 3), ([0x1F, 0x8C], 0)] as [([UInt8], Int)] {
      let (bytes, damage) = Self.inflate(Self.file + tail, engine)
      #expect(bytes == Self.raw)
      #expect(damage?.kind == (tail[0] == 0x1F ? .corrupt : .trailingBytes))
      #expect(damage?.memberOffset == Self.file.count + offset)
      #expect(damage?.reason == "the data after the last gzip member is not a gzip member")
    }
  }

  /// Mutation found this stream, which refers to bytes before its first one: ISA-L reports that it used one byte more than
  /// there is.
  @Test(arguments: engines)
  func aStreamThatALibraryMiscountsIsCorrupt(_ engine: Inflater.Engine) throws {
    let text = """
      H4sIBAAAAAAA/yQARk4gAAEAAACtAgAAtw4AAAMAAAD7/////////3vhtKCaAQAArddLjiRFEITh/Rwj1z3I3MyffQ5WbBCPXoDECKkbWKC5O0oq6gTjF/hVivTPI+rf\
      68tPf7xdr9f7x9ufP/7929s/b79eL9fH+/V6EczPZp+J7w2vFq/Cd0b9cL1c73/9/PvbLx/X62XwMFqqhkCTnnG9XF+uV3z99O11VRQ9aIZMZ4fNo24b9Rqz1nDAZg9i8Khz\
      od42OY0KNa0a1DkY7cSDKqqMOdmV9oj7QtwcxbEAAAMCAAkJYQBiAAECAwCjHhv1tHYys9tcnQU/B5ML9Q==
      """
    let file = try [UInt8](#require(Data(base64Encoded: text)))
    #expect(Self.inflate(file, engine).damage?.kind == .corrupt)
  }

  @Test(arguments: engines)
  func aFileCutAnywhereGivesWhatWasThere(_ engine: Inflater.Engine) {
    let raw = Samples.lines(200)
    let member = GzipMemberTests.encode(raw, .zlib(level: 6))
    for length in stride(from: 1, to: member.count, by: 13) {
      let (bytes, damage) = Self.inflate(member + member[..<length], engine, pieces: [1000])
      #expect(bytes.count >= raw.count && (raw + raw).starts(with: bytes), "\(length) bytes")
      #expect(damage?.kind == .truncated && damage?.memberOffset == member.count, "\(length) bytes")
      #expect(damage?.offset == member.count + length)
    }
    let (bytes, _) = Self.inflate(Array(member.dropLast(8)), engine)
    #expect(bytes == raw)
  }

  @Test func bothLibrariesFindTheSameDamage() {
    let raw = Samples.lines(300)
    let member = GzipMemberTests.encode(raw, .zlib(level: 6))
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<150 {
      var damaged = member + member
      let index = Int.random(in: 0..<damaged.count, using: &generator)
      damaged[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      let piece = Int.random(in: 1...5000, using: &generator)
      let results = Self.engines.map { Self.inflate(damaged, $0, pieces: [piece]) }
      for result in results {
        #expect(result.damage?.kind == results[0].damage?.kind, "seed 3, byte \(index)")
        #expect(result.damage?.memberOffset == results[0].damage?.memberOffset, "seed 3, byte \(index)")
        // Both engines give the same bytes up to the damage; how many follow may differ.
        let common = min(result.bytes.count, results[0].bytes.count)
        #expect(result.bytes[..<common] == results[0].bytes[..<common], "seed 3, byte \(index)")
        #expect(abs(result.bytes.count - results[0].bytes.count) < 600, "seed 3, byte \(index)")
      }
    }
  }

  @Test(arguments: engines)
  func rubbishNeverCrashes(_ engine: Inflater.Engine) {
    for seed in 0..<100 as Range<UInt64> {
      let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
      let (_, damage) = Self.inflate(header + Samples.noise(2000, seed: seed), engine, pieces: [Int(seed) % 97 + 1])
      #expect(damage != nil, "seed \(seed)")
    }
  }

  @Test(arguments: engines)
  func aChecksumOrLengthThatDoesNotMatchIsFoundAfterTheDataWasHandedOut(_ engine: Inflater.Engine) {
    let raw = Samples.lines(300)
    var member = GzipMemberTests.encode(raw)
    member[member.count - 8] ^= 1
    let (bytes, damage) = Self.inflate(member + member, engine)
    #expect(bytes == raw)
    #expect(damage?.kind == .mismatch && damage?.reason == "a gzip member's checksum does not match its data")
    member[member.count - 8] ^= 1
    member[member.count - 1] ^= 1
    #expect(Self.inflate(member, engine).damage?.reason == "a gzip member's length does not match its data")
  }

  @Test(arguments: engines)
  func whatIsNoGzipFileSaysSo(_ engine: Inflater.Engine) {
    let (bytes, damage) = Self.inflate(Array("{}\n".utf8), engine)
    #expect(bytes.isEmpty && damage?.kind == .corrupt && damage?.offset == 1 && damage?.reason == "the file is not a gzip file")
  }
}
