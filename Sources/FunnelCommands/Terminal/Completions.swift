import ArgumentParser
import FunnelIngest
import FunnelModel
import FunnelSchemas
import FunnelSystem

/// What the shells offer where the library can't know it. Nothing here fails or prints: who presses the tab key gets fewer words, never an error.
enum Completions {
  /// Flows of the store that the command line names, or of the usual one, and of the other definitions in force.
  static let flows = CompletionKind.custom { words, _, _ in
    let definitions = catalog(words)
    return Set(definitions.map { "\($0.app)/\($0.flow)" } + definitions.map(\.reference)).sorted()
  }

  /// Apps of those flows.
  static let apps = CompletionKind.custom { words, _, _ in Set(catalog(words).map(\.app)).sorted() }

  /// Time zones of this system.
  static let timeZones = CompletionKind.custom { _, _, _ in
    ["UTC"] + TimeZoneDatabase(environmentFolder: Environment["TZDIR"]).names.sorted()
  }

  /// Why lines are refused.
  static let reasons = CompletionKind.list(RejectReason.allCases.map(\.rawValue))

  /// The names of reports, and files.
  ///
  /// The library offers words or files for an argument, not both, so each shell gets a command of its own. What it makes of such a command
  /// stands beside each; `CompletionTests` try them in the shells.
  static var reportsOrFiles: CompletionKind {
    let names = ReportCommand.reportNames.joined(separator: " ")
    switch CompletionShell.requesting {
    case .bash:
      // compgen -W "$(eval 'COMMAND')": compgen expands the words it is given, so that a file's name has to be quoted.
      return .shellCommand(
        #"printf '%s\n' \#(names); compgen -f -- "${cur}" | while IFS= read -r file; do printf '%q\n' "${file}"; done"#)
    case .fish:
      // complete -a '(COMMAND)'
      return .shellCommand(#"printf '%s\n' \#(names); __fish_complete_path (commandline -ct)"#)
    default:
      // zsh: {list=(${(f)"$(COMMAND)"});_describe -V "" list}. Words are described and files are completed, so the command ends the first list,
      // asks for files, and begins a second list that stays empty.
      return .shellCommand(#"print -l -- \#(names))"});_describe -V "" list;_files;list=(${(f)"$(true"#)
    }
  }

  /// The definitions in force for a command line; what can't be read is left out, one source after another.
  private static func catalog(_ words: [String]) -> [FlowDefinition] {
    var option = StoreOption()
    option.store = values(of: "--store", in: words).last
    let ofStore = (try? StoreDefinitions.read(from: option.path)) ?? []
    var folders = (Environment["FUNNEL_SCHEMAS"] ?? "").split(separator: ":").map(String.init)
    folders += values(of: "--schemas", in: words)
    let added = folders.map { (try? SchemaDirectory.load($0)) ?? [] }
    return (try? FlowCatalog(layers: [BuiltInSchemas.flowFiles, ofStore] + added))?.definitions ?? BuiltInSchemas.flows
  }

  /// The values an option has on a command line: `--store DIR` or `--store=DIR`.
  private static func values(of option: String, in words: [String]) -> [String] {
    let separate = zip(words, words.dropFirst()).filter { $0.0 == option }.map(\.1)
    return separate + words.filter { $0.hasPrefix("\(option)=") }.map { String($0.dropFirst(option.count + 1)) }
  }
}
