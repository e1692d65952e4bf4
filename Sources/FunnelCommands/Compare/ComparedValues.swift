import FunnelKit
import FunnelModel
import FunnelReports

/// The observed values of the key given with `--by`, from which the sides of a comparison are chosen.
struct ComparedValues {
  private let key: Dimension
  private let sizes: SegmentSizes
  private let attribution: Attribution

  /// - Parameters:
  ///   - key: The key that the sides differ in.
  ///   - sizes: The number of groups for each value.
  ///   - attribution: The event from which a group takes its value.
  init(key: Dimension, _ sizes: SegmentSizes, attribution: Attribution) {
    self.key = key
    self.sizes = sizes
    self.attribution = attribution
  }

  /// Returns the sides that the user named.
  ///
  /// - Throws: `usage` if no group has one of the values.
  func named(_ items: [ConditionItem]) throws(FunnelError) -> [Report.ValueSide] {
    let sides = items.map { sizes.side(of: $0) }
    let found = sides.compactMap { $0 }
    guard found.count < sides.count else { return found }
    let missing = zip(items, sides).filter { $0.1 == nil }.map(\.0)
    let what = missing.map { $0.text.isEmpty ? "an absent \(key)" : "\(key)=\($0.text)" }.joined(separator: " or ")
    throw FunnelError(
      .usage, "nobody has \(what), --sides \(ConditionItem.text(of: items)), \(advice(insteadOf: missing))".printable)
  }

  /// Returns a suggestion for missing values: the nearest existing ones, or a list of all.
  private func advice(insteadOf missing: [ConditionItem]) -> String {
    let values = sizes.mostFrequentFirst.map(\.value.description)
    let nearest = missing.filter { !$0.text.isEmpty }.compactMap { item in
      values.first { $0.lowercased() == item.text.lowercased() } ?? NearestName.find(item.text, in: values)
    }
    if nearest.count == missing.count { return "did you mean \(nearest.joined(separator: " and "))?" }
    return values.isEmpty ? "nobody has any value of it" : "there are \(list)"
  }

  /// Returns a side for each value, in ascending order of the values.
  ///
  /// - Throws: `usage` if there are fewer than two values or more than ``ComparisonLimits/sidesMax``.
  func all() throws(FunnelError) -> [Report.ValueSide] {
    let sides = sizes.sides
    if (2...ComparisonLimits.sidesMax).contains(sides.count) { return sides }
    let without = sizes.groupsWithout == 0 ? "" : "; \(Quantity.count(sizes.groupsWithout)) without it"
    let message =
      switch sides.count {
      case 0 where sizes.groupsWithout == 0: "nobody began in the period, --by \(key), choose another one"
      case 0: "nobody has a value, --by \(key), \(remedy)\(without)"
      case 1: "only one value, --by \(key), \(list)\(without), compare by a key with two"
      default:
        "\(Quantity.count(sides.count)) values, --by \(key), \(list)\(without), name 2 to \(ComparisonLimits.sidesMax) of them with --sides \(example)"
      }
    throw FunnelError(.usage, message.printable)
  }

  /// The advice for the error that no group has a value.
  private var remedy: String {
    key.stored == key && attribution == .anchor
      ? "it counts at the first step, write --attribution known or --by step.ID.\(key) if it comes later"
      : "compare by another key"
  }

  /// The largest number of values that an error lists.
  private static let valuesShownMax = 10

  /// The values with their group counts, most frequent first.
  private var list: String {
    let shown = sizes.mostFrequentFirst.prefix(Self.valuesShownMax).map {
      "\($0.value.description) (\(Quantity.count($0.groups)))"
    }
    let more = sizes.values.count - shown.count
    return shown.joined(separator: ", ") + (more > 0 ? " and \(Quantity.count(more)) more" : "")
  }

  /// The two most frequent values, in the syntax of `--sides`.
  private var example: String {
    let items = sizes.mostFrequentFirst.prefix(2).map(\.value).sorted().map { ConditionItem($0.description) }
    return CommandHint.quoted(ConditionItem.text(of: items))
  }
}
