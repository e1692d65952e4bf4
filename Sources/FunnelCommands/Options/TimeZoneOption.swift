import Foundation
import FunnelModel

/// Turns the name of a time zone into plain data, with the system's own rules.
enum TimeZoneOption {
  /// The rules of a zone: `Europe/Berlin`, `UTC`, or an offset such as `+05:30`.
  ///
  /// - Throws: a usage error where there is no such zone.
  static func rules(named name: String) throws(FunnelError) -> TimeZoneRules {
    if name == "UTC" || name == "Z" { return .utc }
    if let offset = offsetMilliseconds(name) {
      return TimeZoneRules(name: name, transitions: [.init(startMilliseconds: .min, offsetMilliseconds: offset)])
    }
    guard name.contains("/") || TimeZone.knownTimeZoneIdentifiers.contains(name), let zone = TimeZone(identifier: name) else {
      let hint = NearestName.find(name, in: TimeZone.knownTimeZoneIdentifiers).map { "did you mean \($0)?" }
      throw FunnelError(
        .usage, "no such time zone, --tz \(name.printable), \(hint ?? "name it like Europe/Berlin, or give an offset like +02:00")")
    }
    return TimeZoneRules(name: name, transitions: transitions(of: zone))
  }

  /// Every change of offset from the first day an event can have to well after now.
  private static func transitions(of zone: TimeZone) -> [TimeZoneRules.Transition] {
    var moment = Date(timeIntervalSince1970: Double(Limits.timestampMillisecondsMin) / 1000 - 86_400)
    let end = Date(timeIntervalSinceNow: 11 * 366 * 86_400)
    var result = [TimeZoneRules.Transition(startMilliseconds: .min, offsetMilliseconds: offset(of: zone, at: moment))]
    while let next = zone.nextDaylightSavingTimeTransition(after: moment), next < end, next > moment {
      result.append(
        .init(
          startMilliseconds: Int64((next.timeIntervalSince1970 * 1000).rounded()), offsetMilliseconds: offset(of: zone, at: next)))
      moment = next
    }
    return result
  }

  private static func offset(of zone: TimeZone, at moment: Date) -> Int64 {
    Int64(zone.secondsFromGMT(for: moment)) * 1000
  }

  private static func offsetMilliseconds(_ text: String) -> Int64? {
    let digits = Array(text.utf8)
    guard digits.count == 6, digits[0] == UInt8(ascii: "+") || digits[0] == UInt8(ascii: "-"), digits[3] == UInt8(ascii: ":"),
      let hours = Int64(text.dropFirst().prefix(2)), let minutes = Int64(text.suffix(2)), hours < 24, minutes < 60
    else { return nil }
    return (hours * 60 + minutes) * (digits[0] == UInt8(ascii: "-") ? -60_000 : 60_000)
  }
}
