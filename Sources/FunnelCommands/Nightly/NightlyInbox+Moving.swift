import FunnelIngest
import FunnelModel
import FunnelSystem

extension NightlyInbox {
  /// Where files go that were dealt with.
  enum Destination: String {
    case done, failed
  }

  /// Moves a file out of the way, under its own name or, where that is taken, one with a number: nothing is ever replaced.
  ///
  /// It is dated as of the night, so that ``clearDone(before:)`` knows later how long it has been there. Only its owner may do that: a file of
  /// somebody else keeps its date, which is of before.
  ///
  /// - Returns: whether it was moved; a file that is no longer the one that was read is left for the next run.
  /// - Throws: `cannotCreate` or `inputOutput` where it can't be moved.
  func move(_ arrival: Arrival, to destination: Destination, at now: Timestamp) throws(FunnelError) -> Bool {
    let place = root.inside(arrival.name)
    guard try fileSystem.status(of: place) == arrival.status else { return false }
    let wanted = root.inside("\(destination.rawValue)/\(arrival.name)")
    try fileSystem.createDirectories(wanted.parent)
    // Another nightly run of this store waits for the lock, so nobody takes the name in between.
    var target = wanted
    var number = 2
    while try fileSystem.status(of: target) != nil {
      target = wanted.sibling(named: Self.numbered(wanted.name, number))
      number += 1
    }
    if destination == .done { try? fileSystem.setModified(place, to: now) }
    try fileSystem.rename(place, to: target)
    try fileSystem.syncDirectory(target.parent)
    try fileSystem.syncDirectory(place.parent)
    return true
  }

  /// Why a file that could be opened can't be read to its end; nil where it can.
  func readFailure(of arrival: Arrival) -> FunnelError? {
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    do throws(FunnelError) {
      let file = try fileSystem.open(root.inside(arrival.name), for: .read)
      while try read(file, into: &buffer) > 0 {}
      return nil
    } catch {
      return error
    }
  }

  private func read(_ file: File, into buffer: inout [UInt8]) throws(FunnelError) -> Int {
    try buffer.withUnsafeMutableBufferPointer { (space) throws(FunnelError) in
      try fileSystem.read(file, into: UnsafeMutableRawBufferPointer(space))
    }
  }

  /// `events.ndjson.gz` becomes `events.2.ndjson.gz`: it still ends as a log does.
  private static func numbered(_ name: String, _ number: Int) -> String {
    let ending = InputFile.endings.filter(name.hasSuffix).max { $0.utf8.count < $1.utf8.count } ?? ""
    return "\(name.dropLast(ending.count)).\(number)\(ending)"
  }
}
