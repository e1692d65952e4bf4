import ArgumentParser
import FunnelBindings
import FunnelModel

extension SchemaCommand {
  /// The `funnel schema generate` command: prints the events of a flow as types of a programming language.
  struct Generate: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print a flow's events as types for an app.",
      discussion: """
        swift is an enum for use with the library FunnelEvents, so that a misspelt event does not compile. typescript and \
        kotlin are plain files with the types and a function that returns an event as a JSON object.
        Without a version the newest is used. APP/ can be left out if only one app has the flow.

        EXAMPLE
          funnel schema generate swift cleaner/permissions_flow -o CleanerPermissionsFlow.swift
          funnel schema generate typescript onboarding@2 --schemas my-flows

        \(ExitStatus.section(.cannotCreate, .noInput, .inputOutput, .configuration))
        """)

    @Argument(
      help: ArgumentHelp(
        "The language: \(BindingLanguage.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "language"),
      completion: .list(BindingLanguage.allCases.map(\.rawValue)))
    var language: String

    @Argument(
      help: ArgumentHelp("The flow, optionally with a version (default: the newest).", valueName: "[app/]flow[@version]"),
      completion: Completions.flows)
    var reference: String

    @Option(
      name: [.short, .long],
      help: ArgumentHelp("Write to this file, atomically, instead of standard output (-).", valueName: "file"),
      completion: .file())
    var output: String?

    @Option(
      help: ArgumentHelp(
        "The name of the type (default: from app and flow, such as CleanerPermissionsFlow).", valueName: "name"))
    var typeName: String?

    @OptionGroup var store: StoreOption
    @OptionGroup var schemas: SchemaOption

    func validate() throws {
      if output?.isEmpty == true { throw ValidationError("--output is empty; name a file") }
    }

    func run() throws {
      let language = try chosenLanguage()
      if let typeName, !FlowBindings.isTypeName(typeName) {
        throw FunnelError(
          .usage,
          "\(typeName.quoted) is not a valid name of a type, --type-name, write a capital letter, then letters and digits")
      }
      let file = try NamedFlow.find(reference, in: schemas.catalog(of: store))
      let bindings = FlowBindings(of: file, typeName: typeName)
      let text = bindings.text(
        in: language, generator: "funnel \(FunnelVersion.current)", renewal: renewal(language, file.definition))
      try OutputDestination(output).write(text)
    }

    /// Returns the language that the first argument names.
    private func chosenLanguage() throws(FunnelError) -> BindingLanguage {
      if let known = BindingLanguage(rawValue: language) { return known }
      let names = BindingLanguage.allCases.map(\.rawValue)
      let hint = NearestName.find(language, in: names).map { "did you mean \($0)?" } ?? "give \(names.joined(separator: ", "))"
      throw FunnelError(.usage, "no such language, \(language.printable), \(hint)")
    }

    /// Returns the command that regenerates the text.
    private func renewal(_ language: BindingLanguage, _ flow: FlowDefinition) -> String {
      var words = ["funnel", "schema", "generate", language.rawValue, flow.reference]
      if let typeName { words += ["--type-name", typeName] }
      if let store = store.store { words += ["--store", store] }
      for folder in schemas.schemas { words += ["--schemas", folder] }
      if let output, output != "-" { words += ["--output", output] }
      return words.joined(separator: " ")
    }
  }
}
