import Foundation
import FunnelTestSupport
import Testing

/// Tests completion with bash, zsh and fish themselves, using the scripts that the program generates. Shells that are not
/// installed are skipped; `.ci/install-packages test` installs all three.
@Suite struct CompletionTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    try place.write(
      #"{"app":"todo","flow":"onboarding","version":1,"title":"T","steps":[{"id":"start","entered_by":["opened"]}]}"#,
      to: "my flows/todo.json")
    try place.write(LogLine.event("perm_flow_start"), to: "logs/$(touch ran).ndjson")
    _ = try place.ingest("logs", "--schemas", "my flows", "--store", "events")
  }

  static let shells = ["bash", "zsh", "fish"].filter { shell in
    ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(shell)")
    }
  }

  /// Returns the words that a shell offers to complete a command line. zsh shows its offers only on a terminal, so for zsh
  /// this is the command line after the Tab key, which requires that there is only one offer.
  private func offers(_ shell: String, _ line: String) throws -> [String] {
    try place.write(Self.script(shell), to: "ask")
    try place.write(Self.generated[shell]!.get(), to: "generated")
    let script = "PATH=\"$(dirname \"$FUNNEL\"):$PATH\" LINE='\(line)' \(shell) \(shell == "zsh" ? "-f" : "") ask"
    let run = try FunnelRun(shell: script, directory: place.url)
    #expect(run.errors == "", "\(shell): \(line)")
    #expect(run.status == 0, "\(shell): \(line)")
    return run.output.split(separator: "\n").map(String.init)
  }

  /// The scripts that the program generates, made once.
  private static let generated = Dictionary(
    uniqueKeysWithValues: shells.map { shell in
      (shell, Result { try FunnelRun("--generate-completion-script", shell).output })
    })

  private static func script(_ shell: String) -> String {
    switch shell {
    case "bash":
      #"""
      source ./generated
      COMP_LINE=$LINE COMP_POINT=${#LINE}
      read -ra COMP_WORDS <<<"$LINE"
      [[ $LINE == *' ' ]] && COMP_WORDS+=('')
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _funnel funnel "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      [[ ${#COMPREPLY[@]} == 0 ]] || printf '%s\n' "${COMPREPLY[@]}"
      """#
    case "fish":
      #"""
      source generated
      # Where nobody types, fish 3 does not tell the place of the cursor.
      function commandline
        if contains -- -tC $argv
          echo 0
        else
          builtin commandline $argv
        end
      end
      complete -C "$LINE" | string replace -r '\t.*' ''
      exit 0
      """#
    default:
      // This starts zsh on a pseudo-terminal, types the line, Tab, and a key that writes the completed line to a file.
      #"""
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell "PS1=; autoload -U compinit; compinit -u -D; eval \"\$(<generated)\""
      zpty -w shell 'show() { print -r -- "$BUFFER" > shown; BUFFER= }; zle -N show; bindkey "^Xs" show; : > ready'
      for attempt in {1..600}; do [[ -e ready ]] && break; sleep 0.05; done
      zpty -w -n shell "$LINE"$'\t\x18s'
      for attempt in {1..600}; do [[ -s shown ]] && break; sleep 0.05; done
      cat shown
      rm -f shown ready
      zpty -d shell
      """#
    }
  }

  /// The beginnings of command lines that have exactly one completion.
  static let unambiguous: [(line: String, word: String)] = [
    ("funnel rep", "report"), ("funnel report gr", "grants"), ("funnel report --format mark", "markdown"),
    ("funnel report --order str", "strict"), ("funnel report --count-by att", "attempt"),
    ("funnel report --tz Europe/Berl", "Europe/Berlin"), ("funnel rejected ls --reason personal", "personal_data"),
    ("funnel rejected ls --format js", "json"), ("funnel ingest --schemas my", "my flows/"),
    ("funnel report --store ev", "events/"),
    ("funnel report --store events --flow todo/onboarding@", "todo/onboarding@1"),
    ("funnel schema show --store events todo/onboarding@", "todo/onboarding@1"), ("funnel ingest --app smi", "smilepile"),
    ("funnel report --flow cleaner/permissions_flow@", "cleaner/permissions_flow@1"), ("funnel ingest lo", "logs/"),
    ("funnel report lo", "logs/"), ("funnel nightly --inbox lo", "logs/"),
    ("funnel simulate --flow cleaner/perm", "cleaner/permissions_flow"),
  ]

  @Test(arguments: shells) func `words and paths are completed`(shell: String) throws {
    for (line, word) in Self.unambiguous {
      let offered = try offers(shell, line)
      if shell == "zsh" {
        let whole =
          line.split(separator: " ").dropLast().joined(separator: " ") + " " + word.replacingOccurrences(of: " ", with: "\\ ")
        #expect(offered.map { $0.trimmingCharacters(in: .whitespaces) } == [whole], "zsh: \(line)")
      } else {
        // bash adds the slash of a folder itself, once it shows or inserts it.
        let wanted = shell == "bash" && word.hasSuffix("/") ? String(word.dropLast()) : word
        #expect(offered == [wanted], "\(shell): \(line)")
      }
    }
  }

  @Test(arguments: shells.filter { $0 != "zsh" })
  func `reports and files are offered together, flows of the store and of the tool too`(shell: String) throws {
    let first = Set(try offers(shell, "funnel report "))
    #expect(first.isSuperset(of: ["funnel", "grants", "dropoff"]) && first.contains { $0.hasPrefix("logs") }, "\(first)")
    let flows = Set(try offers(shell, "funnel report --store events --flow "))
    #expect(flows.isSuperset(of: ["todo/onboarding", "todo/onboarding@1", "cleaner/permissions_flow", "clarity/onboarding@2"]))
    #expect(try offers(shell, "funnel report --store none --flow todo").isEmpty)
    #expect(
      try Set(offers(shell, "funnel rejected show --reason ")).isSuperset(of: ["invalid_json", "forgotten", "damaged_gzip"]))
  }

  @Test(arguments: shells) func `the name of a file is never run`(shell: String) throws {
    _ = try offers(shell, "funnel report logs/")
    _ = try offers(shell, "funnel ingest logs/")
    #expect(try !place.folder.files().contains("ran"))
  }

  @Test func `a shell that asks in an unknown way gets no words and no error`() throws {
    let run = try FunnelRun("---completion", "report", "--", "--flow")
    #expect(run.status == 0 && run.errors == "" && run.output == "", "\(run)")
  }

  @Test func `a custom completion never fails, whatever stands in the store`() throws {
    try place.write("{", to: "events/schemas/broken.json")
    for words in [
      ["funnel", "report", "--store", "events", "--flow", ""], ["funnel", "report", "--schemas", "none", "--flow", ""],
    ] {
      let run = try FunnelRun(
        arguments: ["---completion", "report", "--", "--flow", "\(words.count - 1)", "0"] + words, directory: place.url,
        environment: ["SAP_SHELL": "bash"])
      #expect(run.status == 0 && run.errors == "", "\(run)")
      #expect(run.output.contains("cleaner/permissions_flow\n"))
    }
  }
}
