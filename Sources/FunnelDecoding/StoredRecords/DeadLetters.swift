package import FunnelStore
package import FunnelModel

/// Reads the dead letters of a store.
package enum DeadLetters {
  /// A dead letter, the time of its rejection, and the log file that contains it.
  package struct Entry: Hashable, Sendable {
    package var letter: DeadLetter
    package var time: Timestamp
    package var part: LogFileName
  }

  /// Returns all dead letters in the order in which they were stored.
  ///
  /// - Throws: `inputOutput` if a dead letter is damaged.
  package static func entries(of store: StoreReader) throws(FunnelError) -> [Entry] {
    var entries: [Entry] = []
    try forEach(of: store) { entries.append($0) }
    return entries
  }

  /// Calls a closure with each dead letter in the order in which they were stored.
  ///
  /// - Throws: `inputOutput` if a dead letter is damaged.
  package static func forEach(of store: StoreReader, _ body: (Entry) -> Void) throws(FunnelError) {
    for member in try store.members(of: .rejected) {
      try forEach(in: store.read(member), of: member.logFile) { letter, time, _ in
        body(Entry(letter: letter, time: time, part: member.logFile))
      }
    }
  }

  /// Calls a closure with each dead letter of an inflated gzip member, the time of its rejection, and its line.
  package static func forEach(
    in raw: [UInt8], of part: LogFileName, _ body: (DeadLetter, Timestamp, RecordLines.Line) -> Void
  ) throws(FunnelError) {
    for line in RecordLines(of: raw) where !line.isBlank {
      guard let (letter, time) = DeadLetter.parse(Array(raw[line.text])) else {
        throw FunnelError(.inputOutput, "a dead letter can't be read, \(part), check the store with 'funnel log verify'")
      }
      body(letter, time, line)
    }
  }

  /// Returns the identities of the first dead letters, at most ``Limits/deadLettersKnownMax`` of them.
  package static func identities(in store: StoreReader) throws(FunnelError) -> Set<Hash128> {
    var identities: Set<Hash128> = []
    try forEach(of: store) { if identities.count < Limits.deadLettersKnownMax { identities.insert($0.letter.identity) } }
    return identities
  }
}
