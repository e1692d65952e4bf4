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
      if file.origin != .builtIn {
        Console.note(
          "funnel: \(file.definition.reference) comes from \(file.origin == .store ? "the store" : "a file"), \(file.name.printable)"
        )
      }
      let bytes = file.bytes
      Console.write(bytes.last == UInt8(ascii: "\n") ? bytes : bytes + [UInt8(ascii: "\n")])
    }
  }
}

/// Finds the flow definition that a command line names.
enum NamedFlow {
  /// Returns the definition of `APP/FLOW` or `APP/FLOW@VERSION`. `APP/` may be omitted if only one app has the flow.
  ///
  /// - Throws: `usage` if there is no such flow, or if it is ambiguous.
  static func find(_ text: String, in catalog: FlowCatalog) throws(FunnelError) -> FlowFile {
    guard let wanted = try reference(text, catalog) else {
      throw FunnelError(.usage, "\(text.quoted) does not name a flow, write APP/FLOW or APP/FLOW@VERSION")
    }
    guard let index = catalog.index(app: wanted.app, flow: wanted.flow, version: wanted.version) else {
      let nearest = catalog.nearestReference(to: wanted).map { "did you mean \($0)? 'funnel schema list' has them all" }
      throw FunnelError(.usage, "there is no flow \(wanted), \(nearest ?? "'funnel schema list' has them all")")
    }
    return catalog.files[index]
  }

  /// Returns the reference with its app, or `nil` if the text is not a reference.
  private static func reference(_ text: String, _ catalog: FlowCatalog) throws(FunnelError) -> FlowReference? {
    if let full = FlowReference(text) { return full }
    guard !text.contains("/"), let short = FlowReference("x/\(text)") else { return nil }
    let apps = Set(catalog.definitions.filter { $0.flow == short.flow }.map(\.app)).sorted()
    guard apps.count <= 1 else {
      let names = apps.map { "\($0)/\(text)" }.joined(separator: ", ")
      throw FunnelError(.usage, "several apps have a flow \(short.flow), \(text.printable), write one of \(names)")
    }
    guard let app = apps.first else {
      guard let nearest = NearestName.find(short.flow, in: Set(catalog.suggestions.map(\.flow)).sorted()) else { return nil }
      throw FunnelError(.usage, "there is no flow \(short.flow), did you mean \(nearest)? 'funnel schema list' has them all")
    }
    return FlowReference(app: app, flow: short.flow, version: short.version)
  }
}
