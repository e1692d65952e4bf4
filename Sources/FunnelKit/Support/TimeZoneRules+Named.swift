package import FunnelModel
import FunnelSystem

extension TimeZoneRules {
  /// Returns the rules of a zone of the system's time zone database: `Europe/Berlin`, `UTC`, or an offset such as `+05:30`.
  ///
  /// - Parameter option: The option that names the zone, for errors.
  /// - Throws: `usage` if there is no such zone, `inputOutput` if its file cannot be read.
  package static func named(_ name: String, option: String = "--tz") throws(FunnelError) -> TimeZoneRules {
    if name == "UTC" || name == "Z" { return .utc }
    if let offset = offsetMilliseconds(name) {
      return TimeZoneRules(name: name, transitions: [.init(startMilliseconds: .min, offsetMilliseconds: offset)])
    }
    let database = TimeZoneDatabase(environmentFolder: Environment["TZDIR"])
    if let rules = try database.rules(named: name) { return rules }
    guard database.isPresent else {
      throw FunnelError(
        .usage,
        "this system has no time zone data, \(option) \(name.printable), install the package tzdata, or give an offset like +02:00"
      )
    }
    let hint = NearestName.find(name, in: database.names).map { "did you mean \($0)?" }
    throw FunnelError(
      .usage,
      "no such time zone, \(option) \(name.printable), \(hint ?? "write it like Europe/Berlin, or give an offset like +02:00")")
  }

  /// Returns the offset in milliseconds of a text such as `+05:30`, or `nil` if it is not in this form.
  private static func offsetMilliseconds(_ text: String) -> Int64? {
    let digits = Array(text.utf8)
    guard digits.count == 6, digits[0] == UInt8(ascii: "+") || digits[0] == UInt8(ascii: "-"), digits[3] == UInt8(ascii: ":"),
      let hours = Int64(text.dropFirst().prefix(2)), let minutes = Int64(text.suffix(2)), hours < 24, minutes < 60
    else { return nil }
    return (hours * 60 + minutes) * (digits[0] == UInt8(ascii: "-") ? -60_000 : 60_000)
  }
}
