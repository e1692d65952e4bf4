import FunnelStore
import FunnelModel
import FunnelTestSupport
import Testing

/// Cuts a log at each byte, and flips each of its bits. Readers must return the same lines and reports, or report the damage.
@Suite struct DamagedLogTests {
  @Test func `there are three parts and six members at least, and enough bits`() throws {
    let log = try SoundLog()
    #expect(log.parts.count >= 3)
    #expect(try log.store.reader().members().count >= 6)
    #expect(log.parts.reduce(0) { $0 + $1.bytes.count } * 8 >= 65_000)
    #expect(try log.isTold(withReport: true) == false)
  }

  @Test func `a log cut at any byte is never taken for a shorter one`() throws {
    let log = try SoundLog()
    for part in log.parts {
      for length in stride(from: 0, to: part.bytes.count, by: Sweeps.isFull ? 1 : 23) {
        try log.folder.write(Array(part.bytes.prefix(length)), to: part.name)
        #expect(try log.isTold() == true, "\(part.name) cut to \(length) bytes")
        #expect(throws: FunnelError.self) { try log.store.writer() }
      }
      try log.folder.write(part.bytes, to: part.name)
    }
  }

  @Test func `a bit flipped in any part changes no line and no report, or is told`() throws {
    let log = try SoundLog()
    let step = Sweeps.isFull ? 1 : 97
    var (cases, told) = (0, 0)
    for part in log.parts {
      for bit in stride(from: 0, to: part.bytes.count * 8, by: step) {
        var bytes = part.bytes
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        try log.folder.write(bytes, to: part.name)
        let isTold = try log.isTold(in: part.name, withReport: cases % 32 == 0)
        #expect(isTold != nil, "bit \(bit) of \(part.name)")
        if isTold == true { told += 1 }
        // The journal's SHA-256 also covers the bytes that a member's checksum does not.
        if cases % 16 == 0 { #expect(try !StoreVerification.run(log.store.path).isEmpty, "bit \(bit) of \(part.name)") }
        cases += 1
      }
      try log.folder.write(part.bytes, to: part.name)
    }
    #expect(cases >= (Sweeps.isFull ? 65_000 : 600))
    #expect(told * 100 > cases * 95)
  }

  @Test func `a bit flipped in a member's header hides no event from a report of the past`() throws {
    let log = try SoundLog()
    for member in try log.store.reader().members().prefix(Sweeps.isFull ? .max : 3) {
      let name = "store/\(member.logFile)"
      guard let part = log.parts.first(where: { $0.name == name }) else { continue }
      // No checksum covers the two timestamps of the header.
      for bit in (member.offset + 32) * 8..<(member.offset + 48) * 8 where Sweeps.isFull || bit % 8 == bit / 8 % 8 {
        var bytes = part.bytes
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        for second in [0, 3, 6 * 3600, 6 * 3600 + 2] {
          let now = Timestamp(milliseconds: member.logFile.day.midnight.milliseconds + Int64(second) * 1000)
          try log.folder.write(part.bytes, to: name)
          let expected = try log.store.reportOfLog(now: now)
          try log.folder.write(bytes, to: name)
          do {
            #expect(try log.store.reportOfLog(now: now) == expected, "bit \(bit) of \(name), at \(now)")
          } catch let error as FunnelError {
            #expect(error.code == .inputOutput)
          }
        }
      }
      try log.folder.write(part.bytes, to: name)
    }
  }

  @Test func `a journal cut at any byte is never taken for a shorter one, and no part is cut because of it`() throws {
    let log = try SoundLog()
    let journal = log.journal
    for length in stride(from: 0, to: journal.bytes.count, by: Sweeps.isFull ? 1 : 23) {
      try log.folder.write(Array(journal.bytes.prefix(length)), to: journal.name)
      #expect(try log.isTold() == true, "the journal cut to \(length) bytes")
      #expect(throws: FunnelError.self) { try log.store.writer() }
      for part in log.parts { #expect(try log.folder.contents(part.name) == part.bytes, "\(length) bytes of the journal") }
    }
  }

  @Test func `a bit flipped in the journal is told`() throws {
    let log = try SoundLog()
    let journal = log.journal
    let last = journal.bytes.count * 8 - 8
    for bit in Array(stride(from: 0, to: last, by: Sweeps.isFull ? 1 : 61)) + Array(last..<last + 8) {
      var bytes = journal.bytes
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      try log.folder.write(bytes, to: journal.name)
      #expect(throws: FunnelError.self, "bit \(bit) of the journal") { try log.store.reader() }
      // No writer cuts a part because of the damage.
      #expect(throws: FunnelError.self) { try log.store.writer() }
      for part in log.parts { #expect(try log.folder.contents(part.name) == part.bytes, "bit \(bit) of the journal") }
    }
  }
}
