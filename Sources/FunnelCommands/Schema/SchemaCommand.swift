import ArgumentParser

/// The `funnel schema` command, which lists, shows and checks flow definitions and prints types of their events.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "List, show, check and draft flow definitions, and print their events as types.",
    discussion: """
      EXAMPLE
        funnel schema list                      every flow the tool knows
        funnel schema show clarity/onboarding   one definition, as it is
        funnel schema check my-flows            every mistake, with its place
        funnel schema infer logs/               a definition drafted from events
        funnel schema generate swift todo/onboarding   its events as types for an app

      \(ExitStatus.section())
      """,
    subcommands: [List.self, Show.self, Check.self, Infer.self, Generate.self])
}
