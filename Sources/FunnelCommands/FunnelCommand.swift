package import ArgumentParser
import FunnelModel
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The root command `funnel`, with all subcommands.
package struct FunnelCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "funnel",
    abstract: "Where do we lose people in onboarding, and does asking differently help?",
    discussion: """
      EXAMPLE
        funnel ingest logs/               append a folder of logs to ./funnel-store
        funnel report --since 7d          how people who started in the last week did
        funnel report funnel logs/*.gz    read files directly, without a store

      \(ExitStatus.all)
      """,
    version: FunnelVersion.current,
    subcommands: [
      IngestCommand.self, ReportCommand.self, CompareCommand.self, GroupsCommand.self, TraceCommand.self,
      ShardCommand.self, FoldCommand.self, MergeCommand.self, NightlyCommand.self,
      ExportCommand.self, RestateCommand.self, LogCommand.self, RejectedCommand.self, ForgetCommand.self,
      RetainCommand.self, SnapshotsCommand.self,
      SchemaCommand.self, MapCommand.self, SimulateCommand.self, ServeCommand.self, CollectCommand.self,
    ])

  package init() {}

  /// Parses the command line, runs the command, and exits with an exit code of specification section 4.
  package static func runAndExit() -> Never {
    StandardStreams.occupyClosed()
    // A closed pipe (`funnel report | head`) is not an error: the write reports it, and Console ends the process quietly.
    signal(SIGPIPE, SIG_IGN)
    // Exceeding the file size limit (`ulimit -f`) is an error that the write reports, like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    FreedMemory.keep()
    // Swift finds the arguments through /proc/self/maps, and returns none if it is unreadable. That must not be
    // treated as an empty command line.
    guard !CommandLine.arguments.isEmpty else {
      Console.printError("can't read the command line, /proc/self/maps, let the program open it (descriptors, memory, /proc)")
      Console.endProcess(FunnelError.Code.inputOutput.rawValue)
    }
    let arguments = Array(CommandLine.arguments.dropFirst())
    Console.endProcess(arguments.first == PageWorker.word ? PageWorker().run() : run(arguments))
  }

  /// Parses a command line and runs the command.
  ///
  /// - Parameter arguments: The arguments after the program's name.
  /// - Returns: The exit code. Errors have been written to standard error.
  static func run(_ arguments: [String]) -> Int32 {
    do {
      var command = try PageCommand.parsed(arguments[...]) ?? parseAsRoot(arguments)
      try command.run()
      return 0
    } catch let error as FunnelError {
      Console.printError(error.message)
      return error.code.rawValue
    } catch let code as ExitCode {
      return code.rawValue
    } catch {
      return report(error, of: arguments)
    }
  }

  /// Prints an argument parser's message and returns the exit code.
  ///
  /// Help goes to standard output in full, an error to standard error as one line.
  private static func report(_ error: any Error, of arguments: [String]) -> Int32 {
    let code = exitCode(for: error)
    guard code != .success else {
      Console.print(fullMessage(for: error) + "\n")
      return 0
    }
    // A shell requested completions in an unsupported way. Printing none is better than an error in the line being typed.
    if arguments.first == "---completion" { return 0 }
    var message = message(for: error).split(separator: "\n").joined(separator: " ")
    if message.hasSuffix(".") { message.removeLast() }
    if message.hasSuffix("?") { message.removeLast() }
    let named = named(by: arguments)
    let help = (["funnel"] + named.path + ["--help"]).joined(separator: " ")
    Console.printError("\(message)\(meantSubcommand(named)), see '\(help)'")
    return FunnelError.Code.usage.rawValue
  }

  /// The subcommands that a command line names.
  private struct Named {
    /// The names of the subcommands, outermost first.
    var path: [String] = []
    /// The first word that is not a subcommand, or `nil` if there is none or it is an option.
    var stray: String?
    /// The subcommands that were possible instead of `stray`.
    var known: [String] = []
  }

  /// Returns a "did you mean" clause for an unknown subcommand, or an empty string.
  private static func meantSubcommand(_ named: Named) -> String {
    guard let stray = named.stray, let meant = NearestName.find(stray, in: named.known) else { return "" }
    return ", did you mean '\(meant)'"
  }

  /// Returns the name of a command: the configured one, or the one derived from its type.
  private static func name(of command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? String(describing: command).lowercased()
  }

  /// Follows the subcommands in the arguments.
  private static func named(by arguments: [String]) -> Named {
    var named = Named()
    var commands = configuration.subcommands
    for word in arguments where !commands.isEmpty {
      guard let command = commands.first(where: { name(of: $0) == word }) else {
        named.stray = word.hasPrefix("-") ? nil : word
        named.known = commands.map(name)
        return named
      }
      named.path.append(word)
      commands = command.configuration.subcommands
    }
    return named
  }
}

/// The version of the tool.
package enum FunnelVersion {
  /// The current version.
  package static let current = "0.1.0"
}
