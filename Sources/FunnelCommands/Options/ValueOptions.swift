import ArgumentParser
import FunnelModel
import FunnelNightly

/// An option whose value is one of a few words.
enum ChoiceOption {
  /// Returns the choice that a text names, or `nil` if there is no text. Throws `usage` if the text is not a choice.
  static func choice<Choice: RawRepresentable & CaseIterable>(
    _ text: String?, option: String
  ) throws(FunnelError) -> Choice? where Choice.RawValue == String {
    guard let text else { return nil }
    if let choice = Choice(rawValue: text) { return choice }
    let all = Choice.allCases.map(\.rawValue)
    let hint = NearestName.find(text, in: all).map { "did you mean \($0)?" } ?? "give \(all.joined(separator: ", "))"
    throw FunnelError(.usage, "unknown value, \(option) \(text.printable), \(hint)")
  }
}

/// The `--by` option: a key by whose values a report is segmented.
enum DimensionOption {
  /// Parses a dimension. Throws `usage` if it is not valid for `--by`.
  static func dimension(_ text: String) throws(FunnelError) -> Dimension {
    if let dimension = Dimension(text) {
      guard dimension != .subject else {
        throw FunnelError(
          .usage,
          "subject can be used only in conditions, --by subject, list people with 'funnel groups', or use --where subject=ID")
      }
      return dimension
    }
    throw FunnelError(.usage, "not a key, --by \(text.printable), \(Dimension.advice(insteadOf: text))")
  }
}

/// Parses fractions written as `0.01` or `1%`.
enum RateOption {
  /// Returns the fraction, from 0 to 1. Throws `usage` if the text is not one.
  static func rate(_ text: String, option: String) throws(FunnelError) -> Double {
    let isPercent = text.hasSuffix("%")
    let number = Double(isPercent ? String(text.dropLast()) : text).map { isPercent ? $0 / 100 : $0 }
    guard let number, (0...1).contains(number) else {
      throw FunnelError(.usage, "not a share, \(option) \(text.printable), write it as 0.01 or 1%")
    }
    return number
  }
}

/// The `--days` option: the number of days to write to the database of nightly runs.
enum DatabaseDaysOption {
  /// Throws a validation error if a number of days is out of range.
  static func check(_ count: Int) throws {
    let counts = DatabaseNumbers.dayCounts
    guard counts.contains(count) else {
      throw ValidationError("--days \(count): give \(counts.lowerBound) to \(counts.upperBound)")
    }
  }
}
