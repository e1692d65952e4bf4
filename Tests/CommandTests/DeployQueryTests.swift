// The program has a database only with its trait.
#if FUNNEL_DATABASE
  import Foundation
  import FunnelTestSupport
  import Testing

  /// Runs the queries of `Deploy/sql`, and those of the dashboard, on a database that nights wrote.
  @Suite struct DeployQueryTests {
    private static let now = "2026-11-20T03:00:00Z"
    private let place: NightlyFixture

    init() throws {
      place = try NightlyFixture()
      let run = try FunnelRun(
        "simulate", "--flow", "cleaner/permissions_flow", "--flow", "trendy/onboarding", "--subjects", "150", "--seed", "11",
        "--from", "2026-11-02", "--days", "17", directory: URL(filePath: place.folder.path))
      guard run.status == 0 else { throw Workplace.Failure(run: run) }
      // Every ninth line arrives late, after the first night.
      let lines = run.output.split(separator: "\n").enumerated()
      func upload(_ name: String, late: Bool) throws {
        try place.upload(lines.filter { ($0.offset % 9 == 0) == late }.map { $0.element + "\n" }.joined(), as: name)
      }
      try upload("on-time.ndjson", late: false)
      try place.folder.write(
        Array(#"{"rules":[{"flow":"cleaner/permissions_flow","metric":"conversion","min":0.999}]}"#.utf8), to: "rules.json")
      try night("2026-11-18T03:00:00Z")
      try upload("late.ndjson", late: true)
      try night(Self.now)
    }

    private func night(_ now: String) throws {
      let run = try place.night("--database", "funnel.sqlite", "--alerts", "rules.json", now: now)
      // The rule's bound is crossed.
      guard run.status == 1 else { throw Workplace.Failure(run: run) }
    }

    private var database: DatabaseDump { DatabaseDump(path: place.folder.path("funnel.sqlite")) }

    private func rows(_ query: String) throws -> [[String: Any]] { try database.rows(DeployFile.text("sql/\(query).sql")) }

    /// The rows of a report by day, up to the last completed day, each with the day and the reference of its flow.
    private func report(_ name: String) throws -> [[String: Any]] {
      let run = try FunnelRun(
        "report", name, "--by", "day", "--now", Self.now, "--store", "store", "--format", "json",
        directory: URL(filePath: place.folder.path))
      let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
      return try #require(object?[name] as? [[String: Any]]).compactMap { row in
        guard let day = (row["by"] as? [String: Any])?["day"] as? String, day < "2026-11-20" else { return nil }
        return row.merging(["day": day, "flow_version": "\(row["app"]!)/\(row["flow"]!)@\(row["version"]!)"]) { $1 }
      }
    }

    private func text(_ row: [String: Any], _ keys: [String]) -> String {
      keys.map { key in
        guard let number = row[key] as? NSNumber else { return row[key] as? String ?? "null" }
        return String(format: "%.9g", number.doubleValue)
      }.joined(separator: " ")
    }

    @Test func `each query says in a sentence what it shows, and has rows`() throws {
      let queries = try DeployFile.queries()
      #expect(queries.count >= 7)
      for (name, sql) in queries {
        let comment = try #require(sql.split(separator: "\n").first)
        #expect(comment.hasPrefix("-- ") && comment.hasSuffix("."), "\(name)")
        #expect(try !database.rows(sql).isEmpty, "\(name)")
      }
    }

    @Test func `conversion, steps and grants by day are those of the report by day`() throws {
      let funnel = try report("funnel")
      let conversion = ["day", "flow_version", "entered", "completed", "in_progress", "dropped", "conversion"]
      let found = try rows("conversion_by_day")
      #expect(found.map { text($0, conversion) }.sorted() == funnel.map { text($0, conversion) }.sorted())
      let bounds = funnel.map { row in (row["conversion_ci95"] as? [Double] ?? []).map { String(format: "%.9g", $0) } }
      #expect(
        Set(found.map { text($0, ["conversion_ci95_low", "conversion_ci95_high"]) })
          == Set(bounds.map { $0.joined(separator: " ") }))
      let reached = ["day", "flow_version", "id", "reached", "from_start"]
      let steps = funnel.flatMap { row in
        (row["steps"] as? [[String: Any]] ?? []).map { $0.merging(row) { step, _ in step } }
      }
      #expect(
        try rows("steps_by_day").map { text($0, ["day", "flow_version", "step", "reached", "from_start"]) }.sorted()
          == steps.filter { $0["reached"] as? Int != 0 }.map { text($0, reached) }.sorted())
      let grants = [
        "day", "flow_version", "permission", "prompted", "granted", "denied", "skipped", "grant_rate", "access_rate",
      ]
      #expect(
        try rows("grants_by_day").map { text($0, grants) }.sorted() == report("grants").map { text($0, grants) }.sorted())
    }

    @Test func `what is of 30 days and of the last closed week are sums of the days`() throws {
      var entered: [String: Int] = [:]
      var reached: [String: Int] = [:]
      var week: [String: [Int]] = [:]
      for row in try report("funnel") {
        let (flow, day) = (row["flow_version"] as? String ?? "", row["day"] as? String ?? "")
        entered[flow, default: 0] += row["entered"] as? Int ?? 0
        for step in row["steps"] as? [[String: Any]] ?? [] {
          reached["\(flow) \(step["id"] ?? "")", default: 0] += step["reached"] as? Int ?? 0
        }
        // Both flows have a window of seven days: at three in the morning of the 20th the 12th is the last closed day.
        guard day < "2026-11-13" else { continue }
        let place = day >= "2026-11-06" ? 0 : 2
        week[flow, default: [0, 0, 0, 0]][place] += row["entered"] as? Int ?? 0
        week[flow, default: [0, 0, 0, 0]][place + 1] += row["completed"] as? Int ?? 0
      }
      for row in try rows("steps_of_30_days") {
        let flow = row["flow_version"] as? String ?? ""
        let count = try #require(reached["\(flow) \(row["step"] ?? "")"])
        #expect(row["reached"] as? Int == count)
        #expect(abs((row["from_start"] as? Double ?? 0) - Double(count) / Double(entered[flow] ?? 0)) < 1e-12)
      }
      let recent = try rows("recent_week")
      #expect(recent.count == week.count && !recent.isEmpty)
      for row in recent {
        let flow = row["flow_version"] as? String ?? ""
        #expect(row["until"] as? String == "2026-11-13")
        let counts = ["entered", "completed", "entered_before", "completed_before"].map { row[$0] as? Int ?? -1 }
        #expect(counts == week[flow])
        // Pearson's statistic of a table of two by two, from its expected counts.
        let table = [
          [Double(counts[1]), Double(counts[0] - counts[1])], [Double(counts[3]), Double(counts[2] - counts[3])],
        ]
        let total = table.joined().reduce(0, +)
        var statistic = 0.0
        for side in 0...1 {
          for answer in 0...1 {
            let expected = table[side].reduce(0, +) * (table[0][answer] + table[1][answer]) / total
            statistic += (table[side][answer] - expected) * (table[side][answer] - expected) / expected
          }
        }
        #expect(abs((row["chi_squared"] as? Double ?? -1) - statistic) < 1e-9 * max(1, statistic))
      }
    }

    @Test func `drop-off is the sum of the days, and restatements, runs and messages are those of the nights`() throws {
      var dropped: [String: Int] = [:]
      for row in try report("dropoff") {
        for step in row["steps"] as? [[String: Any]] ?? [] {
          dropped["\(row["flow_version"] ?? "") \(step["id"] ?? "")", default: 0] += step["dropped"] as? Int ?? 0
        }
      }
      let found = try rows("dropoff_of_30_days").map {
        ("\($0["flow_version"] ?? "") \($0["step"] ?? "")", $0["dropped"] as? Int ?? 0)
      }
      #expect(Dictionary(uniqueKeysWithValues: found) == dropped.filter { $0.value > 0 })
      let restated = try rows("restatements")
      #expect(restated.allSatisfy { $0["cause"] as? String == "late" })
      let nights = try rows("restatements_by_night")
      let late = nights.first { $0["cause"] as? String == "late" }
      #expect(late?["numbers"] as? Int == restated.count)
      let runs = try rows("runs")
      #expect(runs.map { $0["as_of"] as? String } == ["2026-11-20T03:00:00.000Z", "2026-11-18T03:00:00.000Z"])
      #expect(runs.first?["hours_since_last"] as? Double == 48 && runs.first?["messages"] as? Int == 1)
      #expect(try rows("messages").allSatisfy { ($0["text"] as? String)?.contains("Conversion is") ?? false })
    }

    @Test func `the dashboard holds the queries word by word, and each panel has rows`() throws {
      let dashboard = try DeployFile.json("grafana/dashboard.json")
      let panels = try #require(dashboard["panels"] as? [[String: Any]])
      let queries = try DeployFile.queries()
      var shown: Set<String> = []
      var cells: Set<[Int]> = []
      #expect(Set(panels.compactMap { $0["id"] as? Int }).count == panels.count)
      for panel in panels {
        let title = panel["title"] as? String ?? ""
        let target = try #require((panel["targets"] as? [[String: Any]])?.first)
        let sql = try #require(target["queryText"] as? String)
        #expect(target["rawQueryText"] as? String == sql)
        for (name, text) in queries where sql.contains("WITH panel AS (\n\(text))\n") { shown.insert(name) }
        let filled = sql.replacing("${flow:singlequote}", with: "'cleaner/permissions_flow@1','trendy/onboarding@1'")
          .replacing("$__from", with: "1793491200000").replacing("$__to", with: "1796083200000")
        let rows = try database.rows(filled)
        #expect(!rows.isEmpty, "\(title)")
        if panel["type"] as? String == "timeseries" {
          let times = rows.compactMap { $0["time"] as? Int }
          #expect(times.count == rows.count && times == times.sorted() && target["timeColumns"] as? [String] == ["time"])
        }
        for key in ["datasource", "fieldConfig", "options", "description"] { #expect(panel[key] != nil, "\(title): \(key)") }
        // Panels lie on a grid of 24 columns, and beside one another.
        let grid = try #require(panel["gridPos"] as? [String: Int])
        let (x, y, width, height) = (grid["x"] ?? 0, grid["y"] ?? 0, grid["w"] ?? 0, grid["h"] ?? 0)
        #expect(x + width <= 24 && width > 0 && height > 0)
        for column in x..<x + width {
          for line in y..<y + height { #expect(cells.insert([column, line]).inserted, "\(title) covers another panel") }
        }
      }
      #expect(shown == Set(queries.keys))
      let variables = (dashboard["templating"] as? [String: Any])?["list"] as? [[String: Any]] ?? []
      #expect(variables.map { $0["name"] as? String } == ["database", "flow"])
      let flows = try database.rows(try #require(variables.last?["query"] as? String))
      #expect(flows.count == 2)
    }

    @Test func `Datasette's queries are the same, word by word`() throws {
      let metadata = try DeployFile.json("datasette/metadata.json")
      let databases = try #require(metadata["databases"] as? [String: [String: [String: [String: String]]]])
      #expect(try databases["funnel"]?["queries"]?.mapValues { $0["sql"] } == DeployFile.queries())
    }

    @Test func `both files are what their script makes of the queries`() throws {
      let run = try FunnelRun(shell: "python3 .ci/dashboards --check", directory: DeployFile.repository)
      #expect(run.status == 0, "\(run.errors)")
    }
  }
#endif
