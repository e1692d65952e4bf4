import ArgumentParser
import FunnelImport
import FunnelModel

extension MapCommand {
  /// The `funnel map list` command: prints one line for each built-in mapping.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the mappings that ship with the program.",
      discussion: """
        Each is for one table of one product. Use it with --map builtin:NAME. 'funnel map show NAME' prints it, and how to export the \
        table.

        EXAMPLE
          funnel map list
          funnel map list --format json | jq -r '.mappings[].name'

        \(ExitStatus.section())
        """)

    /// The format of the list.
    enum Format: String, CaseIterable, ExpressibleByArgument {
      case table, json
    }

    @Option(help: "table or json (default: table).")
    var format: Format = .table

    func run() throws {
      switch format {
      case .table: Console.print(Self.table)
      case .json: Console.write(Self.json)
      }
    }

    private static var table: String {
      var table = TextTable(["NAME", "TABLE", "FOR"])
      for mapping in BuiltInMapping.all { table.add([mapping.name, mapping.table, mapping.summary]) }
      return table.text
    }

    private static var json: [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(text: "{\"mappings\":[")
      for (index, mapping) in BuiltInMapping.all.enumerated() {
        bytes.append(text: index == 0 ? "\n  {\"name\":" : ",\n  {\"name\":")
        bytes.appendJSONString(mapping.name)
        bytes.append(text: ",\"table\":")
        bytes.appendJSONString(mapping.table)
        bytes.append(text: ",\"summary\":")
        bytes.appendJSONString(mapping.summary)
        bytes.append(text: "}")
      }
      bytes.append(text: "\n]}\n")
      return bytes
    }
  }
}
