import FunnelModel
import FunnelRendering

extension TimeSpan {
  /// The length in words, in the largest unit that divides it: `7 days`, `90 minutes`.
  var words: String {
    let hour = Timestamp.millisecondsPerHour
    let units: [(name: String, length: Int64)] = [
      ("day", Timestamp.millisecondsPerDay), ("hour", hour), ("minute", hour / 60), ("second", hour / 3600),
    ]
    let unit = units.first { milliseconds % $0.length == 0 } ?? (name: "millisecond", length: 1)
    let count = milliseconds / unit.length
    return "\(HumanNumbers.count(Int(count))) \(unit.name)\(count == 1 ? "" : "s")"
  }
}
