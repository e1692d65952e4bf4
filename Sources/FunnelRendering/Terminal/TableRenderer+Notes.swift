import FunnelModel

extension TableRenderer {
  /// Prints a warning about a damaged log, if there is damage.
  mutating func printDamage() {
    guard let damage = document.damage else { return }
    printSentence("\(damage.headline)", mark: StyledText("! ", .caution), ink: .caution)
    for line in damage.lines { printSentence("\(line)", mark: StyledText("  - ")) }
    printSentence("\(ReportDamage.advice)", mark: StyledText("  "))
    printBlank()
  }

  /// Prints the notes about the groups that the numbers exclude or are restricted to.
  mutating func printNotes() {
    guard !document.notes.isEmpty else { return }
    for note in document.notes { printSentence("\(note)", mark: StyledText("! ", .caution)) }
    printBlank()
  }

  /// Prints a message that the report has no rows, with hints on what to check.
  mutating func printNothingMatched() {
    let query = document.query
    printLine(StyledText("\(document.emptinessTitle): \(document.emptinessReason).", .strong))
    if !document.logContents.isEmpty {
      printLine(StyledText("What the log has:"))
      for sentence in document.logContents { printSentence("\(sentence)", mark: StyledText("  - ")) }
    }
    guard document.mayHaveRows else { return }
    let zone = query.timeZone
    var hints: [TerminalText] = []
    if query.since != nil || query.until != nil {
      let since = query.since.map { $0.minuteText(in: zone) } ?? "the beginning"
      let until = (query.until ?? query.now).minuteText(in: zone)
      hints.append("--since and --until: only those who entered from \(since) to \(until) \(zone.name) count")
    }
    hints.append("--now: events after \(query.now.minuteText(in: zone)) \(zone.name) are ignored")
    if query.isMature {
      hints.append(
        document.isComparison
          ? "--open-too: without it, only closed windows count"
          : "--mature: only closed windows count"
      )
    }
    if !query.conditions.isEmpty {
      hints.append("--where: only those with \(query.conditions.map(\.description).joined(separator: " and ")) count")
    }
    // These hints are less helpful than the contents of the log, so they are printed only if the contents are
    // unknown.
    if document.logContents.isEmpty {
      hints.append("--flow: perhaps nobody entered the flow")
      hints.append(
        "the log: events that no flow declares are not counted; --schemas DIR adds a flow that declares them")
    }
    printLine(StyledText("What to check:"))
    for hint in hints { printSentence(hint, mark: StyledText("  - ")) }
  }
}
