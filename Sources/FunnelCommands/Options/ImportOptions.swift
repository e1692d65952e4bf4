import ArgumentParser
import FunnelKit
import FunnelModel

/// The options that define the format of input records: `--from`, `--map` and `--source-tz`.
struct ImportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Format of the records: auto, native, segment, rudderstack, amplitude, mixpanel, posthog, ga4, snowplow, cloudevents, json or csv (default: auto, detected from the first records of each input).",
      valueName: "format"),
    completion: .list(["auto"] + ImportFormat.allCases.map(\.rawValue)))
  var from: String?

  @Option(
    help: ArgumentHelp(
      "Mapping from another product's records to events, see 'funnel map init', or builtin:NAME, see 'funnel map list' (repeatable).",
      valueName: "file"),
    completion: .file(extensions: ["json"]))
  var map: [String] = []

  @Option(help: ArgumentHelp("Time zone of times that don't name one, such as Europe/Berlin.", valueName: "zone"))
  var sourceTz: String?

  /// The settings that the options define.
  var settings: ImportSettings { ImportSettings(format: from, mappingFiles: map, sourceTimeZone: sourceTz) }
}
