package import FunnelModel
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  package import Darwin
#endif

/// The criteria by which a nightly run skips files of the inbox that may be incomplete.
///
/// An uploader should write to `NAME.part` and rename the complete file. The criteria are for those that write
/// under the final name. A file is left for the next run if
///
/// - it was modified less than ``CompletenessCriteria/span`` ago, or its size grows between two checks;
/// - it was modified less than an hour ago and its end is missing: the last line has no line feed, or the gzip
///   or zip data is truncated. A complete JSON array needs no line feed. After an hour the writer is assumed to
///   have stopped, and the file is ingested as it is.
///
/// Ages are relative to the machine's clock, not to `--now`.
package struct CompletenessCriteria {
  /// The time for which a file must have been unchanged. Zero accepts files immediately.
  let span: TimeSpan
  /// The current time of the machine's clock.
  let clock: Timestamp

  /// The default of `--settle`.
  package static let spanDefault = "60s"
  /// The age below which a file without its end is considered unfinished: one hour.
  static let unfinishedAgeMax = TimeSpan(milliseconds: 3_600_000)
  /// The longest time between the two checks of a file's size.
  static let secondCheckPauseMax = TimeSpan(milliseconds: 250)

  /// Parses the value of `--settle`: a time span, or 0.
  package init(_ text: String, clock: Timestamp) throws(FunnelError) {
    guard let span = text == "0" ? TimeSpan(milliseconds: 0) : TimeSpan(text) else {
      throw FunnelError(
        .usage, "not a time span, --settle \(text.printable), write it as 60s or 5m; 0 reads all files at once")
    }
    self.span = span
    self.clock = clock
  }

  /// Whether a modification time differs from the clock by less than a time span.
  func isYounger(_ modified: Timestamp, than age: TimeSpan) -> Bool {
    // A time slightly in the future counts as recent: the writer's clock may be ahead. Later ones are not trusted.
    abs(clock.milliseconds - modified.milliseconds) < age.milliseconds
  }
}

extension NightlyInbox {
  /// Moves the files that may be incomplete from the arrivals to those left in the inbox.
  func leaveIncomplete(_ contents: inout Contents, _ criteria: CompletenessCriteria) throws(FunnelError) {
    var candidates: [Arrival] = []
    for arrival in contents.arrivals {
      if let reason = try reasonToWait(arrival, criteria) {
        contents.left.add(arrival.name, reason)
      } else {
        candidates.append(arrival)
      }
    }
    contents.arrivals = []
    let pause = min(criteria.span, CompletenessCriteria.secondCheckPauseMax)
    if !candidates.isEmpty, pause.milliseconds > 0 { usleep(UInt32(pause.milliseconds * 1000)) }
    for arrival in candidates {
      if try fileSystem.status(of: root.inside(arrival.name))?.size == arrival.status.size {
        contents.arrivals.append(arrival)
      } else {
        contents.left.add(arrival.name, .growing)
      }
    }
  }

  /// Returns the reason why a file must wait for the next run, or `nil` if there is none. Does not check
  /// whether it grows.
  func reasonToWait(_ arrival: Arrival, _ criteria: CompletenessCriteria) throws(FunnelError) -> NightlyLeftFiles.Reason? {
    guard let modified = try fileSystem.modified(root.inside(arrival.name)) else { return nil }
    if criteria.isYounger(modified, than: criteria.span) { return .young(criteria.span) }
    guard criteria.isYounger(modified, than: CompletenessCriteria.unfinishedAgeMax) else { return nil }
    return try isUnfinished(arrival) ? .unfinished : nil
  }

  /// The number of bytes read at the start and at the end of a file to check whether it is complete.
  private static let edgeBytesMax = 4096

  /// Whether the end of a file is missing.
  private func isUnfinished(_ arrival: Arrival) throws(FunnelError) -> Bool {
    let file = try fileSystem.open(root.inside(arrival.name), for: .read)
    let size = try fileSystem.size(of: file)
    let beginning = try fileSystem.read(file, at: 0, count: min(size, Self.edgeBytesMax))
    if ZipArchive.isZip(beginning) { return try !ZipArchive.hasEnd(file, fileSystem: fileSystem) }
    if Inflater.isGzip(beginning) { return try isCutGzip(file) }
    let count = min(size, Self.edgeBytesMax)
    let end = try fileSystem.read(file, at: size - count, count: count)
    guard let last = end.last, last != UInt8(ascii: "\n") else { return false }
    let isArray = beginning.first { !Self.isBlank($0) } == UInt8(ascii: "[")
    return !(isArray && end.last { !Self.isBlank($0) } == UInt8(ascii: "]"))
  }

  /// The number of inflated bytes to read at a time.
  private static let bufferByteCount = 1 << 20

  /// Whether a gzip file ends inside a member. Inflates the whole file, because a member does not record its length.
  private func isCutGzip(_ file: File) throws(FunnelError) -> Bool {
    let reader = DecodedReader(file, fileSystem: fileSystem)
    while try !reader.read(upTo: Self.bufferByteCount).isEmpty {}
    return reader.damage?.kind == .truncated
  }

  /// Whether a byte is JSON white space or part of a UTF-8 byte order mark.
  private static func isBlank(_ byte: UInt8) -> Bool {
    [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains(byte)
  }
}
