import ArgumentParser
import FunnelModel

extension SchemaCommand {
  /// The `funnel schema show` command: prints the definition of one flow version, byte for byte.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print a flow definition exactly as in its file.",
      discussion: """
        Without a version the newest is printed. If it is not built in, its file is named on standard error.

        EXAMPLE
          funnel schema show cleaner/permissions_flow
          funnel schema show smilepile/onboarding@1 > my-flows/smilepile.onboarding.v1.json

        \(ExitStatus.section(.noInput, .inputOutput, .configuration))
        """)

    @Argument(
      help: ArgumentHelp("The flow, optionally with a version (default: the newest).", valueName: "app/flow[@version]"),
      completion: Completions.flows)
    var reference: String

    @OptionGroup var store: StoreOption
    @OptionGroup var schemas: SchemaOption

    func run() throws {
      let file = try NamedFlow.find(reference, in: schemas.catalog(of: store))
      if !file.isBuiltIn {
        Console.note(
          "funnel: \(file.definition.reference) comes from \(file.isOfStore ? "the store" : "a file"), \(file.name.printable)")
      }
      let bytes = file.bytes
      Console.write(bytes.last == UInt8(ascii: "\n") ? bytes : bytes + [UInt8(ascii: "\n")])
    }
  }
}
