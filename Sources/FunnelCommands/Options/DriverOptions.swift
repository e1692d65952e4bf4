import ArgumentParser
import FunnelModel
import FunnelReports

/// The options of the report `drivers`: the share, the keys, and the conditions that are tested.
struct DriverOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "With drivers: the share, conversion, reached:STEP or grant_rate:PERMISSION (default: conversion).", valueName: "share"))
  var of: String?

  @Option(
    help: ArgumentHelp(
      "With drivers: the keys to look at, separated by commas, such as ctx.app_version,hour,weekday (default: all of ctx and props with 2 to 50 values).",
      valueName: "keys"))
  var keys: [String] = []

  @Option(help: ArgumentHelp("With drivers: 1 for single conditions, 2 for pairs too (default: 2).", valueName: "number"))
  var depth: Int?

  @Option(
    help: ArgumentHelp(
      "With drivers: the least number of people inside and outside of a condition (default: 30).", valueName: "number"))
  var minGroups: Int?

  /// Adds the options to a query.
  ///
  /// - Parameter flows: The flow versions that may be reported on.
  /// - Throws: `usage` if an option is not valid, or given for another report.
  func apply(to query: inout ReportQuery, for selection: ReportSelection) throws(FunnelError) {
    guard selection.isOfDrivers else {
      if let option = firstOption {
        throw FunnelError(.usage, "\(option) is only for drivers, \(option), write: funnel report drivers \(option) …")
      }
      return
    }
    var search = DriverSearch()
    if let of {
      guard let share = DriverSearch.Share(of) else {
        throw FunnelError(
          .usage, "not a share, --of \(of.printable), give conversion, reached:STEP or grant_rate:PERMISSION")
      }
      search.share = share
    }
    if !keys.isEmpty { search.keys = .named(try dimensions()) }
    if let depth {
      guard DriverSearch.depths.contains(depth) else {
        throw FunnelError(.usage, "not a depth, --depth \(depth), give 1 or 2")
      }
      search.depth = depth
    }
    if let minGroups {
      guard minGroups >= 1 else {
        throw FunnelError(.usage, "not a number of groups, --min-groups \(minGroups), give 1 or more")
      }
      search.groupsMin = minGroups
    }
    query.drivers = search
  }

  /// The first option that is given, or `nil` if none is.
  private var firstOption: String? {
    if of != nil { return "--of" }
    if !keys.isEmpty { return "--keys" }
    if depth != nil { return "--depth" }
    return minGroups == nil ? nil : "--min-groups"
  }

  /// Returns the keys without duplicates.
  private func dimensions() throws(FunnelError) -> [Dimension] {
    var found: [Dimension] = []
    for text in keys.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }).map(String.init) {
      guard let dimension = Dimension(text), dimension.isDriverKey else {
        throw FunnelError(
          .usage, "not a key of drivers, --keys \(text.printable), give ctx.KEY, props.KEY, hour or weekday")
      }
      if !found.contains(dimension) { found.append(dimension) }
    }
    guard found.count <= Limits.driverKeysMax else {
      throw FunnelError(
        .usage, "too many keys, --keys, \(found.count) of at most \(Limits.driverKeysMax), leave some out")
    }
    return found
  }
}

extension ReportSelection {
  /// Whether the selection is the report `drivers` alone.
  var isOfDrivers: Bool { names == [DriversReport.name] }
}
