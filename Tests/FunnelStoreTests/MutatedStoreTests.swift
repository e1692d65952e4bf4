import Foundation
import FunnelStore
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

/// A store whose files have arbitrary contents is refused with one sentence, or read.
@Suite struct MutatedStoreTests {
  private let folder: TemporaryFolder
  private var store: String { folder.path("store") }
  private let files: [String]

  init() throws {
    folder = try TemporaryFolder()
    let writer = try StoreScenario.writer(folder.path("store"), LocalFileSystem())
    for number in 1...3 { _ = try writer.commit(StoreScenario.batch(number)) }
    files = try folder.files().filter { $0.hasSuffix("ndjson") || $0.hasSuffix(".gz") }
  }

  @Test func noJournalDoesHarm() throws {
    let journal = try folder.contents("store/log/journal.ndjson")
    let complaints = try MutationSweep("journal", samples: [journal], count: 500).run { bytes in
      try folder.write(bytes, to: "store/log/journal.ndjson")
      try read()
    }
    #expect(complaints.isEmpty, "\(complaints)")
  }

  /// The mutated lines get a correct hash, so that only the reader's own checks can refuse them.
  @Test func noJournalDoesHarmThatIsSigned() throws {
    let lines = try folder.contents("store/log/journal.ndjson").split(separator: UInt8(ascii: "\n")).map {
      Array($0.dropLast(77))
    }
    let complaints = try MutationSweep("signed", samples: lines, count: 700).run { body in
      let hash = PlainSHA256.hexadecimal(body)
      try folder.write(body + Array(",\"sha256\":\"\(hash)\"}\n".utf8), to: "store/log/journal.ndjson")
      try read()
    }
    #expect(complaints.isEmpty, "\(complaints)")
  }

  @Test func noHeadDoesHarm() throws {
    let head = try folder.contents("store/log/journal.head")
    let body = Array(head.prefix { $0 != UInt8(ascii: " ") }.dropLast(77))
    let complaints = try MutationSweep("head", samples: [head, body], count: 700).run { bytes in
      // Some of the mutants get a correct hash and the correct length.
      let sealed = bytes + Array(",\"sha256\":\"\(PlainSHA256.hexadecimal(bytes))\"}".utf8)
      let padding = [UInt8](repeating: UInt8(ascii: " "), count: max(0, 255 - sealed.count))
      let isSigned = bytes.starts(with: body.prefix(4)) && !bytes.contains(UInt8(ascii: " "))
      try folder.write(isSigned ? sealed + padding + [UInt8(ascii: "\n")] : bytes, to: "store/log/journal.head")
      try read()
    }
    #expect(complaints.isEmpty, "\(complaints)")
  }

  @Test func noPartDoesHarm() throws {
    let parts = files.filter { $0.hasSuffix(".gz") }
    let contents = try parts.map { try folder.contents($0) }
    let complaints = try MutationSweep("parts", samples: contents, count: 400).run { bytes in
      let part = parts[bytes.count % parts.count]
      let whole = try folder.contents(part)
      try folder.write(bytes, to: part)
      try read()
      try folder.write(whole, to: part)
    }
    #expect(complaints.isEmpty, "\(complaints)")
  }

  /// Reads everything; errors must be those of a damaged store.
  private func read() throws {
    if let error = readEvents() { try require(error) }
    switch Result(catching: { () throws(FunnelError) in try StoreVerification.run(store) }) {
    case .failure(let error): try require(error)
    case .success(let findings):
      guard !findings.contains(where: { $0.description.contains("\n") }) else { throw FunnelError(.usage, "\(findings)") }
    }
  }

  private func readEvents() -> FunnelError? {
    do throws(FunnelError) {
      let reader = try StoreReader.open(store)
      for area in LogFileName.Area.allCases {
        for member in try reader.members(of: area) { _ = try reader.read(member) }
      }
      return nil
    } catch {
      return error
    }
  }

  private func require(_ error: FunnelError) throws {
    guard [.inputOutput, .configuration].contains(error.code), !error.message.contains("\n") else { throw error }
  }
}
