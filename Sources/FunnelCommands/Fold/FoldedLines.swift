import ArgumentParser
import FunnelDecoding
import FunnelKit
import FunnelModel
import FunnelSchemas

/// The options that define how `funnel shard` and `funnel fold` decode their input lines.
struct FoldedLines: ParsableArguments {
  @OptionGroup var imports: ImportOptions

  @Option(
    help: ArgumentHelp("App of events that don't name one, and of --steps.", valueName: "app"), completion: Completions.apps)
  var app: String?

  @Flag(help: "The lines are records of a store's log: they were checked when they were ingested and are not checked again.")
  var stored = false

  func validate() throws {
    if stored, let option = imports.withoutRetentionStart.settings.firstOption {
      throw ValidationError("--stored with \(option): records of a log are in funnel's own format; leave one of them out")
    }
  }

  /// Returns the options for decoding the lines.
  func decoding(now: Timestamp) throws(FunnelError) -> DecodingOptions {
    guard !stored else {
      var options = StoredEvents.options
      options.imports = ImportPlans(format: .native, mappings: [], sourceZone: nil)
      return options
    }
    var options = DecodingOptions(now: now, privacy: BuiltInSchemas.privacy, defaultApp: try AppName.checked(app))
    options.imports = try imports.withoutRetentionStart.settings.plans()
    return options
  }
}
