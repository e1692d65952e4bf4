public import ArgumentParser
import FunnelModel
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The `funnel` command: onboarding funnels from an append-only event log.
public struct FunnelCommand: ParsableCommand {
  public static let configuration = CommandConfiguration(
    commandName: "funnel",
    abstract: "Where do we lose people in onboarding, and does asking differently help?",
    discussion: """
      EXAMPLE
        funnel ingest logs/               append a folder of logs to ./funnel-store
        funnel report --since 7d          what became of those of the last week
        funnel report funnel logs/*.gz    straight from files, without a store

      \(ExitStatus.all)
      """,
    version: FunnelVersion.current,
    subcommands: [
      IngestCommand.self, ReportCommand.self, CompareCommand.self, GroupsCommand.self, TraceCommand.self,
      ShardCommand.self, FoldCommand.self, MergeCommand.self, NightlyCommand.self,
      ExportCommand.self, RestateCommand.self, LogCommand.self, RejectedCommand.self, ForgetCommand.self,
      RetainCommand.self, SnapshotsCommand.self,
      SchemaCommand.self, MapCommand.self, SimulateCommand.self, ServeCommand.self,
    ])

  public init() {}

  /// Parses the command line, runs the command, and ends the process with an exit code of specification section 4.
  public static func runAndExit() -> Never {
    StandardStreams.occupyClosed()
    // A closed pipe (`funnel report | head`) is not an error: the write reports it, and Console ends the process quietly.
    signal(SIGPIPE, SIG_IGN)
    // Exceeding the file size limit (`ulimit -f`) is an error that the write reports, like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    FreedMemory.keep()
    // Swift reads the arguments from the process's memory, and finds none if /proc/self/maps is unreadable. That must not look like an
    // empty command line.
    guard !CommandLine.arguments.isEmpty else {
      Console.complain("can't read the command line, /proc/self/maps, let the program open it (descriptors, memory, /proc)")
      Console.endProcess(FunnelError.Code.inputOutput.rawValue)
    }
    do {
      var command = try PageCommand.parsed(CommandLine.arguments.dropFirst()) ?? parseAsRoot()
      try command.run()
      Console.endProcess(0)
    } catch let error as FunnelError {
      Console.complain(error.message)
      Console.endProcess(error.code.rawValue)
    } catch let code as ExitCode {
      Console.endProcess(code.rawValue)
    } catch {
      exitAfterParserMessage(error)
    }
  }

  /// Prints the argument parser's message: help in full to standard output, an error as one line to standard error.
  private static func exitAfterParserMessage(_ error: any Error) -> Never {
    let code = exitCode(for: error)
    guard code != .success else {
      Console.print(fullMessage(for: error) + "\n")
      Console.endProcess(0)
    }
    // A shell requested completions in an unsupported way. Printing none is better than an error in the line being typed.
    if CommandLine.arguments.dropFirst().first == "---completion" { Console.endProcess(0) }
    var message = message(for: error).split(separator: "\n").joined(separator: " ")
    if message.hasSuffix(".") { message.removeLast() }
    if message.hasSuffix("?") { message.removeLast() }
    Console.complain("\(message)\(meantSubcommand), see '\(helpCommand)'")
    Console.endProcess(FunnelError.Code.usage.rawValue)
  }

  /// The help command that matches the command line.
  private static var helpCommand: String { (["funnel"] + named.path + ["--help"]).joined(separator: " ") }

  /// The suggestion for a word that is not a command, as a clause, or an empty string.
  private static var meantSubcommand: String {
    guard let stray = named.stray, let meant = NearestName.find(stray, in: named.known) else { return "" }
    return ", did you mean '\(meant)'"
  }

  /// Returns the name of a command: the configured one, or the one derived from its type.
  private static func name(of command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? String(describing: command).lowercased()
  }

  /// The commands named by the command line, from the outermost inwards, and the first word that is not one of the known subcommands.
  private static var named: (path: [String], stray: String?, known: [String]) {
    var path: [String] = []
    var commands = configuration.subcommands
    for word in CommandLine.arguments.dropFirst() where !commands.isEmpty {
      guard let command = commands.first(where: { name(of: $0) == word }) else {
        return (path, word.hasPrefix("-") ? nil : word, commands.map(name))
      }
      path.append(word)
      commands = command.configuration.subcommands
    }
    return (path, nil, [])
  }
}

/// The version of the tool.
public enum FunnelVersion {
  public static let current = "0.1.0"
}
