import ArgumentParser
import FunnelKit
import FunnelModel

/// The options that define the format of input records: `--from`, `--map` and `--source-tz`.
struct ImportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Format of the records: auto, native, segment, rudderstack, amplitude, mixpanel, posthog, ga4, snowplow, cloudevents, json or csv (default: auto, detected from the first records of each input). With retention also: entered (default) or completed, the event from which periods are measured.",
      valueName: "format"),
    completion: .list(["auto"] + ImportFormat.allCases.map(\.rawValue)))
  // An array, because the report `retention` has a `--from` too. Its values are no formats.
  var from: [String] = []

  @Option(
    help: ArgumentHelp(
      "Mapping from another product's records to events, see 'funnel map init', or builtin:NAME, see 'funnel map list' (repeatable).",
      valueName: "file"),
    completion: .file(extensions: ["json"]))
  var map: [String] = []

  @Option(help: ArgumentHelp("Time zone of times that don't name one, such as Europe/Berlin.", valueName: "zone"))
  var sourceTz: String?

  /// The settings that the options define.
  var settings: ImportSettings { ImportSettings(format: from.last, mappingFiles: map, sourceTimeZone: sourceTz) }

  /// The options of a command that has the report `retention`, without the values of `--from` that belong to it.
  var withoutRetentionStart: ImportOptions {
    var options = self
    options.from.removeAll { RetentionQuery.Start(rawValue: $0) != nil }
    return options
  }

  /// The last value of `--from` that belongs to the report `retention`, or `nil` if there is none.
  var retentionStart: RetentionQuery.Start? { from.compactMap { RetentionQuery.Start(rawValue: $0) }.last }

  /// Checks the values of `--from` for the report `retention`. Call it before the values are read as formats, which would
  /// report a mistyped start as an unknown format.
  ///
  /// - Throws: `usage` if a value is neither a format nor a start of the report.
  func checkRetentionStart() throws(FunnelError) {
    let formats = ["auto"] + ImportFormat.allCases.map(\.rawValue)
    for word in withoutRetentionStart.from where !formats.contains(word) {
      let starts = RetentionQuery.Start.allCases.map(\.rawValue).joined(separator: " or ")
      throw FunnelError(
        .usage,
        "unknown value, --from \(word.printable), give \(starts), or a format of records: \(formats.joined(separator: ", "))")
    }
  }
}
