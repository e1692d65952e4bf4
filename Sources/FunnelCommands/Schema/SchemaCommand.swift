import ArgumentParser

/// The `funnel schema` command: groups the subcommands for flow definitions.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "List, show, check and draft flow definitions, and print their events as types.",
    discussion: """
      EXAMPLE
        funnel schema list                      list all flows
        funnel schema show clarity/onboarding   print one definition
        funnel schema check my-flows            find mistakes in definitions
        funnel schema infer logs/               draft a definition from events
        funnel schema generate swift todo/onboarding   print its events as types for an app

      \(ExitStatus.section())
      """,
    subcommands: [List.self, Show.self, Check.self, Infer.self, Generate.self])
}
