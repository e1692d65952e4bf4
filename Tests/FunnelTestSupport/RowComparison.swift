package import FunnelModel
import FunnelProjections
package import FunnelReports

/// A row that can be compared except for the last digits of its rates, which depend on how a formula is written.
package protocol ComparableRow: Equatable {
  /// The row's rates.
  var rates: [Rate?] { get }
  /// The row without its rates.
  var withoutRates: Self { get }
}

extension FunnelRow: ComparableRow {
  package var rates: [Rate?] { [conversion, closed.conversion] }
  package var withoutRates: FunnelRow {
    var row = self
    (row.conversion, row.closed.conversion) = (nil, nil)
    return row
  }
}

extension GrantRow: ComparableRow {
  package var rates: [Rate?] { [grantRate, accessRate, dialogGrantRate, closed.grantRate] }
  package var withoutRates: GrantRow {
    var row = self
    (row.grantRate, row.accessRate, row.dialogGrantRate, row.closed.grantRate) = (nil, nil, nil, nil)
    return row
  }
}

extension DropoffRow: ComparableRow {
  package var rates: [Rate?] { [] }
  package var withoutRates: DropoffRow { self }
}

/// Returns whether rows are equal, with rates that differ by less than 1e-12.
package func areSame<Row: ComparableRow>(_ left: [Row], _ right: [Row]) -> Bool {
  left.map(\.withoutRates) == right.map(\.withoutRates)
    && zip(left.flatMap(\.rates), right.flatMap(\.rates)).allSatisfy { areSame($0, $1) }
}

private func areSame(_ left: Rate?, _ right: Rate?) -> Bool {
  guard let left, let right else { return left == nil && right == nil }
  return left.denominator == right.denominator
    && zip([left.value, left.low, left.high], [right.value, right.low, right.high]).allSatisfy { abs($0 - $1) < 1e-12 }
}
