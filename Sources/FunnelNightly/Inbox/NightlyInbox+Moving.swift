import FunnelIngest
import FunnelModel
import FunnelSystem

extension NightlyInbox {
  /// The folders that processed files are moved to.
  enum Destination: String {
    case done, failed
  }

  /// Moves a processed file to `done` or `failed`. Never replaces a file: if the name is taken, a number is added.
  ///
  /// The modification time of a file moved to `done` is set to `now`, by which ``clearDone(before:)``
  /// determines its age there. A file of another user keeps its earlier time.
  ///
  /// - Returns: The new path relative to the inbox, or `nil` if the file has changed since it was read and
  ///   stays for the next run.
  /// - Throws: `cannotCreate` or `inputOutput` if the file cannot be moved.
  func move(_ arrival: Arrival, to destination: Destination, at now: Timestamp) throws(FunnelError) -> String? {
    let place = root.inside(arrival.name)
    guard try fileSystem.status(of: place) == arrival.status else { return nil }
    let wanted = root.inside("\(destination.rawValue)/\(arrival.name)")
    try fileSystem.createDirectories(wanted.parent)
    // Another nightly run of this store waits for the lock, so no other process takes the name between check and rename.
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

  /// The number of bytes to read at a time.
  private static let readByteCount = 1 << 18

  /// Reads a file to its end. Returns the error, or `nil` if the file is readable.
  func readFailure(of arrival: Arrival) -> FunnelError? {
    do throws(FunnelError) {
      let file = try fileSystem.open(root.inside(arrival.name), for: .read)
      let stream = FileStream(file, fileSystem: fileSystem)
      while try !stream.read(upTo: Self.readByteCount).isEmpty {}
      return nil
    } catch {
      return error
    }
  }

  /// Returns a name with a number before the extension, such as `events.2.ndjson.gz` for `events.ndjson.gz`.
  private static func numbered(_ name: String, _ number: Int) -> String {
    let ending = InputFile.ending(of: name)
    return "\(name.dropLast(ending.count)).\(number)\(ending)"
  }
}
