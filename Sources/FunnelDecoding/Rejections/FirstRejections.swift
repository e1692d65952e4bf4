/// A few of the rejected lines of an input in the order of the input, even if several threads read it: the first of each of the most
/// frequent kinds, and then the first others, those with different messages before the same message again.
///
/// A block has no number for its first line, because counting line breaks in advance would slow down the threads. Instead,
/// the rejected lines of a block and the line count of each block are stored. ``refusals`` adds up the preceding blocks.
package struct FirstRejections: Hashable, Sendable {
  /// The maximum number of lines: enough to recognize a problem, and few enough to read.
  package static let countMax = 3

  /// A rejected line whose number in its file is not known yet.
  struct Entry: Hashable, Sendable {
    var fileNumber: Int
    var entryNumber = 0
    var byteOffset: Int
    /// The number of lines before this one in its block.
    var linesBefore: Int
    var file: String
    var rejection: Rejection

    /// Whether the line precedes another one in the input.
    func precedes(_ other: Entry) -> Bool {
      (fileNumber, entryNumber, byteOffset) < (other.fileNumber, other.entryNumber, other.byteOffset)
    }
  }

  /// The position and the line count of a block.
  private struct Block: Hashable, Sendable {
    var fileNumber: Int
    var entryNumber: Int
    var byteOffset: Int
    var lineCount: Int
  }

  /// The first rejected lines so far, in order.
  private var entries: [Entry] = []
  /// The first rejected lines so far with different messages, in order.
  private var different: [Entry] = []
  private var kinds = RejectionKinds()
  /// The number of dead letters so far.
  private var letterCount = 0
  private var blocks: [Block] = []

  package init() {}

  /// Adds a rejected line of a block without line numbers.
  ///
  /// - Parameters:
  ///   - reject: The rejection.
  ///   - place: The position of the line, with its line number counted from that of `block`.
  ///   - block: The position of the block.
  package mutating func add(_ reject: Rejection, at place: LineBlock.Place, in block: LineBlock.Place) {
    insert(
      Entry(
        fileNumber: place.fileNumber, entryNumber: place.entryNumber, byteOffset: place.byteOffset,
        linesBefore: place.line - block.line, file: place.file, rejection: reject))
  }

  /// Adds the line count of a block. A block with a count of 0 is skipped.
  package mutating func noteBlock(_ place: LineBlock.Place, lineCount: Int) {
    guard lineCount > 0 else { return }
    blocks.append(
      Block(
        fileNumber: place.fileNumber, entryNumber: place.entryNumber, byteOffset: place.byteOffset, lineCount: lineCount))
  }

  /// Adds the next dead letter of an input that is read in order, in blocks with line numbers.
  package mutating func add(_ letter: DeadLetter) {
    letterCount += 1
    insert(
      // Consecutive file numbers keep the entries in the order in which they are added.
      Entry(
        fileNumber: letterCount, byteOffset: 0, linesBefore: letter.line - 1, file: letter.file,
        rejection: Rejection(letter.reason, letter.message)))
  }

  /// Adds the lines of another thread.
  package mutating func add(_ other: FirstRejections) {
    for entry in other.entries { Self.insert(entry, to: &entries) }
    for entry in other.different { insertDifferent(entry) }
    kinds.add(other.kinds)
    blocks += other.blocks
  }

  /// Adds a line.
  private mutating func insert(_ entry: Entry) {
    Self.insert(entry, to: &entries)
    insertDifferent(entry)
    kinds.add(entry)
  }

  /// Adds a line to those with different messages, unless an earlier one has the same message.
  private mutating func insertDifferent(_ entry: Entry) {
    if let index = different.firstIndex(where: { $0.rejection == entry.rejection }) {
      guard entry.precedes(different[index]) else { return }
      different.remove(at: index)
    }
    Self.insert(entry, to: &different)
  }

  /// Inserts a line in order, and removes the last line if there are too many.
  private static func insert(_ entry: Entry, to entries: inout [Entry]) {
    let index = entries.firstIndex { entry.precedes($0) } ?? entries.count
    guard index < countMax else { return }
    entries.insert(entry, at: index)
    if entries.count > countMax { entries.removeLast() }
  }

  /// The rejected lines in the order of the input, each with its line number.
  package var refusals: [Refusal] {
    var shown: [Entry] = []
    for entry in kinds.firstEntries + different + entries where shown.count < Self.countMax && !shown.contains(entry) {
      shown.append(entry)
    }
    return shown.sorted { $0.precedes($1) }.map(refusal)
  }

  /// The first line of the most frequent kind, or `nil` if no line was rejected.
  package var mostFrequent: Refusal? { (kinds.firstEntries.first ?? entries.first).map(refusal) }

  /// Returns a line with its number.
  private func refusal(_ entry: Entry) -> Refusal {
    Refusal(
      file: entry.file, line: 1 + linesBeforeBlock(of: entry) + entry.linesBefore, reason: entry.rejection.reason,
      message: entry.rejection.message)
  }

  /// Returns the number of lines in the file before the block that contains an entry.
  private func linesBeforeBlock(of entry: Entry) -> Int {
    let upToEntry = blocks.filter {
      $0.fileNumber == entry.fileNumber && $0.entryNumber == entry.entryNumber && $0.byteOffset <= entry.byteOffset
    }
    // The last block that starts at or before the entry contains it.
    guard let own = upToEntry.map(\.byteOffset).max() else { return 0 }
    return upToEntry.reduce(0) { $0 + ($1.byteOffset < own ? $1.lineCount : 0) }
  }
}

extension FirstRejections {
  /// Whether the rejected lines are equal. The order in which the blocks were read does not matter.
  package static func == (left: FirstRejections, right: FirstRejections) -> Bool {
    left.refusals == right.refusals && left.mostFrequent == right.mostFrequent
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(refusals) }
}
/// A rejected line for messages: its position and the reason for the rejection.
package struct Refusal: Hashable, Sendable {
  /// The file as messages show it, or `-` for standard input.
  package var file: String
  /// The number of the line, from 1.
  package var line: Int
  /// The reason for the rejection.
  package var reason: RejectionReason
  /// A human-readable sentence.
  package var message: String

  package init(file: String, line: Int, reason: RejectionReason, message: String) {
    self.file = file
    self.line = line
    self.reason = reason
    self.message = message
  }
}
