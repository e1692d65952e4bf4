import FunnelIngest
import FunnelModel
import FunnelSystem

extension NightlyInbox {
  /// The folders that processed files are moved to.
  enum Destination: String {
    case done, failed
  }

  /// Moves a processed file, under its own name or, if that is taken, with a number added: no file is ever replaced.
  ///
  /// The modification time of a file moved to `done` is set to `now`, so that ``clearDone(before:)`` can tell how long it has been there.
  /// Only the file's owner may set it; a file of another user keeps its earlier time.
  ///
  /// - Returns: The path relative to the inbox that the file was moved to, or nil: a file that has changed since it was read is left for
  ///   the next run.
  /// - Throws: `cannotCreate` or `inputOutput` if it can't be moved.
  func move(_ arrival: Arrival, to destination: Destination, at now: Timestamp) throws(FunnelError) -> String? {
    let place = root.inside(arrival.name)
    guard try fileSystem.status(of: place) == arrival.status else { return nil }
    let wanted = root.inside("\(destination.rawValue)/\(arrival.name)")
    try fileSystem.createDirectories(wanted.parent)
    // Another nightly run of this store waits for the lock, so no other process takes the name in between.
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
    return target.inside
  }

  /// Returns the error of reading a file to its end, or nil if it can be read.
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

  /// Returns a name with a number, such as `events.2.ndjson.gz` for `events.ndjson.gz`; the extension of a log is kept.
  private static func numbered(_ name: String, _ number: Int) -> String {
    let ending = InputFile.ending(of: name)
    return "\(name.dropLast(ending.count)).\(number)\(ending)"
  }
}
