import ArgumentParser
import FunnelModel
import FunnelSchemas

/// `funnel schema`: what the tool knows of flows, and whether a definition is sound.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "List, show and check flow definitions.",
    discussion: """
      EXAMPLE
        funnel schema list                      every flow the tool knows
        funnel schema show clarity/onboarding   one definition, as it is
        funnel schema check my-flows            every mistake, with its place
      """,
    subcommands: [List.self, Show.self, Check.self])
}

/// Where definitions come from besides the built-in ones.
struct SchemaOptions: ParsableArguments {
  @Option(
    name: .customLong("schemas"),
    help: ArgumentHelp("Add the flow definitions of a directory, or replace built-in ones; repeatable.", valueName: "dir"),
    completion: .directory)
  var directories: [String] = []

  /// The built-in definitions, and over them those of the directories.
  func catalog() throws -> FlowCatalog {
    try FlowCatalog.loading(directories: directories)
  }
}
