import Crypto
import FunnelIngest
package import FunnelModel
import FunnelProjections

/// The binary format of a state file.
///
/// Numbers and values are encoded as in `StateFormat`. Texts and bytes are preceded by their length.
///
///     magic        8 bytes, "fnlstate"
///     version      1 byte
///     checksum     SHA-256 of the body that follows, 32 bytes
///     settings     their number; each as option and value
///     definitions  their number; each as the bytes of its file
///     reports      their number; the name of each
///     parts        their number; each, in order, as since, until and now, and the fingerprint of its events
///     input        lines, bytes, events;
///                  the reasons of rejected lines: their number; each in order with its count;
///                  the names of events: their number; each in order as app, flow, version, name, step and count;
///                  the number of events without a name;
///                  the apps: their number; each in order;
///                  the first and the last time
///     countings    their number; each as the number of its flow versions, and the counts of each (`StateFormat`) as bytes
///
/// A time is an integer or null. All lists have a defined order, so equal counts have equal bytes.
///
/// A state of another version is rejected. States are meant to be merged soon, and the nightly states in a store
/// can be recomputed from the log.
enum StateFile {
  static let magic = Array("fnlstate".utf8)
  static let version: UInt8 = 1
  /// The size of a SHA-256 digest.
  static let checksumByteCount = 32
  /// The number of bytes before the body.
  static var headByteCount: Int { magic.count + 1 + checksumByteCount }
}

extension ReportState {
  /// The state as the bytes of a file.
  package var bytes: [UInt8] {
    var writer = StateWriter()
    writer.append(number: request.settings.count)
    for setting in request.settings {
      writer.append(counted: setting.option.utf8)
      writer.append(counted: setting.value.utf8)
    }
    writer.append(number: request.definitions.count)
    for definition in request.definitions { writer.append(counted: definition) }
    writer.append(number: request.reports.count)
    for report in request.reports { writer.append(counted: report.utf8) }
    writer.append(number: folds.count)
    for fold in folds {
      for time in [fold.period.since, fold.period.until, fold.period.now] { writer.append(time) }
      writer.append(counted: fold.events)
    }
    writer.append(input)
    writer.append(number: counts.count)
    for counting in counts {
      writer.append(number: counting.count)
      for flow in counting { writer.append(counted: flow) }
    }
    return StateFile.magic + [StateFile.version] + Array(SHA256.hash(data: writer.bytes)) + writer.bytes
  }

  /// Decodes a state.
  ///
  /// - Parameter name: The name of the file, for messages.
  /// - Throws: ``FunnelError`` (`unusableInput`) if the bytes are not a state, are damaged, or have another version.
  package init(bytes: [UInt8], name: String) throws(FunnelError) {
    guard bytes.starts(with: StateFile.magic) else {
      throw FunnelError(.unusableInput, "\(name.printable), not a state, make one with 'funnel fold --state FILE'")
    }
    guard bytes.count >= StateFile.headByteCount else {
      throw FunnelError(
        .unusableInput, "\(name.printable), the state is cut off after \(bytes.count) bytes, fold the lines again")
    }
    let version = bytes[StateFile.magic.count]
    guard version == StateFile.version else {
      throw FunnelError(
        .unusableInput,
        "\(name.printable), the state's version is \(version), this funnel reads \(StateFile.version), fold the lines again")
    }
    let body = Array(bytes[StateFile.headByteCount...])
    guard SHA256.hash(data: body).elementsEqual(bytes[(StateFile.magic.count + 1)..<StateFile.headByteCount]) else {
      throw FunnelError(.unusableInput, "\(name.printable), the state is damaged, its checksum differs, fold the lines again")
    }
    do throws(StateDamage) {
      try self.init(body)
    } catch {
      throw FunnelError(
        .unusableInput,
        "\(name.printable), the state can't be read, byte \(StateFile.headByteCount + error.offset): \(error.reason), fold the lines again"
      )
    }
  }

  private init(_ body: [UInt8]) throws(StateDamage) {
    var reader = StateReader(body)
    let settings = try reader.list(bytesMin: 2) { (reader) throws(StateDamage) in
      StateRequest.Setting(option: try reader.text(), value: try reader.text())
    }
    let definitions = try reader.list(bytesMin: 1) { (reader) throws(StateDamage) in try reader.countedBytes() }
    let reports = try reader.list(bytesMin: 1) { (reader) throws(StateDamage) in try reader.text() }
    let folds = try reader.list(bytesMin: 4) { (reader) throws(StateDamage) in
      let since = try reader.time()
      let until = try reader.time()
      guard let now = try reader.time() else { throw reader.damage("a part without its present") }
      return FoldIdentity(period: StatePeriod(since: since, until: until, now: now), events: try reader.countedBytes())
    }
    guard !folds.isEmpty else { throw reader.damage("no part") }
    let input = try reader.input()
    let counts = try reader.list(bytesMin: 1) { (reader) throws(StateDamage) in
      try reader.list(bytesMin: 1) { (reader) throws(StateDamage) in try reader.countedBytes() }
    }
    guard reader.isAtEnd else { throw reader.damage("the state has extra bytes after its end") }
    self.init(
      request: StateRequest(settings: settings, definitions: definitions, reports: reports), folds: folds, input: input,
      counts: counts)
  }
}
