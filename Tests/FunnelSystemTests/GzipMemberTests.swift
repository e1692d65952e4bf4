import Foundation
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

@Suite struct GzipMemberTests {
  static let methods: [Deflater.Method] = {
    var methods: [Deflater.Method] = [.zlib(level: 1), .zlib(level: 6), .zlib(level: 9)]
    #if FUNNEL_ISAL
      methods += [.isal(level: 1), .isal(level: 3)]
    #endif
    return methods
  }()

  static func encode(_ raw: [UInt8], lines: Int = 3, _ method: Deflater.Method = .fastest) -> [UInt8] {
    let timestamps = Timestamp(milliseconds: -5)...Timestamp(milliseconds: 1_763_632_800_123)
    return GzipMember.encode(raw.span, lines: lines, timestamps: timestamps, with: Deflater(method))
  }

  private func decode(_ member: [UInt8], _ engine: Inflater.Engine = .fastest) throws -> [UInt8] {
    try GzipMember.decode(member.span, with: engine)
  }

  private func reason(_ member: [UInt8]) -> String? {
    do {
      _ = try decode(member)
      return nil
    } catch {
      return (error as? GzipMember.Damage)?.reason
    }
  }

  @Test(arguments: methods, Inflater.Engine.allCases)
  func whatIsCompressedIsInflatedByEitherLibrary(_ method: Deflater.Method, _ engine: Inflater.Engine) throws {
    for raw in Samples.all {
      let member = Self.encode(raw, method)
      #expect(try decode(member, engine) == raw)
    }
  }

  @Test func oneDeflaterMakesManyMembers() throws {
    for method in Self.methods {
      let deflater = Deflater(method)
      for raw in Samples.all + Samples.all.reversed() {
        let zero = Timestamp(milliseconds: 0)
        let member = GzipMember.encode(raw.span, lines: 1, timestamps: zero...zero, with: deflater)
        #expect(try decode(member) == raw)
      }
    }
  }

  @Test func theHeaderSaysWhatIsInside() throws {
    let raw = Samples.lines(100)
    let member = Self.encode(raw, lines: 100)
    let header = try GzipMember.header(of: (member + [1, 2, 3]).span)
    #expect(header.memberBytes == member.count && header.rawBytes == raw.count && header.lines == 100)
    #expect(header.timestamps == Timestamp(milliseconds: -5)...Timestamp(milliseconds: 1_763_632_800_123))
  }

  @Test func theBytesAreThoseOfTheDocumentation() {
    let member = Self.encode(Array("hello\n".utf8), lines: 1)
    #expect(Array(member[..<20]) == [0x1F, 0x8B, 8, 4, 0, 0, 0, 0, 0, 0xFF, 36, 0, 0x46, 0x4E, 32, 0, 1, 0, 0, 0])
    #expect(Array(member[20..<32]) == [UInt8(member.count), 0, 0, 0, 6, 0, 0, 0, 1, 0, 0, 0])
    #expect(Array(member[32..<48]) == [0xFB, 255, 255, 255, 255, 255, 255, 255, 0x7B, 0xE1, 0xB4, 0xA0, 0x9A, 1, 0, 0])
  }

  @Test func everyFlippedBitIsFoundOrChangesNothing() throws {
    let raw = Samples.lines(3)
    let member = Self.encode(raw)
    for index in member.indices {
      for bit in 0..<8 {
        var damaged = member
        damaged[index] ^= 1 << bit
        for engine in Inflater.Engine.allCases {
          // Only the journal's hash covers the line count and the timestamps; gzip's own checks cover the rest.
          if (28..<48).contains(index) { continue }
          let found = try? decode(damaged, engine)
          // Some bits have no meaning: padding in the stream's last byte, or a choice between two equal matches.
          #expect(found == nil || found == raw, "byte \(index), bit \(bit), \(engine)")
        }
      }
    }
  }

  @Test func aTruncatedMemberIsDamaged() {
    let member = Self.encode(Samples.lines(20))
    for length in 0..<member.count {
      #expect(throws: GzipMember.Damage.self) { try decode(Array(member[..<length])) }
    }
  }

  @Test func aMemberThatClaimsToBeHugeIsRefusedBeforeMemoryIsTaken() {
    var member = Self.encode(Samples.lines(20))
    member.replaceSubrange(24..<28, with: [255, 255, 255, 255])
    #expect(reason(member) == "a member's header is invalid")
  }

  @Test func aMemberOfANewerVersionIsTold() {
    var member = Self.encode(Samples.lines(20))
    member[16] = 2
    #expect(reason(member) == "the member is of version 2, which needs a newer funnel")
  }

  @Test func gzipAndPythonReadMembersThatFollowEachOther() throws {
    let folder = try TemporaryFolder()
    let raws = Samples.all
    try folder.write(raws.flatMap { Self.encode($0) }, to: "members.gz")
    let python = "import gzip,sys; sys.stdout.buffer.write(gzip.open(sys.argv[1]).read())"
    for command in ["gzip -t members.gz && gzip -dc members.gz", "python3 -c '\(python)' members.gz"] {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", "cd '\(folder.path)' && \(command)"]
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      let output = [UInt8](pipe.fileHandleForReading.readDataToEndOfFile())
      process.waitUntilExit()
      #expect(process.terminationStatus == 0 && output == raws.flatMap { $0 }, "\(command)")
    }
  }
}
