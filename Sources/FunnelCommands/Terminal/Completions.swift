import ArgumentParser
import FunnelDecoding
import FunnelKit
import FunnelModel
import FunnelReports
import FunnelSchemas
import FunnelSystem

/// Shell completions that ArgumentParser cannot generate.
///
/// They never fail or print errors. An unreadable source only results in fewer suggestions.
enum Completions {
  /// Completes flows: those of the store that the command line names, or of the default store, and of the other
  /// definitions in effect.
  static let flows = CompletionKind.custom { words, _, _ in
    let definitions = catalog(words)
    return Set(definitions.map { "\($0.app)/\($0.flow)" } + definitions.map(\.reference)).sorted()
  }

  /// Completes the metrics for which ``flows`` can be compared.
  static let metrics = CompletionKind.custom { words, _, _ in
    let named = Set(values(of: "--flow", in: words))
    let definitions = catalog(words)
    let chosen = definitions.filter { named.contains("\($0.app)/\($0.flow)") || named.contains($0.reference) }
    return Set((chosen.isEmpty ? definitions : chosen).flatMap(ComparisonRow.primaryNames)).sorted()
  }

  /// Completes the apps of ``flows``.
  static let apps = CompletionKind.custom { words, _, _ in Set(catalog(words).map(\.app)).sorted() }

  /// Completes the time zones of this system.
  static let timeZones = CompletionKind.custom { _, _, _ in
    ["UTC"] + TimeZoneDatabase(environmentFolder: Environment["TZDIR"]).names.sorted()
  }

  /// Completes the reasons for rejected lines.
  static let reasons = CompletionKind.list(RejectionReason.allCases.map(\.rawValue))

  /// Completes the names of reports, and files.
  static var reportsOrFiles: CompletionKind {
    // ArgumentParser completes an argument with words or files, not both, so each shell has its own command.
    // The comments below show the code that the library generates around it. `CompletionTests` runs the
    // completions in the shells.
    let names = ReportSelection.allNames.joined(separator: " ")
    switch CompletionShell.requesting {
    case .bash:
      // compgen -W "$(eval 'COMMAND')": compgen expands its words, so file names must be quoted.
      return .shellCommand(
        #"printf '%s\n' \#(names); compgen -f -- "${cur}" | while IFS= read -r file; do printf '%q\n' "${file}"; done"#)
    case .fish:
      // complete -a '(COMMAND)'
      return .shellCommand(#"printf '%s\n' \#(names); __fish_complete_path (commandline -ct)"#)
    default:
      // zsh: {list=(${(f)"$(COMMAND)"});_describe -V "" list}. Words are described and files are completed, so the command closes the
      // first list, completes files, and opens a second list that stays empty.
      return .shellCommand(#"print -l -- \#(names))"});_describe -V "" list;_files;list=(${(f)"$(true"#)
    }
  }

  /// Returns the definitions in effect for a command line. Skips sources that cannot be read.
  private static func catalog(_ words: [String]) -> [FlowDefinition] {
    var option = StoreOption()
    option.store = values(of: "--store", in: words).last
    let ofStore = (try? StoreDefinitions.read(from: option.path)) ?? []
    let folders = SchemaOption.environmentFolders + values(of: "--schemas", in: words)
    let added = folders.map { (try? SchemaDirectory.load($0)) ?? [] }
    return (try? FlowCatalog(layers: [BuiltInSchemas.flowFiles, ofStore] + added))?.definitions ?? BuiltInSchemas.flows
  }

  /// Returns the values of an option on a command line: `--store DIR` or `--store=DIR`.
  private static func values(of option: String, in words: [String]) -> [String] {
    let separate = zip(words, words.dropFirst()).filter { $0.0 == option }.map(\.1)
    return separate + words.filter { $0.hasPrefix("\(option)=") }.map { String($0.dropFirst(option.count + 1)) }
  }
}
