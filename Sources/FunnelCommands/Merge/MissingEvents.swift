import FunnelModel
import FunnelReports
import FunnelSystem

/// The events that folds could not read, listed in a file by whoever ran the folds (`merge --missing`).
enum MissingEvents {
  /// Reads a JSON object a line: `{"path":"log/…","offset":0,"events":12,"reason":"…"}`.
  ///
  /// - Returns: nil if the file has no line.
  /// - Throws: `unusableInput` if a line is no such object.
  static func read(_ path: String) throws(FunnelError) -> ReportDamage? {
    let bytes = try LocalFileSystem().readAll(StoragePath(path), bytesMax: Limits.configurationBytesMax)
    var places: [ReportDamage.Place] = []
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
      guard let root = try? JSONDocument(parsing: Array(line)).root, let file = root["path"]?.string,
        let offset = root["offset"]?.integer, offset >= 0, let reason = root["reason"]?.string,
        root["events"]?.integer.map({ (0...Int64(Limits.countMax)).contains($0) }) ?? true
      else {
        throw FunnelError(
          .unusableInput,
          "\(path.printable):\(index + 1), not an object with path, offset, events and reason, or a number is out of range, write it as --help says"
        )
      }
      places.append(
        ReportDamage.Place(path: file, offset: Int(offset), events: root["events"]?.integer.map { Int($0) }, reason: reason))
    }
    return places.isEmpty ? nil : ReportDamage(places: places)
  }

  /// The error that a merge ends with after it printed the report of what could be read.
  static func error(_ damage: ReportDamage) -> FunnelError {
    let first = damage.places[0]
    let more = damage.places.count > 1 ? " and \(Quantity.counted(damage.places.count - 1, "more place"))" : ""
    let events = damage.missingEvents.map { Quantity.counted($0, "event") } ?? "an unknown number of events"
    return FunnelError(
      .inputOutput, "\(first.path.printable)\(more), \(events) missing from the report: \(first.reason.printable)")
  }
}
