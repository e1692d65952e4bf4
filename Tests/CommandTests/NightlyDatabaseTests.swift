// The program has a database only with its trait.
#if FUNNEL_DATABASE
  import Foundation
  import FunnelTestSupport
  import Testing

  @Suite struct NightlyDatabaseTests {
    let place: NightlyFixture

    init() throws { place = try NightlyFixture() }

    var database: DatabaseDump { DatabaseDump(path: place.folder.path("x.sqlite")) }

    func night(_ day: Int, _ more: String...) throws -> FunnelRun {
      let now = "2026-11-\(day < 10 ? "0" : "")\(day)T03:00:00Z"
      let run = try FunnelRun(
        arguments: [
          "nightly", "--settle", "0", "--inbox", "inbox", "--out", "out", "--store", "store", "--now", now, "--database",
          "x.sqlite",
        ] + more, directory: URL(filePath: place.folder.path))
      #expect(run.status == 0, "night \(day): \(run.errors)")
      return run
    }

    func funnel(_ arguments: String...) throws -> FunnelRun {
      try FunnelRun(arguments: arguments, directory: URL(filePath: place.folder.path))
    }

    /// Returns a walk of a subject through the permissions flow up to the first prompt, a line an event.
    func walk(_ subject: String, day: Int, hour: Int = 10, ends: Bool = false) -> String {
      let names =
        ["perm_flow_start", "perm_photos_pre_prompt_shown", "perm_photos_granted"] + (ends ? ["perm_flow_completed"] : [])
      return names.enumerated().map { minute, name in
        let time = "2026-11-\(day < 10 ? "0" : "")\(day)T\(hour < 10 ? "0" : "")\(hour):0\(minute):00Z"
        return
          "{\"name\":\"\(name)\",\"ts\":\"\(time)\",\"subject\":\"\(subject)\",\"app\":\"cleaner\",\"id\":\"\(subject)\(name)\"}\n"
      }.joined()
    }

    func causes(_ night: Int) throws -> [String: Set<String>] {
      let asOf = "2026-11-\(night < 10 ? "0" : "")\(night)T03:00:00.000Z"
      let rows = try database.rows("SELECT DISTINCT day, cause FROM restatements WHERE as_of = '\(asOf)'")
      return Dictionary(rows.map { ($0["day"] as? String ?? "", [$0["cause"] as? String ?? ""]) }) { $0.union($1) }
    }

    @Test func `each number of a day is that of the report by day`() throws {
      let simulated = try funnel(
        "simulate", "--flow", "cleaner/permissions_flow", "--flow", "trendy/onboarding", "--subjects", "60", "--seed", "7",
        "--late",
        "--output", "inbox/a.ndjson")
      #expect(simulated.status == 0)
      _ = try night(12)
      _ = try night(15)
      let now = "2026-11-15T03:00:00Z"
      for (report, tables) in [
        "funnel": ["funnel_days", "step_days"], "grants": ["permission_days"], "dropoff": ["dropoff_days"],
      ] {
        let run = try funnel("report", report, "--by", "day", "--now", now, "--store", "store", "--format", "json")
        let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        let rows = try #require(json?[report] as? [[String: Any]])
        for table in tables {
          var expected: [String] = []
          for row in rows {
            let day = try #require((row["by"] as? [String: Any])?["day"] as? String)
            guard day < "2026-11-15" else { continue }
            expected += try FlatRow.rows(of: row, in: table).map { try $0.merging(["day": day]) { $1 }.jsonText }
          }
          let view = table.replacing("_days", with: "_latest")
          let found = try database.rows("SELECT * FROM \(view)").map { row in
            try row.filter { $0.key != "as_of" && !($0.value is NSNull) }.jsonText
          }
          #expect(found.sorted() == expected.sorted(), "\(table)")
          #expect(!found.isEmpty)
        }
      }
    }

    @Test func `a number that changes has a cause`() throws {
      // The last line names no app, so it is a dead letter at first.
      let letter = "{\"name\":\"perm_flow_start\",\"ts\":\"2026-11-02T10:00:00Z\",\"subject\":\"x\"}\n"
      try place.upload((0..<20).map { walk("a\($0)", day: 2) }.joined() + walk("gone", day: 2) + letter, as: "2.ndjson")
      _ = try night(3)
      #expect(try database.rows("SELECT * FROM restatements").isEmpty)
      // Late: a day that was reported. Not late, but another number: somebody went on.
      try place.upload(walk("late", day: 2, hour: 11), as: "3.ndjson")
      _ = try night(4)
      #expect(try causes(4) == ["2026-11-02": ["late"]])
      #expect(
        try database.rows(
          "SELECT before, after FROM restatements WHERE what = 'funnel.entered'"
        ).map { [$0["before"] as? Int, $0["after"] as? Int] } == [[21, 22]])
      // Time alone: windows close after seven days.
      _ = try night(9)
      _ = try night(11)
      #expect(try causes(9) == [:])
      #expect(try causes(11) == ["2026-11-02": ["matured"]])
      #expect(try funnel("forget", "gone", "--store", "store", "--now", "2026-11-11T12:00:00Z").status == 0)
      _ = try night(12)
      #expect(try causes(12) == ["2026-11-02": ["forgotten"]])
      let retried = try funnel("rejected", "retry", "--app", "cleaner", "--store", "store", "--now", "2026-11-12T12:00:00Z")
      #expect(retried.status == 0, "\(retried.errors)")
      _ = try night(13)
      #expect(try causes(13) == ["2026-11-02": ["retried"]])
      try place.folder.makeFolder("flows")
      let schema = try funnel("schema", "show", "cleaner/permissions_flow")
      try place.folder.write(
        Array(schema.output.replacing("[\"perm_flow_start\"]", with: "[\"perm_photos_granted\"]").utf8), to: "flows/flow.json")
      _ = try night(14, "--schemas", "flows")
      #expect(try Set(causes(14).values) == [["definition"]])
    }

    @Test func `a closed day never matures, whoever begins again later`() throws {
      try place.upload((0..<10).map { walk("a\($0)", day: 2) }.joined(), as: "2.ndjson")
      _ = try night(3)
      _ = try night(10)
      // The day's windows have closed. Half of the people begin once more, and finish.
      try place.upload(
        (0..<5).map { walk("a\($0)", day: 10, ends: true).replacing("\"id\":\"", with: "\"id\":\"again") }.joined(),
        as: "10.ndjson")
      _ = try night(11)
      _ = try night(19)
      let matured = try database.rows(
        "SELECT day, what FROM restatements WHERE cause = 'matured' AND as_of > '2026-11-10T03:00:00.000Z' AND day = '2026-11-02'"
      )
      #expect(matured.isEmpty, "\(matured)")
    }

    @Test func `a day whose groups are gone has a row of zeros`() throws {
      try place.upload(walk("only", day: 2, ends: true), as: "2.ndjson")
      _ = try night(3)
      #expect(try funnel("forget", "only", "--store", "store", "--now", "2026-11-03T12:00:00Z").status == 0)
      _ = try night(4)
      let row = try #require(try database.rows("SELECT * FROM funnel_latest").first)
      #expect(row["entered"] as? Int == 0 && row["completed"] as? Int == 0 && row["conversion"] is NSNull)
      #expect(row["window_ms"] as? Int == 7 * 86_400_000)
      let restated = try database.rows("SELECT what, before, after FROM restatements WHERE what = 'step.photos.reached'")
      #expect(restated.map { $0["after"] as? Int } == [0])
      // Nothing changes any more.
      _ = try night(5)
      #expect(try database.rows("SELECT * FROM restatements WHERE as_of > '2026-11-05'").isEmpty)
    }

    @Test func `the same night again writes the same rows`() throws {
      try place.upload(walk("a", day: 2) + walk("b", day: 1), as: "2.ndjson")
      _ = try night(3)
      try place.upload(walk("c", day: 2) + walk("d", day: 3), as: "3.ndjson")
      _ = try night(4)
      let once = try database.contents()
      _ = try night(4)
      #expect(try database.contents() == once)
    }

    @Test func `an export has the newest rows of the nights, and leaves their database as it is`() throws {
      try place.upload((0..<30).map { walk("a\($0)", day: 1 + $0 % 9) }.joined(), as: "2.ndjson")
      _ = try night(8)
      _ = try night(15)
      let refused = try funnel("export", "--database", "x.sqlite", "--store", "store", "--now", "2026-11-15T03:00:00Z")
      #expect(refused.status == 73 && refused.errors.contains("was written by 2 nightly runs"), "\(refused.errors)")
      for _ in 0..<2 {
        let export = try funnel("export", "--database", "y.sqlite", "--store", "store", "--now", "2026-11-15T03:00:00Z")
        #expect(export.status == 0, "\(export.errors)")
      }
      let other = DatabaseDump(path: place.folder.path("y.sqlite"))
      for (table, _) in DatabaseDump.tables {
        let columns = try database.rows("SELECT name FROM pragma_table_info('\(table)') WHERE name <> 'as_of'")
          .compactMap { $0["name"] as? String }.joined(separator: ", ")
        let view = table.replacing("_days", with: "_latest")
        let rows = try database.texts("SELECT \(columns) FROM \(view)")
        #expect(try other.texts("SELECT \(columns) FROM \(table)") == rows)
        #expect(!rows.isEmpty)
      }
    }

    @Test func `what was reported of days whose events are dropped stays, and an export takes it from the snapshots`() throws {
      try place.upload((0..<30).map { walk("a\($0)", day: 2, ends: $0 % 2 == 0) }.joined(), as: "2.ndjson")
      _ = try night(20)
      let before = try database.texts("SELECT entered, completed, conversion FROM funnel_latest")
      let retained = try funnel("retain", "--events", "5d", "--store", "store", "--now", "2026-11-20T12:00:00Z")
      #expect(retained.status == 0, "\(retained.errors)")
      _ = try night(21)
      #expect(try database.texts("SELECT entered, completed, conversion FROM funnel_latest") == before)
      #expect(try funnel("export", "--database", "y.sqlite", "--store", "store", "--now", "2026-11-21T03:00:00Z").status == 0)
      let other = DatabaseDump(path: place.folder.path("y.sqlite"))
      #expect(try other.texts("SELECT entered, completed, conversion FROM funnel_days") == before)
      let steps = "SELECT day, step, label, optional, reached, from_start, time_from_previous_ms_p50 FROM step_latest"
      #expect(try other.texts(steps) == database.texts(steps))
    }

    @Test func `it can be read while it is written`() throws {
      try place.upload(walk("a", day: 2), as: "2.ndjson")
      _ = try night(3)
      try place.upload(walk("b", day: 3), as: "3.ndjson")
      let run = try FunnelRun(
        shell: """
          python3 - <<'END'
          import os, sqlite3, subprocess
          reader = sqlite3.connect("x.sqlite", isolation_level=None)
          reader.execute("BEGIN")
          before = reader.execute("SELECT count(*) FROM runs").fetchone()
          subprocess.run([os.environ["FUNNEL"], "nightly", "--settle", "0", "--inbox", "inbox", "--out", "out", "--store", "store",
            "--now", "2026-11-04T03:00:00Z", "--database", "x.sqlite"], check=True, stdout=subprocess.DEVNULL)
          print(before, reader.execute("SELECT count(*) FROM runs").fetchone())
          reader.execute("COMMIT")
          print(reader.execute("SELECT count(*) FROM runs").fetchone())
          END
          """, directory: URL(filePath: place.folder.path))
      #expect(run.output == "(1,) (1,)\n(2,)\n", "\(run.errors)")
    }

    @Test func `who may only read can read it between two nights, and a copy of the file alone is whole`() throws {
      try place.upload(walk("a", day: 2), as: "2.ndjson")
      _ = try night(3)
      _ = try night(4)
      let run = try FunnelRun(
        shell: """
          python3 - <<'END'
          import os, sqlite3
          folder = os.getcwd()
          os.chmod(folder, 0o555)
          for name in os.listdir(folder):
              if name.startswith("x.sqlite"): os.chmod(name, 0o444)
          if os.getuid() == 0: os.setgid(65534); os.setuid(65534)
          reader = sqlite3.connect("file:x.sqlite?mode=ro", uri=True)
          print(reader.execute("SELECT count(*) FROM runs").fetchone()[0])
          END
          chmod 755 .; chmod 644 x.sqlite*; cp x.sqlite copy.sqlite
          """, directory: URL(filePath: place.folder.path))
      #expect(run.output == "2\n", "\(run.errors)")
      #expect(try place.folder.contents("x.sqlite-wal").isEmpty)
      #expect(try DatabaseDump(path: place.folder.path("copy.sqlite")).contents() == database.contents())
      // And the next night can write.
      _ = try night(5)
      #expect(try database.rows("SELECT * FROM runs").count == 3)
    }

    @Test(arguments: [("missing/x.sqlite", "can't write the database"), ("text", "not a SQLite database")])
    func `a file that can't be one fails alone`(file: String, message: String) throws {
      try place.folder.write(Array(String(repeating: "no database at all\n", count: 100).utf8), to: "text")
      try place.upload(walk("a", day: 2), as: "2.ndjson")
      let run = try place.night("--database", file)
      #expect(run.status == 73 && run.errors.hasPrefix("funnel: \(message), \(file)"), "\(run.errors)")
      #expect(run.output.contains("1 file done") && run.output.hasSuffix("; failed: database\n"), "\(run.output)")
      #expect(try place.entered("latest/30d.json") == 1)
    }
  }

  /// A row of a report's JSON as columns: nested keys are joined by `_`, the bounds of an interval are `low` and `high`.
  private enum FlatRow {
    static func rows(of row: [String: Any], in table: String) throws -> [[String: Any]] {
      var keys = row.filter { ["app", "flow", "version"].contains($0.key) }
      let lists = ["step_days", "dropoff_days"].contains(table) ? row["steps"] as? [[String: Any]] : nil
      guard let steps = lists else { return [flat(row.filter { $0.key != "by" && $0.key != "steps" })] }
      if table == "dropoff_days" { keys["entered"] = row["entered"] }
      return steps.map { step in
        flat(keys.merging(step.filter { $0.key != "id" }) { $1 }.merging(["step": step["id"] ?? ""]) { $1 })
      }
    }

    private static func flat(_ object: [String: Any], prefix: String = "") -> [String: Any] {
      var result: [String: Any] = [:]
      for (key, value) in object {
        let name = prefix + key
        switch value {
        case is NSNull: break
        case let inner as [String: Any] where key == "last_step":
          result[name] = (try? inner.mapValues { "\($0)" }.jsonText) ?? ""
        case let inner as [String: Any]: result.merge(flat(inner, prefix: name + "_")) { $1 }
        case let bounds as [Any] where bounds.count == 2:
          (result[name + "_low"], result[name + "_high"]) = (bounds[0], bounds[1])
        default: result[name] = value
        }
      }
      return result
    }
  }

  extension [String: Any] {
    /// The object as text with sorted keys. Numbers are rounded as far as two readers of JSON may differ, and true is 1.
    fileprivate var jsonText: String {
      get throws {
        let plain = mapValues { value -> Any in
          if let text = value as? String, text.hasPrefix("{"),
            let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
          {
            return (try? object.mapValues { "\($0)" }.jsonText) ?? ""
          }
          guard let number = value as? NSNumber else { return value }
          return String(format: "%.9g", number.doubleValue)
        }
        return String(decoding: try JSONSerialization.data(withJSONObject: plain, options: [.sortedKeys]), as: UTF8.self)
      }
    }
  }
#endif
