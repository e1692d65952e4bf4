import ArgumentParser
import FunnelImport
import FunnelModel

extension MapCommand {
  /// The `funnel map show` command: prints a built-in mapping.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print a mapping that ships with the program, to copy and edit.",
      discussion: """
        The mapping is printed as JSON. How to export the table that it reads goes to standard error. A file needs every column that it \
        names, while a built-in mapping leaves out properties whose column is missing.

        EXAMPLE
          funnel map show umami > site.map.json
          funnel report events.csv --map site.map.json --app site

        \(ExitStatus.section(.noInput, special: [.noInput: "no such mapping"]))
        """)

    @Argument(
      help: ArgumentHelp("The mapping, as 'funnel map list' names it.", valueName: "name"),
      completion: .list(BuiltInMapping.all.map(\.name)))
    var name: String

    func run() throws {
      let mapping = try BuiltInMapping.named(name)
      Console.comments(["\(mapping.reference) reads \(mapping.table); an export of it:"] + mapping.export)
      Console.print(mapping.json)
    }
  }
}
