import FunnelModel
import FunnelReports
import FunnelSystem

/// The list of events that folds could not read, which the user passes to `funnel merge --missing`.
enum MissingEvents {
  /// Reads a list with one JSON object per line: `{"path":"log/…","offset":0,"events":12,"reason":"…"}`.
  ///
  /// - Returns: The damage, or `nil` if the file is empty.
  /// - Throws: `unusableInput` if a line is not such an object, or an error of reading the file.
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

  /// Returns the error to throw after the incomplete report has been printed.
  static func error(_ damage: ReportDamage) -> FunnelError {
    precondition(!damage.places.isEmpty, "a damage has at least one place")
    let first = damage.places[0]
    let more = damage.places.count > 1 ? " and \(Quantity.counted(damage.places.count - 1, "more place"))" : ""
    let events = damage.missingEvents.map { Quantity.counted($0, "event") } ?? "an unknown number of events"
    return FunnelError(
      .inputOutput, "\(first.path.printable)\(more), \(events) missing from the report: \(first.reason.printable)")
  }
}
