import FunnelModel

/// Generates the section of a command's help that lists its exit codes.
enum ExitStatus {
  /// The exit code of a command that succeeded but crossed a threshold.
  static let thresholdCrossed: Int32 = 1

  /// The exit codes with their meanings (specification section 4). Codes from 64 are those of `sysexits.h`.
  static let meanings: [(code: Int32, meaning: String)] = [
    (0, "done"),
    (thresholdCrossed, "done, but a threshold was crossed"),
    (FunnelError.Code.usage.rawValue, "a mistake in the command line"),
    (FunnelError.Code.unusableInput.rawValue, "the input exists but can't be used"),
    (FunnelError.Code.noInput.rawValue, "no such input"),
    (FunnelError.Code.cannotCreate.rawValue, "an output can't be created"),
    (FunnelError.Code.inputOutput.rawValue, "reading or writing failed, or the log is damaged"),
    (FunnelError.Code.locked.rawValue, "another process is writing to the store"),
    (FunnelError.Code.configuration.rawValue, "a flow definition is wrong"),
  ]

  /// The meaning of exit code 78 for a command that reads no flow definition.
  static let newerStore = "the store was written by a newer version of funnel"

  /// The section that lists all codes.
  static let all = section(meanings)

  /// Returns the section for a command with some codes. The codes 0 and 64 are always included.
  ///
  /// - Parameters:
  ///   - threshold: The meaning of code 1, or `nil` if the command does not use it.
  ///   - special: The meanings that differ for this command.
  static func section(_ codes: FunnelError.Code..., threshold: String? = nil, special: [FunnelError.Code: String] = [:])
    -> String
  {
    let numbers = Set(codes.map(\.rawValue)).union([0, FunnelError.Code.usage.rawValue])
    return section(
      meanings.compactMap { code, meaning in
        if code == thresholdCrossed { return threshold.map { (code, $0) } }
        guard numbers.contains(code) else { return nil }
        return (code, FunnelError.Code(rawValue: code).flatMap { special[$0] } ?? meaning)
      })
  }

  private static func section(_ entries: [(code: Int32, meaning: String)]) -> String {
    let lines = entries.map { "  \($0.code)\($0.code < 10 ? "   " : "  ")\($0.meaning)" }
    return (["EXIT STATUS"] + lines).joined(separator: "\n")
  }
}
