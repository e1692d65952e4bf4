package import FunnelStore
package import FunnelModel
import FunnelSystem

/// Checks that stored records are in canonical form, byte for byte, and that each is stored under its day.
///
///     let findings = try StoreVerification.run("funnel-store", checker: StoredRecordChecker())
package final class StoredRecordChecker: RecordChecker {
  /// A decoder in a reference, which one thread at a time uses.
  fileprivate final class DecoderBox: @unchecked Sendable {
    var decoder: BlockDecoder

    init(_ catalog: FlowCatalog) { decoder = BlockDecoder(options: StoredEvents.options, catalog: catalog) }
  }

  /// A catalog without flow definitions.
  private let catalog: FlowCatalog

  /// The decoders that no thread uses at the moment.
  private let free = Guarded<[DecoderBox]>([])

  /// Creates a checker for any number of threads.
  ///
  /// - Throws: Nothing in practice: an empty catalog of flow definitions is always valid.
  package init() throws(FunnelError) {
    catalog = try FlowCatalog(layers: [])
  }

  /// Checks the decompressed lines of a part of the store, and returns the records and complaints.
  package func check(_ lines: [UInt8], in part: LogFileName) -> RecordFindings {
    switch part.area {
    case .log: checkEvents(lines, of: part.day)
    case .rejected: checkDeadLetters(lines, of: part.day)
    case .forgotten: RecordFindings()
    case .snapshots: checkSnapshots(lines, of: part.day)
    }
  }

  /// Checks all events at once, and one by one only if any is invalid.
  private func checkEvents(_ lines: [UInt8], of day: CivilDate) -> RecordFindings {
    let box = free.withLock { $0.popLast() } ?? DecoderBox(catalog)
    defer { free.withLock { $0.append(box) } }
    let block = box.decode(lines)
    var findings = RecordFindings()
    guard block.deadLetters.isEmpty, block.records == lines, block.events.allSatisfy({ $0.timestamp.day == day }) else {
      return Self.checkOneByOne(lines, of: day, box)
    }
    for (index, event) in block.events.enumerated() { findings.note(event, number: index + 1) }
    return findings
  }

  /// Checks records one by one to find the invalid ones.
  private static func checkOneByOne(_ lines: [UInt8], of day: CivilDate, _ box: DecoderBox) -> RecordFindings {
    findings(about: lines) { (line, number, findings) in
      let block = box.decode(line + [UInt8(ascii: "\n")])
      if let letter = block.deadLetters.first { return findings.complain(number, "it is not an event: \(letter.message)") }
      guard let event = block.events.first else { return findings.complain(number, "the line is blank") }
      guard block.records.dropLast().elementsEqual(line) else { return findings.complain(number, Self.otherForm) }
      if event.timestamp.day != day {
        findings.complain(number, "it happened at \(event.timestamp), which does not belong to this day")
      }
      findings.note(event, number: number)
    }
  }

  private func checkDeadLetters(_ lines: [UInt8], of day: CivilDate) -> RecordFindings {
    Self.findings(about: lines) { (line, number, findings) in
      guard let (letter, time) = DeadLetter.parse(Array(line)) else {
        return findings.complain(number, "it is not a dead letter")
      }
      var written: [UInt8] = []
      letter.appendJSON(at: time, to: &written)
      guard written.dropLast().elementsEqual(line) else { return findings.complain(number, Self.otherForm) }
      if time.day != day { findings.complain(number, "it was rejected at \(time), which does not belong to this day") }
      findings.records.append(.init(number: number, timestamp: time))
    }
  }

  private func checkSnapshots(_ lines: [UInt8], of day: CivilDate) -> RecordFindings {
    Self.findings(about: lines) { (line, number, findings) in
      let root = try? JSONDocument(parsing: Array(line)).root
      guard let root, root["v"]?.integer == 1, let counted = root["day"]?.string.flatMap({ CivilDate($0) }),
        root["report"]?.object != nil
      else { return findings.complain(number, "it is not a snapshot") }
      if counted != day { findings.complain(number, "it is of \(counted), which does not belong to this day") }
      findings.records.append(.init(number: number, timestamp: counted.midnight))
    }
  }

  private static let otherForm = "it is not in the form in which funnel writes it"

  /// Calls a closure with each line, including blank ones, and returns the findings that it adds.
  private static func findings(
    about lines: [UInt8], _ look: (_ line: ArraySlice<UInt8>, _ number: Int, _ findings: inout RecordFindings) -> Void
  ) -> RecordFindings {
    var findings = RecordFindings()
    for line in RecordLines(of: lines) { look(lines[line.text], line.number, &findings) }
    return findings
  }
}

extension StoredRecordChecker.DecoderBox {
  /// Decodes lines into records and dead letters.
  fileprivate func decode(_ lines: some Collection<UInt8>) -> DecodedBlock {
    decoder.decode(LineBlock(place: .init(file: "", line: 1, byteOffset: 0), content: .lines, bytes: lines))
  }
}

extension RecordFindings {
  /// Adds a complaint about a record.
  fileprivate mutating func complain(_ record: Int, _ reason: String) {
    complaints.append(Complaint(record: record, reason: reason))
  }

  /// Adds a valid event.
  fileprivate mutating func note(_ event: DecodedBlock.Event, number: Int) {
    records.append(
      Record(number: number, timestamp: event.timestamp, high: event.identity.high, low: event.identity.low))
  }
}
