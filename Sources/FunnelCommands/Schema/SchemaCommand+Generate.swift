import ArgumentParser
import FunnelBindings
import FunnelModel
import FunnelSystem

extension SchemaCommand {
  /// The `funnel schema generate` command: prints the events of a flow as types of a programming language.
  struct Generate: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print a flow's events as types for an app.",
      discussion: """
        swift is an enum for use with the library FunnelEvents, so that a misspelt event does not compile. typescript and \
        kotlin are plain files with the types and a function that returns an event as a JSON object.
        Without a version the newest is used. APP/ can be left out if only one app has the flow.

        With --lock the file, its flow and its version are kept in a list. Given the list alone, the command generates all its files \
        again. With --check it writes nothing: it exits with 1 if a file is not what would be generated. The version of funnel in \
        the first line is not compared.

        EXAMPLE
          funnel schema generate swift cleaner/permissions_flow -o CleanerPermissionsFlow.swift
          funnel schema generate typescript onboarding@2 --schemas my-flows -o src/onboarding.ts --lock funnel.lock.json
          funnel schema generate --check --lock funnel.lock.json

        \(ExitStatus.section(
          .cannotCreate, .noInput, .inputOutput, .configuration, threshold: "with --check: a file is not what would be generated"))
        """)

    @Argument(
      help: ArgumentHelp(
        "The language: \(BindingLanguage.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "language"),
      completion: .list(BindingLanguage.allCases.map(\.rawValue)))
    var language: String?

    @Argument(
      help: ArgumentHelp("The flow, optionally with a version (default: the newest).", valueName: "[app/]flow[@version]"),
      completion: Completions.flows)
    var reference: String?

    @Option(
      name: [.short, .long],
      help: ArgumentHelp("Write to this file, atomically, instead of standard output (-).", valueName: "file"),
      completion: .file())
    var output: String?

    @Option(
      help: ArgumentHelp(
        "The name of the type (default: from app and flow, such as CleanerPermissionsFlow).", valueName: "name"))
    var typeName: String?

    @Option(
      help: ArgumentHelp(
        "The list of generated files, to which this one is added; alone: generate all of them.", valueName: "file"),
      completion: .file(extensions: ["json"]))
    var lock: String?

    @Flag(help: "Write nothing; exit with 1 if a file is not what would be generated.")
    var check = false

    @OptionGroup var store: StoreOption
    @OptionGroup var schemas: SchemaOption

    func validate() throws {
      if output?.isEmpty == true { throw ValidationError("--output is empty; name a file") }
      if lock?.isEmpty == true { throw ValidationError("--lock is empty; name a file") }
      guard language != nil else {
        guard lock != nil else { throw ValidationError("no language and no flow; write: funnel schema generate swift FLOW") }
        if output != nil || typeName != nil || !schemas.schemas.isEmpty {
          throw ValidationError(
            "--output, --type-name and --schemas are kept in the list of --lock; leave them out, or give a language and a flow")
        }
        return
      }
      if reference == nil { throw ValidationError("no flow; write: funnel schema generate LANGUAGE FLOW") }
      if check || lock != nil, output == nil || output == "-" {
        throw ValidationError("\(check ? "--check" : "--lock") needs the generated file; name it with --output")
      }
    }

    func run() throws {
      guard let language, let reference else { return try runLocked() }
      let known = try Self.language(named: language)
      if let typeName, !FlowBindings.isTypeName(typeName) {
        throw FunnelError(
          .usage,
          "\(typeName.quoted) is not a valid name of a type, --type-name, write a capital letter, then letters and digits")
      }
      let file = try NamedFlow.find(reference, in: schemas.catalog(of: store))
      let flow = file.definition.reference
      let text = Self.text(
        of: file, known, typeName,
        renewal: Self.renewal(
          known, flow, typeName: typeName, store: store.store, schemas: schemas.schemas, output: output))
      guard let path = output, path != "-" else { return try OutputDestination(output).write(text) }
      if check { return try Self.report([(path, text)], lock: nil) }
      try OutputDestination(path).write(text)
      guard let lock else { return }
      var list = try Self.list(lock) ?? BindingLock()
      list.set(
        BindingLock.Entry(output: path, language: known, flow: flow, typeName: typeName, schemas: schemas.schemas))
      try OutputDestination.file(path: lock).write(list.text)
    }

    /// Generates or checks all files of the list.
    private func runLocked() throws {
      guard let lock else { preconditionFailure("without a flow there is a list") }
      guard let list = try Self.list(lock) else {
        throw FunnelError(.noInput, "no such file, \(lock.printable), name the list that --lock has written")
      }
      let texts = try list.entries.map { entry in
        var ofEntry = schemas
        ofEntry.schemas = entry.schemas ?? []
        let file = try NamedFlow.find(entry.flow, in: ofEntry.catalog(of: store))
        let renewal = Self.renewal(
          entry.language, entry.flow, typeName: entry.typeName, store: store.store, schemas: entry.schemas ?? [],
          output: entry.output)
        return (path: entry.output, text: Self.text(of: file, entry.language, entry.typeName, renewal: renewal))
      }
      if check { return try Self.report(texts, lock: lock) }
      for (path, text) in texts { try OutputDestination.file(path: path).write(text) }
    }

    /// Names the files that are not what would be generated.
    ///
    /// - Throws: Exit code 1 if there are any.
    private static func report(_ texts: [(path: String, text: String)], lock: String?) throws {
      var isStale = false
      for (path, text) in texts {
        let found = try contents(of: path)
        guard found.map(withoutVersion) != withoutVersion(text) else { continue }
        isStale = true
        let solution = lock.map { "run: funnel schema generate --lock \($0)" } ?? "run the command in its first lines"
        Console.printError("\(found == nil ? "not generated yet" : "not what would be generated"), \(path), \(solution)")
      }
      if isStale { throw ExitCode(ExitStatus.thresholdCrossed) }
    }

    /// Returns the contents of a file, or `nil` if there is none.
    private static func contents(of path: String) throws(FunnelError) -> String? {
      let fileSystem = LocalFileSystem()
      guard try fileSystem.status(of: StoragePath(path)) != nil else { return nil }
      return String(decoding: try fileSystem.readAll(StoragePath(path), bytesMax: Limits.configurationBytesMax), as: UTF8.self)
    }

    /// Returns a generated text without its first line, which names the version of the program.
    private static func withoutVersion(_ text: String) -> Substring {
      text.drop { $0 != "\n" }
    }

    /// Returns the list of a lock file, or `nil` if there is no such file.
    private static func list(_ path: String) throws(FunnelError) -> BindingLock? {
      try contents(of: path).map { text throws(FunnelError) in try BindingLock(parsing: Array(text.utf8), path: path) }
    }

    private static func language(named name: String) throws(FunnelError) -> BindingLanguage {
      if let known = BindingLanguage(rawValue: name) { return known }
      let names = BindingLanguage.allCases.map(\.rawValue)
      let hint = NearestName.find(name, in: names).map { "did you mean \($0)?" } ?? "give \(names.joined(separator: ", "))"
      throw FunnelError(.usage, "no such language, \(name.printable), \(hint)")
    }

    private static func text(of file: FlowFile, _ language: BindingLanguage, _ typeName: String?, renewal: String) -> String {
      FlowBindings(of: file, typeName: typeName).text(
        in: language, generator: "funnel \(FunnelVersion.current)", renewal: renewal)
    }

    /// Returns the command that regenerates a text.
    private static func renewal(
      _ language: BindingLanguage, _ flow: String, typeName: String?, store: String?, schemas: [String], output: String?
    ) -> String {
      var words = ["funnel", "schema", "generate", language.rawValue, flow]
      if let typeName { words += ["--type-name", typeName] }
      if let store { words += ["--store", store] }
      for folder in schemas { words += ["--schemas", folder] }
      if let output, output != "-" { words += ["--output", output] }
      return words.joined(separator: " ")
    }
  }
}
