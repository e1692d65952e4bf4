// The program has a database only with its trait.
#if FUNNEL_DATABASE
  import Testing

  /// The causes of numbers that links of people change.
  extension NightlyDatabaseTests {
    private func ofUser(_ user: String, _ lines: String) -> String {
      lines.replacing(",\"app\"", with: ",\"user\":\"\(user)\",\"app\"")
    }

    @Test func `a link of the day itself is a late event, although no flow declares it`() throws {
      try place.upload(walk("p1", day: 2) + ofUser("ann", walk("t1", day: 2)), as: "2.ndjson")
      _ = try night(3)
      let login = "{\"name\":\"user_linked\",\"ts\":\"2026-11-02T23:00:00Z\",\"subject\":\"p1\",\"app\":\"cleaner\"}\n"
      try place.upload(ofUser("ann", login), as: "3.ndjson")
      _ = try night(4)
      #expect(try causes(4) == ["2026-11-02": ["late"]])
    }

    @Test func `a day whose people a later login joins has a cause`() throws {
      try place.upload(
        walk("p1", day: 2) + walk("p2", day: 2) + ofUser("ann", walk("t1", day: 2)) + ofUser("bob", walk("t2", day: 2)),
        as: "2.ndjson")
      _ = try night(3)
      let login = "{\"name\":\"user_linked\",\"ts\":\"2026-11-03T10:00:00Z\",\"subject\":\"p1\",\"app\":\"cleaner\"}\n"
      try place.upload(ofUser("ann", login), as: "3.ndjson")
      _ = try night(4)
      #expect(try causes(4) == ["2026-11-02": ["linked"]])
      #expect(
        try database.rows("SELECT before, after FROM restatements WHERE what = 'funnel.entered'").map {
          [$0["before"] as? Int, $0["after"] as? Int]
        } == [[4, 3]])
      // A link of the day itself is a late event of it.
      try place.upload(
        ofUser("bob", walk("p2", day: 2, hour: 11, ends: true).replacing("\"id\":\"", with: "\"id\":\"again")), as: "4.ndjson")
      _ = try night(5)
      #expect(try causes(5) == ["2026-11-02": ["late"]])
      #expect(try funnel("log", "undo", "2", "--store", "store", "--now", "2026-11-05T12:00:00Z").status == 0)
      _ = try night(6)
      #expect(try causes(6) == ["2026-11-02": ["undone"]])
    }
  }
#endif
