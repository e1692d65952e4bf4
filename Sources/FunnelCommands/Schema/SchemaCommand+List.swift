import ArgumentParser
import FunnelModel

extension SchemaCommand {
  /// The `funnel schema list` command: prints one line for each flow version.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the flow definitions in use.",
      discussion: """
        Lists the built-in definitions, those kept in the store ('funnel ingest --schemas'), and those of $FUNNEL_SCHEMAS and --schemas. \
        A later one replaces an earlier one of the same app, flow and version. The last column says where each comes from.

        EXAMPLE
          funnel schema list --schemas my-flows
          funnel schema list --store funnel-store
          funnel schema list --format json | jq -r '.flows[].flow'

        \(ExitStatus.section(.noInput, .inputOutput, .configuration))
        """)

    /// The format of the list.
    enum Format: String, CaseIterable, ExpressibleByArgument {
      case table, json
    }

    @OptionGroup var store: StoreOption
    @OptionGroup var schemas: SchemaOption

    @Option(help: "table or json (default: table).")
    var format: Format = .table

    func run() throws {
      let files = try schemas.catalog(of: store).files
      switch format {
      case .table: Console.print(Self.table(of: files))
      case .json: Console.write(Self.json(of: files))
      }
    }

    private static func table(of files: [FlowFile]) -> String {
      var table = TextTable(["APP", "FLOW", "VERSION", "TITLE", "STEPS", "PERMISSIONS", "WINDOW", "COUNT BY", "SOURCE"])
      for file in files {
        let flow = file.definition
        let permissions = flow.permissions.map(\.name).joined(separator: ", ")
        table.add([
          flow.app, flow.flow, String(flow.version), flow.title, stepCount(of: flow), permissions.isEmpty ? "-" : permissions,
          flow.window.description, flow.countBy.rawValue, source(of: file),
        ])
      }
      return table.text
    }

    /// Returns the number of steps as text: `6`, or `6 (2 optional)`.
    private static func stepCount(of flow: FlowDefinition) -> String {
      let optional = flow.steps.count - flow.requiredSteps.count
      return optional == 0 ? "\(flow.steps.count)" : "\(flow.steps.count) (\(optional) optional)"
    }

    /// Returns the origin of a definition.
    private static func source(of file: FlowFile) -> String {
      switch file.origin {
      case .builtIn: "built-in"
      case .store: "store \(file.name)"
      case .user: file.name
      }
    }

    private static func json(of files: [FlowFile]) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(text: "{\"flows\":[")
      for (index, file) in files.enumerated() {
        bytes.append(text: index == 0 ? "\n  " : ",\n  ")
        append(file, to: &bytes)
      }
      bytes.append(text: "\n]}\n")
      return bytes
    }

    /// Appends a definition as a JSON object.
    private static func append(_ file: FlowFile, to bytes: inout [UInt8]) {
      let flow = file.definition
      bytes.append(text: "{\"app\":")
      bytes.appendJSONString(flow.app)
      bytes.append(text: ",\"flow\":")
      bytes.appendJSONString(flow.flow)
      bytes.append(text: ",\"version\":\(flow.version),\"title\":")
      bytes.appendJSONString(flow.title)
      bytes.append(text: ",\"steps\":")
      append(flow.steps.map(\.id), to: &bytes)
      bytes.append(text: ",\"required_steps\":")
      append(flow.requiredSteps.map { flow.steps[$0].id }, to: &bytes)
      bytes.append(text: ",\"permissions\":")
      append(flow.permissions.map(\.name), to: &bytes)
      bytes.append(text: ",\"window_ms\":\(flow.window.milliseconds),\"count_by\":\"\(flow.countBy.rawValue)\",\"source\":")
      bytes.appendJSONString(file.origin == .builtIn ? "built-in" : file.name)
      let origin =
        switch file.origin {
        case .builtIn: "built_in"
        case .store: "store"
        case .user: "folder"
        }
      bytes.append(text: ",\"origin\":\"\(origin)\"}")
    }

    /// Appends a JSON array of strings.
    private static func append(_ names: [String], to bytes: inout [UInt8]) {
      bytes.append(text: "[")
      for (index, name) in names.enumerated() {
        if index > 0 { bytes.append(text: ",") }
        bytes.appendJSONString(name)
      }
      bytes.append(text: "]")
    }
  }
}
